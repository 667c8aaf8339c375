package main

import (
	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
)

func newPolicyData(u *ui) *cobra.Command {
	o := newOptions()
	o.offline = true
	cmd := &cobra.Command{
		Use:   "data [options] [--config FILE | -- COMMAND [ARG]...]",
		Short: "Print the lists and numbers a policy works with, from the config and the options",
		Example: `  mcp-code-mode policy data --config servers.json > data.json
  opa eval -d policies -d data.json -i input.json data.codemode.decision`,
		Long:                  `What is printed is data.codemode.config as policies see it. No server is started.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			command := serverOf(cmd, args)
			warnOfOptions(cmd, command, u.logger(o.logLevel))
			opts, err := o.bridgeOptions(command, u.logger(o.logLevel))
			if err != nil {
				return err
			}
			document, err := bridge.PolicyConfig(opts).Document()
			if err != nil {
				return err
			}
			return u.output(string(document))
		},
	}
	takesServer(cmd)
	o.addSource(cmd)
	o.addMaxCalls(cmd)
	o.addCallLimits(cmd)
	o.addLogLevel(cmd)
	return cmd
}
