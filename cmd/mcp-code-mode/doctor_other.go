//go:build !linux

package main

import (
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// privilege says how the embedded gVisor would run, which it never does here.
func privilege() string { return "" }

// checkPython says that this build embeds no Python.
func checkPython() check {
	return failed("python", "warn", rootfs.ErrUnsupported)
}
