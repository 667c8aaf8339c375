package upstream_test

import (
	"context"
	"fmt"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
)

// Wrap a server that runs in this process, list its tools and call one.
func Example() {
	ctx := context.Background()
	type pair struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	type total struct {
		Sum int `json:"sum"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "calculator", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Add two integers."},
		func(_ context.Context, _ *mcp.CallToolRequest, p pair) (*mcp.CallToolResult, total, error) {
			return nil, total{p.A + p.B}, nil
		})
	there, here := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, there, nil); err != nil {
		log.Fatal(err)
	}

	u, err := upstream.Start(ctx, upstream.Options{Name: "calculator", Transport: here})
	if err != nil {
		log.Fatal(err)
	}
	defer u.Close()
	for _, t := range u.Tools() {
		fmt.Println(t.Name, "-", t.Description)
	}
	r, err := u.Call(ctx, "add", []byte(`{"a": 1, "b": 2}`))
	fmt.Println(string(r.Structured), err)
	// Output:
	// add - Add two integers.
	// {"sum":3} <nil>
}
