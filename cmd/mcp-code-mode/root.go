package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/internal/nearest"
)

// newRoot builds the command tree. Commands return errors; only main exits.
func newRoot(u *ui) *cobra.Command {
	root := &cobra.Command{
		Use:   program,
		Short: "One run_python tool in front of any MCP servers: model-written code in a sandbox, every call through policy",
		Example: `  mcp-code-mode run -c 'print(sum(range(10)))'
  mcp-code-mode run -c 'print(await add(a=1, b=2))' -- bin/toyserver
  mcp-code-mode serve --allow search --private search -- notes-server --ro
  mcp-code-mode serve --config servers.json`,
		SilenceErrors:         true,
		SilenceUsage:          true,
		DisableFlagsInUseLine: true,
		CompletionOptions:     cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetHelpCommand(newHelp())
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { _ = u.output(help(cmd)) })
	root.Version = version()
	root.SetVersionTemplate(program + " {{.Version}}\n")
	root.Flags().Bool("version", false, "say the version")
	root.PersistentFlags().BoolP("help", "h", false, "say this")
	root.SetFlagErrorFunc(explainFlag)
	root.SetIn(u.stdin)
	root.SetOut(u.stdout)
	root.SetErr(u)
	root.AddCommand(newServe(u), newRun(u), newStubs(u), newBuildImage(u), newPolicy(u), newTools(u), newDoctor(u), newVersion(u))
	needCommand(root)
	cobra.EnableCommandSorting = false
	return root
}

// newHelp is "help COMMAND", the same as "COMMAND --help".
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:    "help [COMMAND]",
		Short:  "Say more about a command",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef(fmt.Sprintf("see %s --help", program), "there is no command %q", strings.Join(args, " "))
			}
			found.InitDefaultHelpFlag() // as parsing its arguments would have
			return found.Help()
		},
	}
}

// needCommand makes a command that only groups others refuse to run alone.
func needCommand(group *cobra.Command) {
	group.Args = cobra.ArbitraryArgs
	group.RunE = func(cmd *cobra.Command, args []string) error {
		hint := fmt.Sprintf("see %s --help", cmd.CommandPath())
		var names []string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		if len(args) == 0 {
			return usagef(hint, "%s needs a command: %s", cmd.CommandPath(), strings.Join(names, ", "))
		}
		if near := nearest.Of(args[0], names); near != "" {
			hint = fmt.Sprintf("did you mean %s %s?", cmd.CommandPath(), near)
		}
		return usagef(hint, "%s has no command %q", cmd.CommandPath(), args[0])
	}
}

// noArgs refuses every argument.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef(fmt.Sprintf("see %s --help", cmd.CommandPath()), "%s takes no argument, but got %q", cmd.CommandPath(), args[0])
	}
	return nil
}
