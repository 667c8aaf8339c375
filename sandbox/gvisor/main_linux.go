//go:build linux && (amd64 || arm64)

package gvisor

import "github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor/internal/runsc"

// Main turns this process into runsc when it was started to be that, and then
// does not return. It must be the first thing main does.
func Main() { runsc.Main() }
