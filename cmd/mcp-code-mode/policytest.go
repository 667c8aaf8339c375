package main

import (
	"errors"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

func newPolicyTest(u *ui) *cobra.Command {
	var opts engine.TestOptions
	cmd := &cobra.Command{
		Use:   "test [options] [DIR]",
		Short: "Run the tests of a policy, as opa test does",
		Example: `  mcp-code-mode policy test policies
  mcp-code-mode policy test --verbose --run budget policies
  mcp-code-mode policy test --coverage --threshold 100 policies`,
		Long: `Without DIR the tests of the built-in policies. The exit code is 1 when a test fails,
when there is none, or when they reach less than the threshold, and 3 when the policy
does not load.`,
		Args:                  atMostOneDir,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if _, err := regexp.Compile(opts.Run); err != nil {
				return usagef("", "--run %q: %v", opts.Run, err)
			}
			if opts.Source, err = policyAt(args); err != nil {
				return err
			}
			opts.Out = u.stdout
			_, err = engine.Test(cmd.Context(), opts)
			return explainPolicy(err)
		},
	}
	cmd.Flags().BoolVarP(&opts.Verbose, "verbose", "v", false, "every test, and how those that fail went")
	cmd.Flags().BoolVar(&opts.Coverage, "coverage", false, "measure which lines the tests reach")
	floatVar(cmd.Flags(), &opts.Threshold, "threshold", 0, 100, "percent of the lines that the tests must reach")
	textVar(cmd.Flags(), &opts.Run, "run", "REGEXP", "only the tests whose full name matches")
	return cmd
}

// atMostOneDir is for commands that look at one policy.
func atMostOneDir(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("see "+cmd.CommandPath()+" --help", "%s takes one directory, but got %q and %q", cmd.CommandPath(), args[0], args[1])
	}
	return nil
}

// policyAt opens the policy that an argument names; none is the built-in pack.
func policyAt(args []string) (engine.Source, error) {
	if len(args) == 0 {
		return engine.Source{FS: policies.FS}, nil
	}
	source, err := engine.Open(args[0])
	return source, explainPolicy(err)
}

// explainPolicy gives errors of a policy their exit code: a test that fails is no
// policy that does not load.
func explainPolicy(err error) error {
	if err == nil || errors.Is(err, engine.ErrTests) {
		return err
	}
	return &failure{code: exitPolicy, err: err}
}
