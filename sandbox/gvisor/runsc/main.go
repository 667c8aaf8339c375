//go:build linux && (amd64 || arm64)

// Command runsc is gVisor alone. A program that embeds it (see package gvisor)
// starts its sandboxes from it instead of from itself, which is faster the more
// else is linked into the program.
package main

import (
	"fmt"
	"os"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor/internal/runsc"
)

func main() {
	runsc.Main()
	fmt.Fprintln(os.Stderr, "runsc: must be started under a name that begins with runsc")
	os.Exit(2)
}
