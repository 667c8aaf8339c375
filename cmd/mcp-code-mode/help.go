package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is how long a line of help may be.
const helpWidth = 96

// help is what --help prints. It teaches by example before it lists.
func help(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n", cmd.Short)
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\n%s\n", cmd.Example)
	}
	usage := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		usage = cmd.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(&b, "\nUsage: %s\n", usage)
	if cmd.Long != "" {
		fmt.Fprintf(&b, "\n%s\n", cmd.Long)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-*s %s\n", cmd.Commands()[0].NamePadding(), c.Name(), c.Short)
			}
		}
		fmt.Fprintf(&b, "\n%s COMMAND --help says more.\n", cmd.CommandPath())
	}
	b.WriteString("\nOptions:\n")
	b.WriteString(optionsHelp(cmd.Flags()))
	return b.String()
}

// optionsHelp lists options in the order they were added, which is that of the
// way a call takes: source, policy, sandbox.
func optionsHelp(fs *pflag.FlagSet) string {
	fs.SortFlags = false
	type row struct{ left, right string }
	var rows []row
	width := 0
	fs.VisitAll(func(f *pflag.Flag) {
		r := row{left: "      " + spelling(f), right: f.Usage}
		if f.Shorthand != "" {
			r.left = strings.TrimSuffix("  -"+f.Shorthand+", "+spelling(f), ", -"+f.Shorthand)
		}
		if f.NoOptDefVal == "" {
			r.left += " " + f.Value.Type()
			if f.DefValue != "" && f.DefValue != "0" {
				r.right += fmt.Sprintf(" (default %s)", f.DefValue)
			}
		}
		rows = append(rows, r)
		width = max(width, len(r.left))
	})
	var b strings.Builder
	for _, r := range rows {
		left := r.left
		for _, line := range wrap(r.right, helpWidth-width-2) {
			fmt.Fprintf(&b, "%-*s  %s\n", width, left, line)
			left = ""
		}
	}
	return b.String()
}

// wrap breaks text between words into lines of at most width characters, where
// words allow.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return append(lines, line)
}
