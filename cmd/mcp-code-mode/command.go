package main

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
)

// takesServer makes the options of a command end at the first word that is none. What
// follows is the command line of a server, whose options look like ours. A "--" before
// it is welcome and not needed: some clients take it for their own.
func takesServer(cmd *cobra.Command) { cmd.Flags().SetInterspersed(false) }

// serverOf is the command line of a server: the arguments of a command for which
// takesServer was called, or nil where there are none and no "--" either.
func serverOf(cmd *cobra.Command, args []string) []string {
	if len(args) == 0 && cmd.ArgsLenAtDash() < 0 {
		return nil
	}
	return args
}

// warnOfOptions says which words of a server's command line would be options of ours if
// they stood before it. After "--" they are meant for the server.
func warnOfOptions(cmd *cobra.Command, server []string, log *slog.Logger) {
	if cmd.ArgsLenAtDash() >= 0 || len(server) == 0 {
		return
	}
	for _, word := range server[1:] {
		if word == "--" {
			return
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		if !strings.HasPrefix(word, "--") || name == "help" || cmd.Flags().Lookup(name) == nil {
			continue
		}
		log.Warn(fmt.Sprintf("--%s comes after the server's command, so it goes to the server", name),
			"hint", fmt.Sprintf("write it before %q if it is for %s, or -- before %[1]q if it is not", server[0], cmd.CommandPath()))
	}
}

// splitRun parts the arguments of run: its program, "" where -c gives one, and the
// command line of a server. Options may also stand after the program.
func splitRun(cmd *cobra.Command, args []string) (program string, server []string, err error) {
	const hint = "mcp-code-mode run -c CODE, or FILE, or - for stdin; a server's command comes last"
	inline := cmd.Flags().Changed("code")
	dash := cmd.ArgsLenAtDash() == 0 // right after the options
	if !inline && !dash && len(args) > 0 {
		program = args[0]
		if err := cmd.ParseFlags(args[1:]); err != nil {
			return "", nil, explainFlag(cmd, err)
		}
		args = cmd.Flags().Args()
		dash = cmd.ArgsLenAtDash() == 0
		inline = cmd.Flags().Changed("code")
	}
	switch {
	case program == "" && !inline:
		return "", nil, usagef(hint, "run needs a program")
	case program != "" && inline:
		return "", nil, usagef(hint, "-c and %q are two programs, want one", program)
	case program != "" && program != "-" && !dash && len(args) > 0:
		return "", nil, usagef(hint+", after -- if the program is a file", "run takes one program, but got %q and %q", program, args[0])
	}
	return program, serverOf(cmd, args), nil
}
