//go:build linux && (amd64 || arm64)

package gvisor

import (
	"sync/atomic"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor/internal/runsc"
)

// mainCalled is set by Main: this program can then be started as a sandbox.
var mainCalled atomic.Bool

// Main turns this process into runsc when it was started to be that, and then
// does not return. It must be the first thing main does.
func Main() {
	mainCalled.Store(true)
	runsc.Main()
}
