package server

import (
	"context"
	"errors"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// MaxDescription is the length of run_python's description in characters.
const MaxDescription = 12_000

// instructions is what a client may put in front of its model.
const instructions = "Use run_python to call tools from one short Python program instead of one by one. " +
	"The program runs in a sandbox without network or files; only the tools listed in the description reach outside."

// intro opens the description of run_python. What it says of limits is checked
// by a test.
const intro = `Run Python in a fresh sandbox and return what it prints. Prefer one program that does the whole job: ` +
	`loop, filter and combine results in code, and print only what you need.

- Tools are async functions: r = await add(a=1, b=2), or add({"a": 1, "b": 2}). Run independent calls together: ` +
	`await asyncio.gather(*[f(x=i) for i in range(20)]).
- A result is what its stub says (dict, list, str, …). r.data is the structure or the text parsed as JSON, r.text the text, r.content all content blocks.
- A refused or failed call raises ToolError (.code, .tool). Catch it, or the run ends there.
- Top-level await works. asyncio is imported. The value of a last expression is printed. Of long output the head and the tail are kept.
- Standard library only; no network, no files but /tmp. Nothing is kept for the next run.
- search_tools("words") finds tools, TOOLS["name"] shows how to call one.
`

const noTools = "\nNo tools are connected: plain Python only.\n"

// describe is the description of run_python for these tools.
func (s *Server) describe(b *bridge.Bridge) string {
	if len(b.Tools()) == 0 {
		return intro + noTools
	}
	return b.Describe(intro+"\n", s.opts.Detail, MaxDescription)
}

// Description waits for the wrapped servers and returns the description of
// run_python, as a client sees it.
func (s *Server) Description(ctx context.Context) (string, error) {
	b, err := s.started(ctx)
	if err != nil {
		return "", err
	}
	return s.describe(b), nil
}

// noSandbox tells the model that no sandbox could be had, without the detail
// that the operator gets.
func noSandbox(err error) string {
	if errors.Is(err, sandbox.ErrQueueFull) {
		return "too many runs are waiting already; the code was not run. Try again when some have ended."
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no sandbox was ready in time; the code was not run. Try again in a moment."
	}
	return "no sandbox could be started, so the code was not run. Nothing is wrong with the code: " +
		"the operator finds the reason in the log of mcp-code-mode, and `mcp-code-mode doctor` says what is missing."
}
