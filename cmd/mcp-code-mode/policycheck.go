package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	finding "github.com/mcp-code-mode/mcp-code-mode/engine/check"
)

func newPolicyCheck(u *ui) *cobra.Command {
	o := newOptions()
	var tools string
	failOn, format := string(finding.Warning), "text"
	cmd := &cobra.Command{
		Use:   "check [options] [DIR]",
		Short: "Say what is wrong with a policy: denials that can vanish, names that do not exist, lost guards",
		Example: `  mcp-code-mode policy check policies
  mcp-code-mode policy check --config servers.json policies
  mcp-code-mode policy check --tools tools.lock.json --format sarif policies
  mcp-code-mode policy check --fail-on error bundle.tar.gz`,
		Long: `Everything that opa check --strict with the schemas and capabilities finds, and what makes
a denial disappear without a word. Without DIR the built-in policies. With --config the servers
are started to learn which tools there are, with --tools a file says so.

An error keeps a policy from loading; a warning is said when it loads. A warning is taken back by
a comment on its line or the line above: # mcp-code-mode ignore: CODE REASON

The exit code is 3 when something is found that --fail-on asks for, 2 for a mistake in the options
or the config, 1 when a server does not start, otherwise 0.`,
		Args:                  atMostOneDir,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := policyAt(args)
			if err != nil {
				return err
			}
			opts := engine.CheckOptions{Source: source}
			if err := o.know(cmd.Context(), u, tools, &opts); err != nil {
				return err
			}
			findings, err := engine.Findings(cmd.Context(), opts)
			if err != nil {
				return explainPolicy(err)
			}
			return sayFindings(u, findings, format, failOn)
		},
	}
	textVar(cmd.Flags(), &o.config, "config", "FILE", "start the servers of this file, and know their tools, lists and numbers")
	textVar(cmd.Flags(), &tools, "tools", "FILE", "know the tools of a file that tools lock has written; no server is started")
	oneOfVar(cmd.Flags(), &failOn, "fail-on", []string{string(finding.Error), string(finding.Warning)}, "what the exit code is 3 for; a warning means errors too")
	oneOfVar(cmd.Flags(), &format, "format", finding.Formats, "how findings are written")
	o.addStartup(cmd)
	o.addLogLevel(cmd)
	return cmd
}

// sayFindings writes the findings and ends the program as they ask for.
func sayFindings(u *ui, findings []finding.Finding, format, failOn string) error {
	var b strings.Builder
	if err := finding.Write(&b, format, version(), findings); err != nil {
		return err
	}
	if err := u.output(b.String()); err != nil {
		return err
	}
	worst := finding.Worst(findings)
	switch {
	case worst == "":
		u.notef("nothing is wrong with the policy")
		return nil
	case worst == finding.Warning && failOn == string(finding.Error):
		return nil
	}
	return told(exitPolicy)
}

// policyConfig is what the policy is given with these options.
func (o *options) policyConfig(opts bridge.Options) *engine.Config {
	config := bridge.PolicyConfig(opts)
	return &config
}
