package sandbox

import (
	"context"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// Gate decides one call of the code. Nothing more is read from the sandbox
// until it returns. So the decoded arguments of at most one call are held in
// memory, and the time of deciding delays only the code that makes the calls.
// A Gate must not wait for a server; Verdict.Answer may.
type Gate func(context.Context, wire.Call) Verdict

// Verdict is what a Gate makes of a call.
type Verdict struct {
	Answer func() wire.Reply // answers the call, once, in a goroutine of its own
	Bytes  int               // that the result may have; calls whose results do not fit into memory wait
	Work   time.Duration     // processor time that deciding took
	End    string            // why the code is stopped instead of being answered; "" when it is not
}

// CallFunc decides about a call and answers it in one step. Each call has its own
// goroutine. A nil CallFunc refuses every call.
type CallFunc func(context.Context, wire.Call) wire.Reply

func (f CallFunc) gate(ctx context.Context, c wire.Call) Verdict {
	if f == nil {
		f = refuse
	}
	return Verdict{Answer: func() wire.Reply { return f(ctx, c) }}
}

func refuse(_ context.Context, c wire.Call) wire.Reply {
	return refused(c.Tool, "tool_not_allowed", "there are no tools here")
}

func refused(tool, code, message string) wire.Reply {
	return wire.Reply{Err: &wire.CallError{Tool: tool, Code: code, Codes: []string{code}, Message: message}}
}
