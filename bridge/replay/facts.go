package replay

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
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
	server, configured := s.config.Servers[d.tool.Server]
	if p.fixed != nil {
		tool, labels := object(d.input["tool"]), []any{}
		private := configured && server.Private.Has(d.tool.Name)
		if private {
			labels = append(labels, bridge.LabelPrivate)
		}
		d.tool.Known = d.tool.Known && configured
		tool["known"], tool["private"], tool["labels"] = d.tool.Known, private, labels
	}
	if p.opts.Resimulate {
		p.resume(d)
	}
	rules := []any{}
	for _, rule := range server.Rules[d.tool.Name] {
		ok, why := p.rule(ctx, d, s, rule)
		if why != "" {
			return why
		}
		rules = append(rules, map[string]any{"rule": rule, "ok": ok})
	}
	if d.tool.Known {
		object(d.input["call"])["rules"] = rules
	}
	return ""
}

// recorded returns the result of a rule in the line.
func (d *decided) recorded(rule string) (ok, is bool) {
	for _, r := range list(object(d.input["call"])["rules"]) {
		if r := object(r); r["rule"] == rule {
			ok, _ = r["ok"].(bool)
			return ok, true
		}
	}
	return false, false
}

func (p *Player) rule(ctx context.Context, d *decided, s *setting, expr string) (ok bool, why string) {
	was, is := d.recorded(expr)
	if is && !p.opts.Resimulate {
		return was, ""
	}
	rule, err := s.rules.get(expr)
	switch args, there := object(d.input["call"])["args"]; {
	case is && (err != nil || !strings.Contains(expr, "session")):
		return was, ""
	case err != nil:
		return false, "a CEL rule needs the tool's schema, which the log does not hold"
	case d.hides("input", "call", "args"):
		return false, "a CEL rule reads arguments that the log does not show"
	case !there || args == nil:
		return false, "" // too large to be looked at: no rule holds
	default:
		var facts struct {
			Tool    engine.Tool
			Session engine.Session
		}
		data, err := json.Marshal(map[string]any{"tool": d.input["tool"], "session": d.input["session"]})
		if err != nil || json.Unmarshal(data, &facts) != nil {
			return false, "its input is not there, or not all of it"
		}
		ok, err := rule.Eval(ctx, args, facts.Tool, facts.Session)
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

// unread says that the policy may look at something that the line does not show.
func (d *decided) unread(e *engine.Engine) (why string) {
	for _, path := range d.hiddenPaths {
		parts := pathOf(path)
		_, emptied := d.cut[path]
		if parts[0] == "input" && e.Reads(emptied, parts[1:]...) {
			return "the policy reads what the log does not show"
		}
	}
	return ""
}

// hides reports whether that part of the event, or something in it, is not shown.
func (d *decided) hides(part ...string) bool {
	return slices.ContainsFunc(d.hiddenPaths, func(path string) bool {
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
	size, _ := object(d.input["call"])["args_bytes"].(json.Number)
	n, err := size.Int64()
	switch {
	case !now.Allow:
	case !d.tool.Known:
		return denied(now, engine.CodeToolNotAllowed, "this tool does not exist")
	case err != nil || n > bridge.MaxArguments:
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
	s := p.sessionOf(d.session)
	labels, sources, calls := []any{}, map[string]any{}, map[string]any{}
	for _, label := range s.labels {
		labels, sources[label] = append(labels, label), s.sources[label]
	}
	for tool, n := range s.calls {
		calls[tool] = json.Number(strconv.FormatInt(n, 10))
	}
	in := object(d.input["session"])
	in["labels"], in["label_sources"], in["calls_by_tool"] = labels, sources, calls
}

// commit does to the session what the bridge would.
func (p *Player) commit(d *decided, now engine.Decision) {
	if !now.Allow {
		return
	}
	s := p.sessionOf(d.session)
	s.calls[d.tool.ID]++
	for _, label := range now.Effects.LabelsAdd {
		if _, has := s.sources[label]; !has {
			s.labels, s.sources[label] = append(s.labels, label), d.tool.ID
		}
	}
}
