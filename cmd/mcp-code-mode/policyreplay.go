package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/replay"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

// Bounds on what policy replay reads and prints.
const (
	maxExpect     = 1 << 20 // bytes of the file of flips that are expected
	maxShownFlips = 50      // groups; --json prints all
	maxShownArgs  = 300     // bytes of an example's arguments
)

func newPolicyReplay(u *ui) *cobra.Command {
	o := newOptions()
	o.offline = true
	var expect string
	var resimulate, asJSON bool
	cmd := &cobra.Command{
		Use:   "replay [options] LOG...",
		Short: "Decide what decision logs hold under another policy or config, and say what changes",
		Example: `  mcp-code-mode policy replay --policy new decisions.jsonl*
  mcp-code-mode policy replay --policy new --config servers.json --expect flips.txt decisions.jsonl
  mcp-code-mode policy replay --policy new --resimulate --json decisions.jsonl`,
		Long: `Without --config every decision is taken with the configuration that it was recorded
with. Give older files first. CEL rules that are new are evaluated; the session's labels
and counters, and where arguments break their schema, are those that were recorded, or with
--resimulate labels and counters of tools are worked out anew.

Flips are grouped by the rule that denies, by tool and by client. A line of --expect names
flips that are wanted: "deny CODE TOOL" or "allow CODE TOOL", * for any, # for a comment.
A decision is undecidable when the policy reads arguments that the log does not show.

The exit code is 1 when there are flips that are not expected, or undecidable decisions.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, logs []string) error {
			if len(logs) == 0 {
				return usagef("mcp-code-mode policy replay --policy DIR decisions.jsonl", "policy replay needs the files of a decision log")
			}
			expected, err := readExpected(expect)
			if err != nil {
				return err
			}
			report, err := o.replay(cmd.Context(), u, logs, resimulate)
			if err != nil {
				return err
			}
			return printReplay(u, report, expected, asJSON)
		},
	}
	textVar(cmd.Flags(), &expect, "expect", "FILE", "flips that are wanted, one line each")
	cmd.Flags().BoolVar(&resimulate, "resimulate", false, "work out labels and the counters of tools anew")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	textVar(cmd.Flags(), &o.config, "config", "FILE", "the servers, lists and rules to decide with, instead of those recorded")
	o.addPolicy(cmd)
	o.addMaxCalls(cmd)
	o.addLogLevel(cmd)
	return cmd
}

func (o *options) replay(ctx context.Context, u *ui, logs []string, resimulate bool) (report replay.Report, err error) {
	log := u.logger(o.logLevel)
	opts, err := o.bridgeOptions(nil, log)
	if err != nil {
		return report, err
	}
	if opts.Policy == nil && opts.PolicyBundle == "" {
		opts.Policy = policies.FS
	}
	progress := u.progress()
	defer progress.end()
	say := func(n int64) { progress.step(fmt.Sprintf("replaying, %d decisions so far", n)) }
	playing := replay.Options{
		Resimulate: resimulate, Progress: say,
		Engine: func(ctx context.Context, config engine.Config) (*engine.Engine, error) {
			return engine.New(ctx, engine.Options{Policy: opts.Policy, Bundle: opts.PolicyBundle, Name: o.policy, Config: config, Logger: log})
		},
	}
	if o.config != "" {
		config := bridge.PolicyConfig(opts)
		playing.Config = &config
	}
	player, err := replay.New(ctx, playing)
	for i := 0; err == nil && i < len(logs); i++ {
		err = withFile(logs[i], func(f io.Reader) error { return player.Add(ctx, logs[i], f) })
	}
	var load *engine.LoadError
	switch {
	case errors.As(err, &load):
		return report, explainPolicy(load)
	case err != nil:
		return report, err
	}
	return player.Report(), nil
}

// expectation is one kind of flip that is wanted.
type expectation struct{ now, code, tool string }

func (e expectation) covers(g replay.Group) bool {
	is := func(want, got string) bool { return want == "*" || want == got }
	return is(e.now, g.Now) && is(e.code, g.Code) && is(e.tool, g.Tool)
}

// readExpected reads lines of three words; a tool's id, the last one, may hold spaces.
func readExpected(name string) (list []expectation, err error) {
	if name == "" {
		return nil, nil
	}
	var data []byte
	err = withFile(name, func(f io.Reader) error {
		var err error
		if data, err = io.ReadAll(io.LimitReader(f, maxExpect+1)); err == nil && len(data) > maxExpect {
			err = fmt.Errorf("larger than %d bytes", maxExpect)
		}
		return err
	})
	if err != nil {
		return nil, usagef("", "--expect: %w", err)
	}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		words := strings.SplitN(line, " ", 3)
		if len(words) < 3 || words[0] != "allow" && words[0] != "deny" && words[0] != "*" {
			return nil, usagef("such as: deny rule_not_met tracker/create_issue", `--expect %q, line %d: want "deny CODE TOOL" or "allow CODE TOOL"`, name, number)
		}
		list = append(list, expectation{words[0], words[1], words[2]})
	}
	return list, nil
}

func printReplay(u *ui, r replay.Report, expected []expectation, asJSON bool) error {
	unexpected := slices.DeleteFunc(slices.Clone(r.Groups), func(g replay.Group) bool {
		return slices.ContainsFunc(expected, func(e expectation) bool { return e.covers(g) })
	})
	text := replayText(r, unexpected)
	if asJSON {
		data, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		text = string(escapeControls(data)) + "\n"
	}
	if err := u.output(text); err != nil {
		return err
	}
	switch {
	case r.Decisions == 0:
		return errors.New("there is no decision in these files")
	case len(unexpected) > 0 || r.Undecidable > 0:
		return told(exitFailed)
	}
	return nil
}

func replayText(r replay.Report, unexpected []replay.Group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "decisions %d: same %d, flips %d, same with other reasons or labels %d, undecidable %d\n",
		r.Decisions, r.Same, r.Flips, r.Changed, r.Undecidable)
	for _, why := range slices.Sorted(maps.Keys(r.Why)) {
		fmt.Fprintf(&b, "  undecidable %d: %s\n", r.Why[why], why)
	}
	if r.Unreadable > 0 {
		fmt.Fprintf(&b, "  lines that are no events: %d\n", r.Unreadable)
	}
	for i, g := range unexpected {
		if i == maxShownFlips {
			fmt.Fprintf(&b, "and %d more kinds of flips; --json prints all\n", len(unexpected)-i)
			break
		}
		fmt.Fprintf(&b, "%s %s %s\n", g.Now, g.Code, visible(g.Tool))
		fmt.Fprintf(&b, "  calls %d, client %q", g.Count, g.Client)
		if g.Rule != "" {
			fmt.Fprintf(&b, ", rule %s", g.Rule)
		}
		fmt.Fprintf(&b, "\n  such as %s:%d, decision %s, arguments %s\n  %q\n", g.Example.File, g.Example.Line, g.Example.DecisionID,
			visible(cut.Marked(string(g.Example.Args), maxShownArgs, "…")), g.Example.Message)
	}
	return b.String()
}
