package bridge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/schema"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/stub"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/engine/celrule"
	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
	"github.com/mcp-code-mode/mcp-code-mode/internal/nearest"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// catalog is the tools that exist: listed by an upstream, visible to the
// policy, and usable. It never changes after startup, so tools that a server lists
// later cannot be called.
type catalog struct {
	tools    []*tool
	byID     map[string]*tool
	warnings []string
	servers  []stub.Server // those that have tools, as configured
}

// tool is everything that is known of one tool before it is called.
type tool struct {
	upstream *upstream.Upstream
	facts    engine.Tool
	schema   *schema.Schema
	rules    []rule
	limits   CallLimits
	describe stub.Tool
	python   string
	stub     string
	brief    string
	summary  string
	schemas  wire.Facts
}

// rule is one CEL expression of the configuration, with its source text.
type rule struct {
	text    string
	program *celrule.Rule
}

func newCatalog(ctx context.Context, e *engine.Engine, opts Options, upstreams []*upstream.Upstream) (*catalog, error) {
	c := &catalog{byID: map[string]*tool{}}
	var listed []*tool
	offered := map[string][]string{} // by server, kept or not
	for i, server := range opts.Servers {
		c.warn(server.Name, upstreams[i].Warnings()...)
		for _, t := range upstreams[i].Tools() {
			listed = append(listed, newTool(server, upstreams[i], t, server.limits(t.Name, opts.Limits)))
			offered[server.Name] = append(offered[server.Name], t.Name)
		}
	}
	visible, err := visibleTools(ctx, e, listed)
	if err != nil {
		return nil, err
	}
	for _, t := range visible {
		// A hostile list can make this long; the time to start is limited.
		if ctx.Err() != nil {
			return nil, fmt.Errorf("reading the schemas of the tools: %w", ctx.Err())
		}
		c.keep(t)
	}
	for i, server := range opts.Servers {
		if err := c.checkNames(server, offered[server.Name]); err != nil {
			return nil, err
		}
		if len(c.kept(server.Name)) > 0 {
			c.servers = append(c.servers, stub.Server{Name: server.Name, Words: stub.Words(upstreams[i].Instructions())})
		}
		if err := c.compileRules(server); err != nil {
			return nil, err
		}
	}
	return c, c.name(ctx, !opts.Unprefixed)
}

func newTool(server Server, u *upstream.Upstream, t upstream.Tool, limits CallLimits) *tool {
	private := server.Private.All || slices.Contains(server.Private.Tools, t.Name)
	labels := []string{}
	if private {
		labels = []string{LabelPrivate}
	}
	return &tool{
		upstream: u, limits: limits,
		facts: engine.Tool{
			ID: server.Name + "/" + t.Name, Server: server.Name, Name: t.Name, Known: true, Private: private,
			Labels: labels, Annotations: t.Annotations, DefinitionSHA256: t.SHA256,
		},
		describe: stub.Tool{
			Server: server.Name, Name: t.Name, Description: t.Description,
			Input: t.InputSchema, Output: t.OutputSchema, Private: private,
		},
	}
}

// visibleTools asks the policy which of the listed tools exist at all.
func visibleTools(ctx context.Context, e *engine.Engine, listed []*tool) ([]*tool, error) {
	facts := make([]engine.Tool, len(listed))
	for i, t := range listed {
		facts[i] = t.facts
	}
	ids, err := e.Visible(ctx, facts)
	if err != nil {
		return nil, &PolicyError{Err: err}
	}
	return slices.DeleteFunc(listed, func(t *tool) bool { return !ids[t.facts.ID] }), nil
}

// keep adds a tool to the catalog if it can be described and its arguments can be
// checked. Otherwise the tool is left out with a warning.
func (c *catalog) keep(t *tool) {
	var err error
	if t.schema, err = schema.Compile(t.describe.Input); err == nil {
		err = stub.Check(t.describe)
	}
	if err != nil {
		c.warn(t.facts.Server, fmt.Sprintf("leaving out tool %q: %v", t.facts.Name, err))
		return
	}
	c.tools = append(c.tools, t)
	c.byID[t.facts.ID] = t
}

func (c *catalog) warn(server string, warnings ...string) {
	for _, w := range warnings {
		c.warnings = append(c.warnings, fmt.Sprintf("server %q: %s", server, w))
	}
}

