package sandbox

import _ "embed"

// RunnerSource is runner.py, the one file besides CPython that a sandbox holds.
// Drivers put it at /runner.py and start python3 -I -S -B with it, or with what
// it compiles to.
//
//go:embed runner.py
var RunnerSource []byte

// ReservedNames are the names the runner gives the code besides the tools; a
// tool of that name is called something else. The result must not be changed.
var ReservedNames = []string{"TOOLS", "ToolError", "ToolResult", "asyncio", "json", "search_tools"}
