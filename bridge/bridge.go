// Package bridge stands between a sandbox and the wrapped MCP servers. Every
// tool call a program makes passes its gate, and nothing else reaches a server.
//
//	 hostile                      trusted                        hostile
//	┌─────────┐  one JSON line  ┌─────────────────────────────┐  tools/call  ┌──────────┐
//	│ sandbox ├────────────────►│ Run.Decide: decode once,    ├─────────────►│ upstream │
//	│         │◄────────────────┤ facts, OPA, commit, record, │◄─────────────┤          │
//	└─────────┘  text or code   │ forward, bound              │  raw result  └──────────┘
//	                            └─────────────────────────────┘
//
// A Bridge holds what does not change: the upstreams, the tools kept of them
// and the policy. A Session holds what a policy may remember: labels and
// counters. A Run is one program.
package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/stub"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// Server is one MCP server to wrap. Exactly one of Command and Transport is
// set.
type Server struct {
	// Name is the server half of its tools' ids. It holds letters, digits, "_"
	// and "-".
	Name string
	// Command starts the server as a process that speaks MCP on stdio.
	Command *upstream.Command
	// Transport connects to a server that is already there.
	Transport mcp.Transport
	// Allow lists the raw names of the tools that may be called. Nil means
	// every tool, an empty slice none.
	Allow []string
	// Private marks the tools whose results may hold private data.
	Private Private
	// Rules holds CEL expressions by raw tool name.
	Rules map[string][]string
	// Limits bound the calls of this server's tools. Where a field is zero, that of
	// Options.Limits counts.
	Limits CallLimits
	// ToolLimits bound the calls of single tools, by raw name. Where a field is zero,
	// that of Limits counts.
	ToolLimits map[string]CallLimits
}

// Private says which tools of a server are private. The zero value is none.
type Private struct {
	All   bool     // every tool of the server
	Tools []string // raw tool names
}

// Options configure a Bridge. The zero value wraps no server.
type Options struct {
	// Servers are started together. Their names differ.
	Servers []Server
	// Unprefixed leaves the "server__" off Python names. It needs a single
	// server.
	Unprefixed bool
	// Policy replaces the built-in policy pack with the .rego and data files of a
	// tree.
	Policy fs.FS
	// PolicyBundle replaces it with an OPA bundle, the path of a .tar.gz. At most one
	// of the two may be set.
	PolicyBundle string
	// CallsPerRun is how many calls one run may make, refused ones included; zero
	// means engine.DefaultCallsPerRun.
	CallsPerRun int
	// MaxArguments is the size of the largest arguments of a call, in bytes as they
	// would be sent; zero means engine.DefaultArgumentBytes. More than 64 KiB needs
	// sandbox.Limits.Arguments to be as large.
	MaxArguments int
	// Limits bound the calls of every server.
	Limits CallLimits
	// Record is the decision log; nil turns it off.
	Record *record.Log
	// Version is what the decision log names as the version of the program.
	Version string
	// Logger receives what the operator should know; nil discards it.
	Logger *slog.Logger
	// Implementation is how the upstreams are told who is calling; nil names
	// this project.
	Implementation *mcp.Implementation
}

// Bridge is a set of wrapped servers behind one policy. Its methods may be
// called from any goroutine.
type Bridge struct {
	engine    *engine.Engine
	catalog   *catalog
	upstreams []*upstream.Upstream
	record    *record.Log
	labels    map[string]string // who decided, for the decision log
	config    string            // digest of the configuration that policies read
	runs      atomic.Uint64     // so many were begun
	log       *slog.Logger
	arguments int // bytes of the largest that a policy is shown
}