// checkNames refuses a setting that names a tool which was not kept: to stop startup
// is better than a rule or a label that silently applies to nothing.
func (c *catalog) checkNames(server Server, offered []string) error {
	for _, setting := range []struct {
		key   string
		names []string
	}{{"allow", server.Allow}, {"private", server.Private.Tools}, {"rules", slices.Sorted(maps.Keys(server.Rules))}, {"limits", slices.Sorted(maps.Keys(server.ToolLimits))}} {
		for _, name := range setting.names {
			if c.byID[server.Name+"/"+name] != nil {
				continue
			}
			names := c.kept(server.Name)
			if setting.key == "allow" {
				names = offered
			}
			return &ConfigError{
				Server: server.Name, Key: setting.key,
				Reason: fmt.Sprintf("the server has no tool %q", name), Hint: listTools(name, names),
			}
		}
	}
	return nil
}

// kept returns the raw names of a server's kept tools.
func (c *catalog) kept(server string) (names []string) {
	for _, t := range c.tools {
		if t.facts.Server == server {
			names = append(names, t.facts.Name)
		}
	}
	return names
}

// listTools names the tools that could be meant in a hint: the nearest, or at most 20.
func listTools(meant string, names []string) string {
	const most = 20
	if len(names) == 0 {
		return "none of its tools is kept"
	}
	if near := nearest.Of(meant, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(names) > most {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", len(names)-most))
	}
	return "it has " + strings.Join(names, ", ")
}

func (c *catalog) compileRules(server Server) error {
	for _, t := range c.tools {
		if t.facts.Server != server.Name {
			continue
		}
		for _, text := range server.Rules[t.facts.Name] {
			program, err := celrule.Compile(text, t.describe.Input)
			if err != nil {
				return &ConfigError{
					Server: server.Name, Key: "rules",
					Reason: fmt.Sprintf("tool %q: rule %q: %v", t.facts.Name, text, err),
				}
			}
			t.rules = append(t.rules, rule{text: text, program: program})
		}
	}
	return nil
}

// Sizes in bytes of what every sandbox holds of all tools together.
const (
	maxFullStubs = 6 << 20 // stubs; the tools after that many bytes have stubs without texts
	maxStubs     = 8 << 20 // stubs; those after that many have a line
	maxSchemas   = 4 << 20 // schemas; those after that many bytes are not handed over
)

// name gives every kept tool its Python name and renders its stub.
func (c *catalog) name(ctx context.Context, prefix bool) error {
	described := make([]stub.Tool, len(c.tools))
	for i, t := range c.tools {
		described[i] = t.describe
	}
	names, warnings, err := stub.Names(described, prefix)
	if clash := (*stub.ClashError)(nil); errors.As(err, &clash) {
		return &ConfigError{Server: clash.Second.Server, Key: "name", Reason: err.Error(), Hint: "rename one of the servers"}
	}
	c.warnings = append(c.warnings, warnings...)
	shortened, size, schemas := 0, 0, 0
	for i, t := range c.tools {
		if ctx.Err() != nil {
			return fmt.Errorf("describing the tools: %w", ctx.Err())
		}
		t.python = names[i]
		all, err := stub.RenderAll(t.describe, t.python)
		if err != nil {
			return &ServerError{Server: t.facts.Server, Err: fmt.Errorf("describing tool %q: %w", t.facts.Name, err)}
		}
		t.stub, t.brief, t.summary, t.schemas = all.Stub, all.Brief, all.Summary, all.Facts
		if schemas += len(t.schemas.Schemas); schemas > maxSchemas {
			t.schemas.Schemas = nil
		}
		for _, shorter := range []struct {
			max  int
			text string
		}{{maxFullStubs, t.brief}, {maxStubs, t.summary}} {
			if size+len(t.stub) > shorter.max {
				t.stub = shorter.text
			}
		}
		if size += len(t.stub); size > maxFullStubs {
			shortened++
		}
	}
	if shortened > 0 {
		c.warnings = append(c.warnings, fmt.Sprintf("the stubs are more than %d MiB; TOOLS shows less of %d tools", maxFullStubs>>20, shortened))
	}
	return nil
}

func (c *catalog) entries() []stub.Entry {
	entries := make([]stub.Entry, len(c.tools))
	for i, t := range c.tools {
		entries[i] = stub.Entry{Server: t.facts.Server, Name: t.python, Stub: t.stub, Brief: t.brief, Summary: t.summary}
	}
	return entries
}

// find returns what is known of a tool id. An id that names no kept tool gets
// facts that say so and no way to be forwarded.
func (c *catalog) find(id string) *tool {
	if t := c.byID[id]; t != nil {
		return t
	}
	const maxUnknown = 256 // bytes; the id comes out of the sandbox
	id = cut.Head(id, maxUnknown)
	server, name, _ := strings.Cut(id, "/")
	return &tool{facts: engine.Tool{ID: id, Server: server, Name: name}}
}
