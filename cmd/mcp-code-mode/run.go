package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

func newRun(u *ui) *cobra.Command {
	o := newOptions()
	var code string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "run [options] (-c CODE | FILE | -) [-- COMMAND [ARG]...]",
		Short: "Run one program in a sandbox and print what it printed",
		Example: `  mcp-code-mode run -c 'print(sum(range(10)))'
  mcp-code-mode run -c 'await add(a=1, b=2)' -- bin/toyserver
  mcp-code-mode run --config servers.json --json program.py
  echo 'print(6 * 7)' | mcp-code-mode run -`,
		Long: `Without a source there are no tools, only Python. The exit code is 0 when the
program finished, 1 when it raised, was stopped or hit a limit, 2 for a mistake in
the options or the config, and 3 when a policy does not load.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, command, err := splitRun(cmd, args)
			if err != nil {
				return err
			}
			warnOfOptions(cmd, command, u.logger(o.logLevel))
			program, err := readCode(u.stdin, name, code)
			if err != nil {
				return err
			}
			return o.run(cmd.Context(), u, command, program, asJSON)
		},
	}
	takesServer(cmd)
	letterVar(cmd.Flags(), &code, "code", "c", "CODE", "the program itself")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what run_python returns, as one line of JSON")
	o.addSource(cmd)
	o.addStartup(cmd)
	o.addPolicy(cmd)
	o.addMaxCalls(cmd)
	o.addCallLimits(cmd)
	o.addMaxParallel(cmd)
	o.addDecisionLog(u, cmd)
	o.addSandbox(cmd)
	o.addLogLevel(cmd)
	return cmd
}

// readCode returns the program: the code of -c, or what is in a file, or on stdin
// for "-".
func readCode(stdin io.Reader, path, code string) (string, error) {
	name := "-c"
	if path != "" {
		var err error
		if name, code, err = readProgram(stdin, path); err != nil {
			return "", err
		}
	}
	switch {
	case len(code) > server.MaxCode:
		return "", usagef("", "%s: %w", name, server.ErrCodeTooLarge)
	case !utf8.ValidString(code):
		return "", usagef("", "%s: the program is not UTF-8 text", name)
	case code == "":
		return "", usagef("", "%s: the program is empty", name)
	}
	return code, nil
}

func readProgram(stdin io.Reader, path string) (name, code string, err error) {
	name, from := "stdin", stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", "", usagef("", "reading the program %q: %w", path, cause(err))
		}
		defer f.Close()
		name, from = fmt.Sprintf("%q", path), f
	}
	data, err := io.ReadAll(io.LimitReader(from, server.MaxCode+1))
	if err != nil {
		return "", "", usagef("", "reading the program from %s: %w", name, cause(err))
	}
	return name, string(data), nil
}

func (o *options) run(ctx context.Context, u *ui, command []string, code string, asJSON bool) error {
	log := u.logger(o.logLevel)
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	s, end, err := o.start(log, command, warm{}, orElse(o.driver(u, log), giveUp))
	if err != nil {
		return err
	}
	defer end()
	result, err := s.Run(ctx, code)
	if why := context.Cause(ctx); err != nil && errors.Is(why, context.Canceled) {
		return errors.New("interrupted before the program started")
	} else if err != nil {
		return cmp.Or(why, err)
	}
	if asJSON {
		err = printJSON(u, result)
	} else {
		err = printResult(u, result)
	}
	if err != nil {
		return fmt.Errorf("printing the result: %w", cause(err))
	}
	if result.Error != nil {
		return told(exitFailed)
	}
	return nil
}

// orElse makes the driver or gives up: one run needs no second try, as a server
// does, so a sandbox that can not be had ends it at once.
func orElse(driver makeDriver, giveUp context.CancelCauseFunc) makeDriver {
	return func(ctx context.Context) (sandbox.Driver, error) {
		d, err := driver(ctx)
		if err != nil {
			giveUp(err)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return d, nil
	}
}

func printJSON(u *ui, result server.Result) error {
	text, err := result.JSON()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(u.stdout, "%s\n", escapeControls(text))
	return err
}

// escapeControls escapes the control characters that JSON may hold as they are,
// U+007F to U+009F: a terminal takes some of them as commands. They can only be in
// strings, so this changes how the text is written, not what it says.
func escapeControls(text []byte) []byte {
	isControl := func(r rune) bool { return r >= 0x7f && r < 0xa0 }
	if !bytes.ContainsFunc(text, isControl) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if isControl(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

// printResult prints what the code printed to stdout, and to stderr what else
// there is to know: refused calls, the error.
func printResult(u *ui, result server.Result) error {
	if err := u.output(result.Stdout); err != nil {
		return err
	}
	if result.Truncated {
		u.notef("the output was cut")
	}
	for _, r := range result.Refused {
		times := ""
		if r.Count > 1 {
			times = fmt.Sprintf(", %d times", r.Count)
		}
		u.notef("refused %q: %s%s", r.Tool, r.Code, times)
	}
	for _, m := range result.Calls {
		if !m.ReadOnly {
			u.notef("%s", madeText(m))
		}
	}
	switch {
	case result.Error == nil:
	case result.Stopped:
		u.notef("%s", *result.Error)
	default:
		u.line(*result.Error)
	}
	return nil
}

// madeText says what became of the calls of a tool that may have changed something.
func madeText(m bridge.Made) string {
	text := fmt.Sprintf("done before that: %d of %q", m.Count, m.Tool)
	if m.Failed > 0 {
		text += fmt.Sprintf(", %d failed", m.Failed)
	}
	if m.Unanswered > 0 {
		text += fmt.Sprintf(", %d without an answer", m.Unanswered)
	}
	return text
}
