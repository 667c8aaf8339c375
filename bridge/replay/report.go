package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
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
	Now     string  `json:"now"`     // allow or deny
	Code    string  `json:"code"`    // of the first denial: the new one, or the one that is gone
	Rule    string  `json:"rule"`    // the policy rule that denies now, "" where none does
	Tool    string  `json:"tool"`    // id
	Client  string  `json:"client"`  // name, as it said
	Count   int64   `json:"count"`   // of calls
	Example Example `json:"example"` // one of them
}

// Example is one of the decisions of a group.
type Example struct {
	File       string          `json:"file"`        // of the log
	Line       int             `json:"line"`        // in it, from 1
	DecisionID string          `json:"decision_id"` // as recorded
	Message    string          `json:"message"`     // of the denial
	Args       json.RawMessage `json:"args"`        // as recorded
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
	if d.allow != now.Allow {
		p.flip(ctx, j, d, now)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report.Decisions++
	if slices.Equal(codes(d.denials), codes(now.Denials)) && slices.Equal(d.labels, now.Effects.LabelsAdd) {
		p.report.Same++
	} else {
		p.report.Changed++
	}
}

func codes(denials []engine.Denial) []string {
	list := make([]string, len(denials))
	for i, denial := range denials {
		list[i] = denial.Code
	}
	return list
}

func (p *Player) flip(ctx context.Context, j job, d *decided, now engine.Decision) {
	key, denials := groupKey{now: "allow", tool: d.tool.ID, client: d.client}, d.denials
	if !now.Allow {
		key.now, denials = "deny", now.Denials
	}
	example := Example{File: j.file, Line: j.line, DecisionID: d.id}
	if len(denials) > 0 {
		key.code, example.Message = denials[0].Code, denials[0].Message
	}
	if !now.Allow {
		key.rule = p.ruleOf(ctx, j.setting.engine, d, denials[0])
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
		var err error
		if example.Args, err = strictjson.Append(nil, object(d.input["call"])["args"]); err != nil {
			example.Args = json.RawMessage("null") // nothing that was decoded comes here
		}
		g = &Group{Now: key.now, Code: key.code, Rule: key.rule, Tool: key.tool, Client: key.client, Example: example}
		p.groups[key] = g
	}
	g.Count++
}

// ruleKey is what a rule says. That it is that rule which says it is looked up once.
type ruleKey struct {
	engine *engine.Engine
	tool   string
	denial engine.Denial
}

// maxRules bounds what is remembered of rules: messages may hold arguments.
const maxRules = 10_000

// ruleOf names the policy rule that denies: one that held, with that code if there is one.
func (p *Player) ruleOf(ctx context.Context, e *engine.Engine, d *decided, denial engine.Denial) string {
	key := ruleKey{e, d.tool.ID, denial}
	p.mu.Lock()
	named, has := p.rules[key]
	p.mu.Unlock()
	if has {
		return named
	}
	_, held := e.Explain(ctx, d.input)
	for _, rule := range held {
		if !strings.HasSuffix(rule.Name, ".deny") || named != "" && rule.Code != denial.Code {
			continue
		}
		named = fmt.Sprintf("%s (%s)", rule.Name, rule.Location)
		if rule.Code == denial.Code {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.rules) < maxRules {
		p.rules[key] = named
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
