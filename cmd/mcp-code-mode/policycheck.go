package main

import (
	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

func newPolicyCheck(u *ui) *cobra.Command {
	return &cobra.Command{
		Use:   "check [DIR]",
		Short: "Say what is wrong with a policy: strict compile, schemas, capabilities, conventions",
		Example: `  mcp-code-mode policy check policies
  mcp-code-mode policy check bundle.tar.gz`,
		Long: `Everything that opa check --strict with the schemas and capabilities finds, and what
serving asks beyond that. Without DIR the built-in policies. The exit code is 3 when
something is wrong.`,
		Args:                  atMostOneDir,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := policyAt(args)
			if err != nil {
				return err
			}
			if err := engine.Check(cmd.Context(), source); err != nil {
				return explainPolicy(err)
			}
			u.notef("nothing is wrong with the policy")
			return nil
		},
	}
}
