//go:build linux

package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// A pool hands out a sandbox, which runs two cells and is thrown away. The
// driver here does not isolate; programs use docker.New or gvisor.New.
func Example() {
	driver, err := sandboxtest.NewProcess(python)
	if err != nil {
		log.Fatal(err)
	}
	if err := useSandbox(context.Background(), driver); err != nil {
		log.Print(err)
	}
	if err := driver.Close(); err != nil {
		log.Print(err)
	}
	// Output:
	// call: toy/add {"a":1,"b":2}
	// stdout: "" error: ""
	// stdout: "30\n" error: ""
	// stdout: "" error: "Traceback (most recent call last):\n  File \"<run_python 3>\", line 1, in <module>\n    undefined\nNameError: name 'undefined' is not defined"
}

func useSandbox(ctx context.Context, driver sandbox.Driver) error {
	pool, err := sandbox.NewPool(driver, sandbox.PoolOptions{Warm: 1})
	if err != nil {
		return err
	}
	defer pool.Close()
	pool.SetTools([]wire.Tool{{Name: "add", ID: "toy/add", Stub: "async def add(params: dict) -> str: ..."}})

	box, err := pool.Take(ctx)
	if err != nil {
		return err
	}
	defer box.Kill()

	call := func(_ context.Context, c wire.Call) wire.Reply {
		args, err := json.Marshal(c.Args)
		if err != nil {
			return wire.Reply{Err: &wire.CallError{Tool: c.Tool, Code: "tool_error", Codes: []string{"tool_error"}, Message: "no JSON"}}
		}
		fmt.Printf("call: %s %s\n", c.Tool, args)
		return wire.Reply{Text: `{"sum":3}`, Structured: true}
	}
	for _, code := range []string{"r = await add(a=1, b=2)", "r.data['sum'] * 10", "undefined"} {
		outcome, err := box.Exec(ctx, code, call)
		if err != nil {
			return err
		}
		fmt.Printf("stdout: %q error: %q\n", outcome.Stdout, outcome.Error)
	}
	return nil
}
