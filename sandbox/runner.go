package sandbox

import (
	_ "embed"
	"slices"
)

//go:embed runner.py
var runnerSource []byte

//go:embed forked.py
var forkedSource []byte

// RunnerSource is runner.py, the one file besides CPython that a sandbox holds.
// Drivers put it at /runner.py and start python3 -I -S -B with it, or with what
// it compiles to. It must not be changed.
var RunnerSource = slices.Concat(runnerSource, []byte("\n\n"), forkedSource, []byte("\n\nmain()\n"))

// ReservedNames are the names the runner gives the code besides the tools; a
// tool of that name is called something else. The result must not be changed.
var ReservedNames = []string{"TOOLS", "ToolError", "ToolResult", "asyncio", "json", "search_tools"}
