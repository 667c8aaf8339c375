package server_test

import (
	"context"
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// Run a program, and then cells that keep their variables, against an MCP
// server that lives in this process. A program of yours uses docker.New or
// gvisor.New where this example starts a plain process.
func Example() {
	ctx := context.Background()
	s, err := server.New(server.Options{
		Bridge: func(ctx context.Context) (*bridge.Bridge, error) {
			return bridge.New(ctx, bridge.Options{
				Servers:    []bridge.Server{{Name: "math", Transport: newUpstream().connect()}},
				Unprefixed: true,
			})
		},
		Driver: func(context.Context) (sandbox.Driver, error) { return process() },
	})
	if err != nil {
		panic(err)
	}
	defer s.Close()

	result, err := s.Run(ctx, `print([(await add(a=i, b=10)).data["sum"] for i in range(3)])`)
	if err != nil {
		panic(err)
	}
	fmt.Print(result.Stdout)

	cells, err := s.Open(ctx)
	if err != nil {
		panic(err)
	}
	defer cells.Close()
	for _, code := range []string{"r = await add(a=20, b=1)", "2 * r.data['sum']"} {
		if result, err = cells.Exec(ctx, code); err != nil {
			panic(err)
		}
	}
	fmt.Print(result.Stdout)
	// Output:
	// [10, 11, 12]
	// 42
}
