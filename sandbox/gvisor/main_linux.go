//go:build linux && (amd64 || arm64)

package gvisor

import (
	"sync/atomic"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor/internal/runsc"
)

// mainCalled is set by Main. It says that this program can be started as a sandbox.
var mainCalled atomic.Bool

// Main runs runsc if this process was started as runsc, and then does not return. main
// must call it before anything else.
func Main() {
	mainCalled.Store(true)
	runsc.Main()
}