// New compiles the policy and starts every server, in parallel, and returns
// when all of them have listed their tools. If one fails, the others are closed
// and New fails. The error wraps a *ConfigError, a *PolicyError or
// a *ServerError, or, when ctx ended first, ctx's error.
func New(ctx context.Context, opts Options) (*Bridge, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if err := opts.check(); err != nil {
		return nil, err
	}
	b := &Bridge{
		record: opts.Record, log: opts.Logger, arguments: max(opts.MaxArguments, leastShown),
		labels:    map[string]string{"app": "mcp-code-mode", "id": uuid.NewString()},
		upstreams: make([]*upstream.Upstream, len(opts.Servers)),
	}
	if opts.Version != "" {
		b.labels["version"] = opts.Version
	}
	if err := b.start(ctx, opts); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *Bridge) start(ctx context.Context, opts Options) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		b.engine, err = newEngine(groupCtx, opts)
		return err
	})
	for i, server := range opts.Servers {
		group.Go(func() (err error) {
			b.upstreams[i], err = upstream.Start(groupCtx, upstream.Options{
				Name: server.Name, Command: server.Command, Transport: server.Transport,
				Logger: opts.Logger, Implementation: opts.Implementation,
				MaxAnswer: server.maxAnswer(opts.Limits),
			})
			if err != nil {
				return &ServerError{Server: server.Name, Err: cmp.Or(errors.Unwrap(err), err)} // the outer one names the server too
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	var err error
	b.catalog, err = newCatalog(ctx, b.engine, opts, b.upstreams)
	if err != nil {
		return err
	}
	for _, warning := range b.catalog.warnings {
		b.log.Warn(warning)
	}
	return b.recordConfig(opts)
}

func newEngine(ctx context.Context, opts Options) (*engine.Engine, error) {
	policy := opts.Policy
	if policy == nil && opts.PolicyBundle == "" {
		policy = policies.FS
	}
	e, err := engine.New(ctx, engine.Options{
		Policy: policy, Bundle: opts.PolicyBundle, Config: PolicyConfig(opts), Logger: opts.Logger,
	})
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("loading the policy: %w", ctx.Err())
		}
		return nil, &PolicyError{Err: err}
	}
	return e, nil
}

// Tool is one tool that code can call.
type Tool struct {
	Name    string // the Python name
	ID      string // "server/tool", both raw
	Stub    string // Python text that shows how to call it
	Summary string // one line that shows the same, shorter
	Private bool   // the configuration marks it private
	// Facts are what its schemas say, for the runner.
	Facts wire.Facts
}

// Tools returns the tools that exist for code, sorted by server as configured
// and then as the server lists them.
func (b *Bridge) Tools() []Tool {
	tools := make([]Tool, len(b.catalog.tools))
	for i, t := range b.catalog.tools {
		tools[i] = Tool{Name: t.python, ID: t.facts.ID, Stub: t.stub, Summary: t.summary, Private: t.facts.Private, Facts: t.schemas}
	}
	return tools
}

// Detail is how much of the tools a description shows.
type Detail = stub.Detail

// The details, see package stub. The default is DetailAuto.
const (
	DetailAuto   = stub.DetailAuto
	DetailFull   = stub.DetailFull
	DetailLines  = stub.DetailLines
	DetailSearch = stub.DetailSearch
)

// Describe returns intro, what servers say of themselves, and the tools in as much
// detail as asked for and as fits max characters.
func (b *Bridge) Describe(intro string, detail Detail, max int) string {
	return stub.Describe(stub.Listing{
		Intro: intro, Servers: b.catalog.servers, Entries: b.catalog.entries(), Detail: detail, Max: max,
	})
}

// Servers returns the servers that have tools and say something of themselves.
func (b *Bridge) Servers() []wire.Server {
	var servers []wire.Server
	for _, s := range b.catalog.servers {
		if s.Words != "" {
			servers = append(servers, wire.Server{Name: s.Name, Words: s.Words})
		}
	}
	return servers
}

// Module returns every stub as one valid Python module.
func (b *Bridge) Module() string { return stub.Module(b.catalog.entries()) }

// Warnings returns what the operator was warned of at startup: tools left out,
// names that were changed.
func (b *Bridge) Warnings() []string { return b.catalog.warnings }

// MaxArguments is the size of the largest arguments that a policy is shown, in bytes as
// they would be sent. A sandbox that lets through less, by sandbox.Limits.Arguments,
// refuses what is larger itself.
func (b *Bridge) MaxArguments() int { return b.arguments }

// Close ends every upstream and waits until their processes are gone. Calls in
// flight fail.
func (b *Bridge) Close() error {
	var group errgroup.Group
	for _, u := range b.upstreams {
		if u != nil {
			group.Go(u.Close)
		}
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("closing upstreams: %w", err)
	}
	return nil
}
