package wire_test

import (
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// An answer to calls that knows one tool. Exec of package sandbox takes such a
// function.
func Example() {
	answer := func(c wire.Call) wire.Reply {
		args, _ := c.Args.(map[string]any)
		name, ok := args["name"].(string)
		if c.Tool != "desk/greet" || !ok {
			return wire.Reply{Err: &wire.CallError{
				Tool: c.Tool, Code: "tool_not_allowed", Codes: []string{"tool_not_allowed"}, Message: "call desk/greet with a name",
			}}
		}
		return wire.Reply{Text: "Hello, " + name}
	}
	fmt.Println(answer(wire.Call{ID: 1, Tool: "desk/greet", Args: map[string]any{"name": "Ada"}}).Text)
	fmt.Println(answer(wire.Call{ID: 2, Tool: "desk/close"}).Err.Code)
	// Output:
	// Hello, Ada
	// tool_not_allowed
}
