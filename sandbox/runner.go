package sandbox

import (
	"bytes"
	"embed"
)

// The runner is written as parts that share their names, in this order.
var (
	//go:embed runner
	runnerParts embed.FS
	partNames   = []string{
		"start", "stream", "values", "replies", "calls", "tools", "search", "toolbox", "helpers",
		"loop", "source", "look", "check", "hints", "endings", "cells", "errors", "processes", "forked", "life",
	}
)

// RunnerSource is runner.py, the one file besides CPython that a sandbox holds.
// Drivers put it at /runner.py and start python3 -I -S -B with it, or with what
// it compiles to. It must not be changed.
var RunnerSource = joinRunner()

func joinRunner() []byte {
	parts := make([][]byte, len(partNames))
	for i, name := range partNames {
		part, err := runnerParts.ReadFile("runner/" + name + ".py")
		if err != nil {
			panic(err) // it is embedded
		}
		parts[i] = part
	}
	return bytes.Join(parts, []byte("\n\n"))
}

// ReservedNames are the names the runner gives the code besides the tools; a
// tool of that name is called something else. The result must not be changed.
var ReservedNames = []string{"TOOLS", "ToolError", "ToolResult", "asyncio", "json", "search_tools"}
