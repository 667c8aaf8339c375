package replay

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/engine/celrule"
)

// prepare puts into the input what the configuration says of the tool, and the results of its
// rules. A rule that the line holds a result of is not evaluated again: the same expression over the
// same facts gives the same. why says what cannot be worked out.
func (p *Player) prepare(ctx context.Context, d *decided, s *setting) (why string) {
	tool, ok1 := d.input["tool"].(map[string]any)
	call, ok2 := d.input["call"].(map[string]any)
	if !ok1 || !ok2 {
		return "its input is masked"
	}
	server, configured := s.config.Servers[d.facts.Tool.Server]
	if p.fixed != nil {
		private := configured && server.Private.Has(d.facts.Tool.Name)
		tool["known"] = d.facts.Tool.Known && configured
		tool["private"] = private
		labels := []any{}
		if private {
			labels = append(labels, bridge.LabelPrivate)
		}
		tool["labels"] = labels
	}
	if p.opts.Resimulate {
		p.resume(d)
	}
	rules := []any{}
	for _, text := range server.Rules[d.facts.Tool.Name] {
		ok, why := p.rule(ctx, d, s, text)
		if why != "" {
			return why
		}
		rules = append(rules, map[string]any{"rule": text, "ok": ok})
	}
	if d.facts.Tool.Known {
		call["rules"] = rules
	}
	return ""
}

func (p *Player) rule(ctx context.Context, d *decided, s *setting, text string) (ok bool, why string) {
	i := slices.IndexFunc(d.facts.Call.Rules, func(r engine.RuleResult) bool { return r.Rule == text })
	if i >= 0 && !p.opts.Resimulate {
		return d.facts.Call.Rules[i].OK, ""
	}
	rule, err := s.rules.get(text)
	call, _ := d.input["call"].(map[string]any)
	switch args, there := call["args"]; {
	case i >= 0 && (err != nil || !strings.Contains(text, "session")):
		return d.facts.Call.Rules[i].OK, ""
	case err != nil:
		return false, "a CEL rule needs the tool's schema, which the log does not hold"
	case d.hidden("input", "call", "args"):
		return false, "a CEL rule reads arguments that the log does not show"
	case !there || args == nil:
		return false, "" // too large to be looked at: no rule holds
	default:
		ok, err := rule.Eval(ctx, args, d.facts.Tool, d.facts.Session)
		return ok && err == nil, ""
	}
}

// anyArguments is the schema that rules are compiled with: the log does not hold the tool's. A rule
// that means something only with a type, such as size(), does not compile then.
var anyArguments = json.RawMessage(`{"type":"object","additionalProperties":true}`)

// ruleCache compiles each rule once.
type ruleCache struct {
	mu    sync.Mutex
	rules map[string]compiled
}

type compiled struct {
	rule *celrule.Rule
	err  error
}

func (c *ruleCache) get(text string) (*celrule.Rule, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one, has := c.rules[text]
	if !has {
		if c.rules == nil {
			c.rules = map[string]compiled{}
		}
		one.rule, one.err = celrule.Compile(text, anyArguments)
		c.rules[text] = one
	}
	return one.rule, one.err
}

// hides says which part of the input the policy may look at that the line does not show.
func (d *decided) hides(e *engine.Engine) (why string) {
	for _, path := range slices.Concat(d.Erased, d.Masked) {
		parts := pathOf(path)
		_, emptied := d.Custom.Cut[path] // by us, and not by the team's policy
		if parts[0] == "input" && e.Reads(emptied, parts[1:]...) {
			return "the policy reads what the log does not show"
		}
	}
	return ""
}

// hidden reports whether that part of the event, or something in it, is not shown.
func (d *decided) hidden(part ...string) bool {
	return slices.ContainsFunc(slices.Concat(d.Erased, d.Masked), func(path string) bool {
		parts := pathOf(path)
		n := min(len(parts), len(part))
		return slices.Equal(parts[:n], part[:n])
	})
}

func pathOf(path string) []string {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, p := range parts {
		if plain, err := url.PathUnescape(p); err == nil {
			parts[i] = plain
		}
	}
	return parts
}

// overrule denies what the bridge denies whatever a policy says.
func overrule(d *decided, now engine.Decision) engine.Decision {
	tool, _ := d.input["tool"].(map[string]any)
	switch {
	case !now.Allow:
	case tool["known"] != true:
		return denied(now, engine.CodeToolNotAllowed, "this tool does not exist")
	case d.facts.Call.ArgsBytes > bridge.MaxArguments:
		return denied(now, engine.CodeArgumentsTooLarge, "the arguments are too large")
	}
	return now
}

func denied(now engine.Decision, code, message string) engine.Decision {
	return engine.Decision{Denials: []engine.Denial{{Code: code, Message: message}}, Revision: now.Revision}
}

// session is what a session would be under the new policy.
type session struct {
	labels  []string
	sources map[string]string
	calls   map[string]int64
}

func (p *Player) sessionOf(id string) *session {
	s := p.sessions[id]
	if s == nil {
		s = &session{sources: map[string]string{}, calls: map[string]int64{}}
		p.sessions[id] = s
	}
	return s
}

// resume puts the labels and counters into the input that the session would have by now.
func (p *Player) resume(d *decided) {
	s := p.sessionOf(d.facts.Session.ID)
	labels, sources, calls := []any{}, map[string]any{}, map[string]any{}
	for _, label := range s.labels {
		labels, sources[label] = append(labels, label), s.sources[label]
	}
	for tool, n := range s.calls {
		calls[tool] = number(n)
	}
	if in, ok := d.input["session"].(map[string]any); ok {
		in["labels"], in["label_sources"], in["calls_by_tool"] = labels, sources, calls
	}
	d.facts.Session.Labels, d.facts.Session.LabelSources, d.facts.Session.CallsByTool = s.labels, s.sources, s.calls
}

// commit does to the session what the bridge would.
func (p *Player) commit(d *decided, now engine.Decision) {
	if !now.Allow {
		return
	}
	s := p.sessionOf(d.facts.Session.ID)
	s.calls[d.facts.Tool.ID]++
	for _, label := range now.Effects.LabelsAdd {
		if _, has := s.sources[label]; !has {
			s.labels, s.sources[label] = append(s.labels, label), d.facts.Tool.ID
		}
	}
}
