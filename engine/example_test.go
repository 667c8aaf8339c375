package engine_test

import (
	"context"
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

// One call that may go out, and one that may not.
func Example() {
	ctx := context.Background()
	e, err := engine.New(ctx, engine.Options{
		Policy: policies.FS,
		Config: engine.Config{Servers: map[string]engine.ServerConfig{
			"tracker": {Allow: engine.SomeTools("find_issue")},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	call := func(name string) *engine.Request {
		return &engine.Request{
			Hook: engine.HookCall,
			Tool: engine.Tool{ID: "tracker/" + name, Server: "tracker", Name: name, Known: true},
			Call: engine.Call{Args: map[string]any{"text": "import"}, ArgsBytes: 17},
			Run:  engine.Run{Calls: 1},
		}
	}
	fmt.Println(e.Decide(ctx, call("find_issue")).Allow)
	for _, denial := range e.Decide(ctx, call("delete_issue")).Denials {
		fmt.Printf("%s: %s\n", denial.Code, denial.Message)
	}
	// Output:
	// true
	// tool_not_allowed: "tracker/delete_issue" is not on the allowlist: use another tool of TOOLS, or finish without it
}
