package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

// adder is an MCP server that lives in this process.
func adder() mcp.Transport {
	type in struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	type out struct {
		Sum int `json:"sum"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "adder", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Add two integers."},
		func(_ context.Context, _ *mcp.CallToolRequest, args in) (*mcp.CallToolResult, out, error) {
			return nil, out{args.A + args.B}, nil
		})
	here, there := mcp.NewInMemoryTransports()
	go func() { _ = server.Run(context.Background(), there) }() // ends with the connection
	return here
}

// Wrap an in-memory server, show a stub, and make two calls through the gate.
func Example() {
	b, err := bridge.New(context.Background(), bridge.Options{
		Servers: []bridge.Server{{
			Name: "math", Transport: adder(),
			Rules: map[string][]string{"add": {"args.a <= 100"}},
		}},
	})
	if err != nil {
		panic(err)
	}
	defer b.Close()
	fmt.Println(b.Tools()[0].Stub)

	session := b.NewSession(engine.Principal{})
	for _, args := range []string{`{"a": 1, "b": 2}`, `{"a": 101, "b": 2}`} {
		result, err := session.Call(context.Background(), "math/add", json.RawMessage(args))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(result.Text)
	}
	// Output:
	// async def math__add(params: dict) -> dict:
	//     """
	//     Add two integers.
	//
	//     params: a: int, b: int
	//     returns: sum: int
	//     """
	// {"sum":3}
	// calling "math/add": rule_not_met: the arguments of "math/add" must meet args.a <= 100: change them so that they do
}
