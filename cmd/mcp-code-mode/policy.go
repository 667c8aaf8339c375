package main

import "github.com/spf13/cobra"

func newPolicy(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Write, test and try the policies that decide about calls",
		Example: `  mcp-code-mode policy init policies
  mcp-code-mode policy test policies
  mcp-code-mode policy check policies
  mcp-code-mode policy eval --policy policies -i input.json
  mcp-code-mode policy log verify decisions.jsonl
  mcp-code-mode serve --policy policies --config servers.json`,
		Long: `A policy is a directory of Rego files, or a bundle (.tar.gz) of one. Stock OPA reads
the same files: opa test, opa check and opa eval work on them as they are.`,
		DisableFlagsInUseLine: true,
	}
	cmd.AddCommand(newPolicyInit(u), newPolicyTest(u), newPolicyCheck(u), newPolicyEval(u), newPolicyData(u), newPolicyLog(u), newPolicyReplay(u))
	needCommand(cmd)
	return cmd
}
