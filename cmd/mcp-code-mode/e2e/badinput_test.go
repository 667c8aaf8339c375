//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestBadCodeIsAnErrorTheModelCanRead: whatever comes as code, the answer says
// what is wrong with it, and the next run works.
func TestBadCodeIsAnErrorTheModelCanRead(t *testing.T) {
	quoted := func(code string) string { return fmt.Sprintf(`{"code":%q}`, code) }
	refused := map[string]struct{ arguments, want string }{
		"missing":             {`{}`, "it is missing"},
		"null":                {`{"code":null}`, "it is missing"},
		"empty":               {`{"code":""}`, "it is empty"},
		"a number":            {`{"code":7}`, "it is not a string"},
		"a list":              {`{"code":["1"]}`, "it is not a string"},
		"another name":        {`{"Code":"1"}`, `no argument "Code"`},
		"two of them":         {`{"code":"1","code":"2"}`, "not clean JSON"},
		"2 MB":                {quoted(strings.Repeat("#", 2<<20)), "larger than 1 MiB"},
		"2 MB of escapes":     {`{"code":"` + strings.Repeat(`\u0023`, 2<<20) + `"}`, "larger than 1 MiB"},
		"a lone surrogate":    {`{"code":"print('\ud800')"}`, "not clean JSON"},
		"the wrong surrogate": {`{"code":"print('\udc00\ud800')"}`, "not clean JSON"},
		"arguments as a list": {`["print(1)"]`, "takes one argument"},
		"deep":                {`{"code":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`, "not clean JSON"},
	}
	unread := map[string]struct{ arguments, want string }{
		"not UTF-8": {"{\"code\":\"print('\xff\xfe')\"}", "not UTF-8"},
		"very deep": {`{"code":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}`, "depth"},
	}
	raised := map[string]struct{ arguments, want string }{
		"NUL":                      {`{"code":"print('a\u0000b')"}`, "null byte"},
		"a syntax error":           {quoted("print(1"), "SyntaxError"},
		"a tab among spaces":       {quoted("if 1:\n  1\n\t2"), "TabError"},
		"6,000 nested parentheses": {quoted(strings.Repeat("(", 6000) + strings.Repeat(")", 6000)), "SyntaxError: too many nested parentheses"},
		"6,000 nested lists":       {quoted("x = " + strings.Repeat("[", 6000) + strings.Repeat("]", 6000)), "SyntaxError: too many nested parentheses"},
		"6,000 minus signs":        {quoted(strings.Repeat("-", 6000) + "1"), "Error"},
		"an encoding line":         {quoted("# coding: none-such\nraise ValueError('é')"), "ValueError: é"},
	}
	eachDriver(t, func(t *testing.T, driver string) {
		c := newPlace(t).connect(command{args: []string{"serve", "--sandbox", driver, "--warm", "1", "--", built.toyserver}})
		c.hello(current)
		for name, test := range refused {
			var got toolResult
			c.askRaw("tools/call", `{"name":"run_python","arguments":`+test.arguments+`}`).result(&got)
			if !got.IsError || !strings.Contains(got.text(), test.want) {
				t.Errorf("%s: error is %v, text %.300q, want %q", name, got.IsError, got.text(), test.want)
			}
		}
		for _, test := range unread {
			c.askRaw("tools/call", `{"name":"run_python","arguments":`+test.arguments+`}`).fails(test.want)
		}
		c.works()
		for name, test := range raised {
			got := c.askRaw("tools/call", `{"name":"run_python","arguments":`+test.arguments+`}`).outcome()
			if !strings.Contains(got.err(), test.want) || got.Stopped || got.Stdout != "" {
				t.Errorf("%s: %s, %+v, want %q", name, got.err(), got, test.want)
			}
		}
		c.works()
	})
}

