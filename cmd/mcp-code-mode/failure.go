package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
)

// Exit codes. Scripts rely on them.
const (
	exitOK     = 0
	exitFailed = 1 // the code raised, was stopped or hit a limit; a server did not start; a policy test failed
	exitUsage  = 2 // usage or config
	exitPolicy = 3 // a policy does not load
)

// A failure is an error with what the program needs to end well: the exit code
// and, where there is one, the next step.
type failure struct {
	code int
	err  error
	hint string
	told bool // everything has been said already; only the exit code is left
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// Hint is the next step; errors of other packages have the same method.
func (f *failure) Hint() string {
	if f.hint == "" {
		return hint.Of(f.err)
	}
	return f.hint
}

// usagef is a mistake in how the program was called.
func usagef(hint, format string, args ...any) error {
	return &failure{code: exitUsage, err: fmt.Errorf(format, args...), hint: hint}
}

// told ends the program with code after a command has said all there is to say.
func told(code int) error {
	return &failure{code: code, err: errors.New("told already"), told: true}
}

const serverHint = "a server is a program that speaks MCP on its standard input and output: run its command in a terminal to see what it says"

// explain gives an error from starting the bridge its exit code and words that
// fit how the program was called.
func (o *options) explain(ctx context.Context, err error) error {
	var (
		policy *bridge.PolicyError
		server *bridge.ServerError
		config *bridge.ConfigError
	)
	switch {
	case err == nil, errors.Is(ctx.Err(), context.Canceled):
		return err
	case errors.As(err, &policy):
		hint := ""
		if o.policy != "" {
			hint = fmt.Sprintf("%s policy check %s says where", program, o.policy)
		}
		return &failure{code: exitPolicy, err: err, hint: hint}
	case errors.As(err, &server):
		return &failure{code: exitFailed, err: err, hint: cmp.Or(hint.Of(err), serverHint)}
	case errors.As(err, &config):
		what := fmt.Errorf("--%s: %s", config.Key, config.Reason)
		if o.config != "" && config.Server != "" {
			what = fmt.Errorf("%s: server %q: key %q: %s", o.config, config.Server, config.Key, config.Reason)
		}
		return &failure{code: exitUsage, err: what, hint: config.Hint}
	case o.config != "":
		err = fmt.Errorf("%s: %w", o.config, err)
	}
	return &failure{code: exitUsage, err: err}
}
