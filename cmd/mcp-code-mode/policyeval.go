package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

// maxPolicyInput bounds what policy eval reads.
const maxPolicyInput = 16 << 20

func newPolicyEval(u *ui) *cobra.Command {
	o := newOptions()
	o.offline = true
	var input string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "eval [options] -i FILE [--config FILE | -- COMMAND [ARG]...]",
		Short: "Show what a policy decides about one call, and the rules behind it",
		Example: `  mcp-code-mode policy eval --config servers.json -i input.json
  mcp-code-mode policy eval --policy policies --config servers.json --json -i input.json
  grep codemode/decision decisions.jsonl | tail -1 | mcp-code-mode policy eval --config servers.json -i -`,
		Long: `The input is a JSON object as the policy schema describes it, or a line of a decision
log, which holds one. The config and the options give the lists and numbers the policy works
with. No server is started.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			command := serverOf(cmd, args)
			warnOfOptions(cmd, command, u.logger(o.logLevel))
			if input == "" {
				return usagef("mcp-code-mode policy eval -i FILE, or - for stdin", "policy eval needs an input: -i FILE")
			}
			result, err := o.evalFile(cmd.Context(), u, input, command)
			if err != nil {
				return err
			}
			return printEval(u, result, asJSON)
		},
	}
	letterVar(cmd.Flags(), &input, "input", "i", "FILE", "the input document, - for stdin")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the decision as JSON")
	takesServer(cmd)
	o.addSource(cmd)
	o.addPolicy(cmd)
	o.addMaxCalls(cmd)
	o.addCallLimits(cmd)
	o.addLogLevel(cmd)
	return cmd
}

// evalFile asks the policy about the input in a file.
func (o *options) evalFile(ctx context.Context, u *ui, input string, command []string) (*engine.EvalResult, error) {
	opts, err := o.bridgeOptions(command, u.logger(o.logLevel))
	if err != nil {
		return nil, err
	}
	data, err := readInput(u.stdin, input)
	if err != nil {
		return nil, err
	}
	source := engine.Source{FS: opts.Policy, Bundle: opts.PolicyBundle, Name: o.policy}
	if o.policy == "" {
		source.FS = policies.FS
	}
	result, err := engine.Eval(ctx, source, bridge.PolicyConfig(opts), data)
	if load := (*engine.LoadError)(nil); errors.As(err, &load) {
		return nil, explainPolicy(err)
	}
	if err != nil {
		return nil, usagef("give a line of a decision log, or a document as policies/schemas/input.json describes it", "-i %q: %w", input, err)
	}
	return result, nil
}

func readInput(stdin io.Reader, path string) ([]byte, error) {
	from := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, usagef("", "-i %q: %w", path, cause(err))
		}
		defer f.Close()
		from = f
	}
	data, err := io.ReadAll(io.LimitReader(from, maxPolicyInput+1))
	switch {
	case err != nil:
		return nil, usagef("", "-i %q: %w", path, cause(err))
	case len(data) > maxPolicyInput:
		return nil, usagef("", "-i %q: larger than %d bytes", path, maxPolicyInput)
	}
	return data, nil
}

func printEval(u *ui, result *engine.EvalResult, asJSON bool) error {
	if !asJSON {
		return u.output(result.String())
	}
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return err
	}
	return u.output(string(text) + "\n")
}