// TestLinesThatAreNoRequestsHarmNothing: the client's side of the pipe is read
// with the same care.
func TestLinesThatAreNoRequestsHarmNothing(t *testing.T) {
	c := newPlace(t).serve("auto", "--", built.toyserver)
	c.hello(current)
	for what, line := range map[string]string{
		"no JSON": `run_python, please`, "half a message": `{"jsonrpc":"2.0","id":1,"meth`, "nothing": ``, "a string": `"ping"`,
		"a batch": `[{"jsonrpc":"2.0","id":900,"method":"ping"}]`, "no method": `{"jsonrpc":"2.0","id":901}`,
		"an id that is none": `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "another version": `{"jsonrpc":"1.0","id":902,"method":"ping"}`,
		"very deep": strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		"20 MB":     `{"jsonrpc":"2.0","id":903,"method":"ping","params":{"x":"` + strings.Repeat("x", 20<<20) + `"}}`,
		"an answer": `{"jsonrpc":"2.0","id":904,"result":{}}`,
	} {
		c.send(line)
		if m := c.ask("ping", nil).wait(); m.Error != nil {
			t.Errorf("after %s: %+v", what, m.Error)
		}
	}
	c.askRaw("tools/call", `{"name":"no_such_tool","arguments":{}}`).fails("no_such_tool")
	c.askRaw("no/such/method", `{}`).fails("no/such/method")
	var got toolResult
	c.askRaw("tools/call", `{"name":"run_python"}`).result(&got)
	if !got.IsError || !strings.Contains(got.text(), "it is missing") {
		t.Errorf("without arguments: %+v", got)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/no_such"}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never given"}}`)
	c.works()
}

// TestResultsUpTo64KiBArriveWhole, and larger ones are refused, not cut.
func TestResultsUpTo64KiBArriveWhole(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		c := serve(t, driver, "--", built.toyserver)
		c.prints(`
for kib in 63, 64, 65, 20_000:
    try:
        r = await big(bytes=kib << 10)
        print(kib, len(r), set(r))
    except ToolError as e: print(kib, e.code, e.tool)
try: await big(bytes=(64 << 10) + 1)
except ToolError as e: print(e.code)
print((await add(a=1, b=2)).data["sum"])`,
			"63 64512 {'x'}\n64 65536 {'x'}\n65 result_too_large server/big\n20000 result_too_large server/big\nresult_too_large\n3\n")
		c.works()
	})
}

// TestOversizedArgumentsAreRefused: over 16 KiB, before the server sees them. Those
// over 64 KiB do not even leave the sandbox, so the policy refuses one of the two.
func TestOversizedArgumentsAreRefused(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		c := serve(t, driver, "--", built.toyserver)
		wantOutcome(t, c.run(`
print(len(await echo(text="x" * 16000)))
for size in 16 << 10, 1 << 19:
    try: await echo(text="x" * size)
    except ToolError as e: print(size, e.code)`), outcome{
			Stdout: "16000\n16384 arguments_too_large\n524288 arguments_too_large\n", Refused: []refusal{{"server/echo", "arguments_too_large", 1}},
		})
	})
}

// TestCodeThatEndsItsSandboxIsAnswered: the run ends with a reason, the server
// lives, and the next run has a sandbox of its own.
func TestCodeThatEndsItsSandboxIsAnswered(t *testing.T) {
	codes := map[string]struct {
		code, want string
		stopped    bool
	}{
		"abort":   {"import os; print('x', flush=True); os.abort()", "stopped: the sandbox ended (killed by signal ", true},
		"_exit":   {"import os; os._exit(7)", "stopped: the sandbox ended (exit status 7)", true},
		"exit":    {"import sys; sys.exit(3)", "SystemExit: 3", false},
		"memory":  {"x = bytearray(1 << 30)", "Memory", false},
		"flood":   {"while True: print('x' * 10_000)", "stopped: more than 1 MiB of output", true},
		"endless": {"while True:\n  try: pass\n  except BaseException: pass", "stopped: deadline of 15 s reached", true},
	}
	eachDriver(t, func(t *testing.T, driver string) {
		c := newPlace(t).connect(command{args: []string{"serve", "--sandbox", driver, "--warm", "1", "--deadline", "15", "--", built.toyserver}})
		c.hello(current)
		for name, test := range codes {
			got := c.run(test.code)
			// How the limit on memory shows depends on who notices first.
			if got.Stopped != test.stopped && name != "memory" || !strings.Contains(strings.ToLower(got.err()), strings.ToLower(test.want)) {
				t.Errorf("%s: error %q, stopped %v, want %q", name, got.err(), got.Stopped, test.want)
			}
			c.works()
		}
	})
}
