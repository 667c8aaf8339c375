package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

// maxGroups bounds the groups of flips; further ones are counted in one group.
const maxGroups = 10_000

// Report is what came of a replay.
type Report struct {
	Decisions   int64            `json:"decisions"`   // that were replayed, or could not be
	Same        int64            `json:"same"`        // that get the same answer
	Flips       int64            `json:"flips"`       // that get the opposite one
	Changed     int64            `json:"changed"`     // that get the same one with other reasons or labels
	Undecidable int64            `json:"undecidable"` // of which that can not be said
	Why         map[string]int64 `json:"why"`         // why not
	Unreadable  int64            `json:"unreadable"`  // lines that are no events
	Groups      []Group          `json:"groups"`      // of flips, the largest first
}

// Group is flips of one kind.
type Group struct {
	Now     string  `json:"now"`    // allow or deny
	Code    string  `json:"code"`   // of the first denial: the new one, or the one that is gone
	Rule    string  `json:"rule"`   // the policy rule that denies now, "" where none does
	Tool    string  `json:"tool"`   // id
	Client  string  `json:"client"` // name, as it said
	Count   int64   `json:"count"`
	Example Example `json:"example"`
}

// Example is one of the decisions of a group.
type Example struct {
	File       string          `json:"file"`
	Line       int             `json:"line"`
	DecisionID string          `json:"decision_id"`
	Message    string          `json:"message"` // of the denial
	Args       json.RawMessage `json:"args"`    // as recorded
}

type groupKey struct{ now, code, rule, tool, client string }

func (p *Player) undecidable(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report.Decisions++
	p.report.Undecidable++
	p.report.Why[why]++
}

func (p *Player) compare(ctx context.Context, j job, d *decided, now engine.Decision) {
	was := d.Result
	if was.Allow != now.Allow {
		p.flip(ctx, j, d, now)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report.Decisions++
	if slices.Equal(codes(was), codes(now)) && slices.Equal(was.Effects.LabelsAdd, now.Effects.LabelsAdd) {
		p.report.Same++
	} else {
		p.report.Changed++
	}
}

func codes(d engine.Decision) []string {
	list := make([]string, len(d.Denials))
	for i, denial := range d.Denials {
		list[i] = denial.Code
	}
	return list
}

func (p *Player) flip(ctx context.Context, j job, d *decided, now engine.Decision) {
	key := groupKey{now: "allow", tool: d.facts.Tool.ID, client: d.facts.Principal.Client}
	denials := d.Result.Denials
	if !now.Allow {
		key.now, denials = "deny", now.Denials
	}
	example := Example{File: j.file, Line: j.line, DecisionID: d.DecisionID}
	if len(denials) > 0 {
		key.code, example.Message = denials[0].Code, denials[0].Message
	}
	if !now.Allow {
		key.rule = ruleOf(ctx, j.setting.engine, d, key.code)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report.Decisions++
	p.report.Flips++
	if _, has := p.groups[key]; !has && len(p.groups) >= maxGroups {
		key = groupKey{now: key.now, code: "(other)", tool: "(other)"}
	}
	g := p.groups[key]
	if g == nil {
		var call struct {
			Call struct{ Args json.RawMessage }
		}
		_ = json.Unmarshal(d.Input, &call) // it was read before
		example.Args = call.Call.Args
		g = &Group{Now: key.now, Code: key.code, Rule: key.rule, Tool: key.tool, Client: key.client, Example: example}
		p.groups[key] = g
	}
	g.Count++
}

// ruleOf names the policy rule that denies: one that held, with that code if it has one.
func ruleOf(ctx context.Context, e *engine.Engine, d *decided, code string) string {
	_, held := e.Explain(ctx, d.input)
	named := ""
	for _, rule := range held {
		if !strings.HasSuffix(rule.Name, ".deny") {
			continue
		}
		name := fmt.Sprintf("%s (%s)", rule.Name, rule.Location)
		if rule.Code == code {
			return name
		}
		if named == "" {
			named = name
		}
	}
	return named
}

// Report returns what came of all that was added.
func (p *Player) Report() Report {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.report
	r.Groups = make([]Group, 0, len(p.groups))
	for _, g := range p.groups {
		r.Groups = append(r.Groups, *g)
	}
	slices.SortFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Now, b.Now), cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Client, b.Client))
	})
	return r
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }
