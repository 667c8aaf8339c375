package bridge

import (
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// SetCallTimeout shortens the time an upstream has for one call. It must not
// run next to a call.
func SetCallTimeout(b *Bridge, d time.Duration) { b.callTimeout = d }

// Bounded is what code gets for a result.
func Bounded(result upstream.Result) wire.Reply { return bounded("toy/tool", result) }

// Hide is a text without a value that is not to be shown.
func Hide(value any, text string) string {
	var h hidden
	h.add(value)
	return h.text(text)
}
