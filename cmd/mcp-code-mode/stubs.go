package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

func newStubs(u *ui) *cobra.Command {
	o := newOptions()
	var description bool
	cmd := &cobra.Command{
		Use:   "stubs [options] (--config FILE | -- COMMAND [ARG]...)",
		Short: "Print how each tool is called from Python",
		Example: `  mcp-code-mode stubs -- bin/toyserver
  mcp-code-mode stubs --config servers.json > stubs.py
  mcp-code-mode stubs --description -- bin/toyserver`,
		Long: `Every stub, as one valid Python module. With --description what an MCP client sees
as the description of run_python, in which long lists of tools are shortened.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			command := serverOf(cmd, args)
			warnOfOptions(cmd, command, u.logger(o.logLevel))
			if o.config == "" && command == nil {
				return usagef("mcp-code-mode stubs -- COMMAND, or mcp-code-mode stubs --config FILE", "stubs needs a server to wrap")
			}
			text, err := o.stubs(cmd.Context(), u, command, description)
			if err != nil {
				return err
			}
			return u.output(strings.TrimRight(text, "\n") + "\n")
		},
	}
	cmd.Flags().BoolVar(&description, "description", false, "what the client sees instead")
	takesServer(cmd)
	o.addSource(cmd)
	o.addStartup(cmd)
	o.addPolicy(cmd)
	o.addDescribe(cmd)
	o.addLogLevel(cmd)
	return cmd
}

func (o *options) stubs(ctx context.Context, u *ui, command []string, description bool) (string, error) {
	log := u.logger(o.logLevel)
	opts, err := o.bridgeOptions(command, log)
	if err != nil {
		return "", err
	}
	s, err := server.New(server.Options{
		Bridge: o.bridge(opts), StartupTimeout: o.startup, Detail: bridge.Detail(o.describe), Version: version(), Logger: log,
		Driver: func(ctx context.Context) (sandbox.Driver, error) { // no code will run
			<-ctx.Done()
			return nil, ctx.Err()
		},
	})
	if err != nil {
		return "", err
	}
	defer shut(s, log)
	if description {
		return s.Description(ctx)
	}
	b, err := s.Bridge(ctx)
	if err != nil {
		return "", err
	}
	return b.Module(), nil
}
