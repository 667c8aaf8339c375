package bridge

import (
	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// Bounded is what code gets for a result.
func Bounded(result upstream.Result) wire.Reply { return bounded("toy/tool", result, DefaultResult) }

// Hide is a text without a value that is not to be shown.
func Hide(value any, text string) string {
	var h hidden
	h.add(value)
	return h.text(text)
}
