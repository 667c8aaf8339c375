// Package server offers one tool, run_python, over MCP, and the same as a Go
// API: run a program, or keep one sandbox open and run cells in it.
//
// It joins two packages that do not import each other: sandbox, which runs hostile
// code and receives its calls, and bridge, which decides about calls.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// DefaultStartupTimeout is how long a request waits for the wrapped servers
// when Options names no time.
const DefaultStartupTimeout = 30 * time.Second

// Options configure a Server.
type Options struct {
	// Bridge starts the wrapped servers. It is called once, in the background;
	// nil means that code has no tools.
	Bridge func(context.Context) (*bridge.Bridge, error)
	// Driver makes the sandbox driver, which has the limits of a run. It is called in
	// the background. If it fails, the next run calls it again. The server closes the
	// driver. It must be set.
	Driver func(context.Context) (sandbox.Driver, error)
	// Warm is how many sandboxes are kept started and waiting; 0 starts each
	// one when it is needed.
	Warm int
	// MaxWarm is how many are kept at most under load. They must also fit in a quarter
	// of the available memory. Zero means always Warm.
	MaxWarm int
	// MaxRuns is how many sandboxes may be in use at once; zero means the
	// pool's default. Further runs wait their turn.
	MaxRuns int
	// StartupTimeout bounds the start of the wrapped servers; zero means
	// DefaultStartupTimeout.
	StartupTimeout time.Duration
	// SessionPerConnection gives every client connection that has an id of its
	// own, as stateful HTTP connections have, its own session. Others share
	// one. The default, one session for all, is the safe choice: a label then
	// holds for all connections, whichever of them added it.
	SessionPerConnection bool
	// Detail is how much of the tools the description of run_python shows; "" means
	// bridge.DetailAuto.
	Detail bridge.Detail
	// Version is the version the MCP server reports.
	Version string
	// Logger receives what the operator should know; nil discards it.
	Logger *slog.Logger
}

// Server runs programs in sandboxes with the tools of a bridge. Its methods may
// be called from any goroutine.
type Server struct {
	opts Options
	log  *slog.Logger
	mcp  *mcp.Server

	cancel  context.CancelFunc // ends what runs in the background
	running sync.WaitGroup     // the goroutines New started

	ready   chan struct{} // closed once the next three are set
	bridge  *bridge.Bridge
	session *bridge.Session // the one for all, unless SessionPerConnection
	failure error
	failed  chan struct{} // closed when failure is set
	told    chan struct{} // closed once a client was told of failure
	tell    sync.Once

	// making is held, by sending to it, while the next three are read or made.
	// It is a channel so that waiting for it can be cancelled.
	making   chan struct{}
	driver   sandbox.Driver
	pool     *sandbox.Pool
	closed   bool
	equipped chan struct{} // closed once the pool knows the tools

	sessions sync.Map // *mcp.ServerSession -> *bridge.Session
}

// New returns a server and starts the wrapped servers and the driver in the
// background. It does not block; Ready says how the start went. The error is a
// *sandbox.OptionError: there is no Driver, or a number is negative.
func New(opts Options) (*Server, error) {
	if err := opts.check(); err != nil {
		return nil, fmt.Errorf("making a server: %w", err)
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.StartupTimeout == 0 {
		opts.StartupTimeout = DefaultStartupTimeout
	}
	if opts.Bridge == nil {
		opts.Bridge = func(ctx context.Context) (*bridge.Bridge, error) {
			return bridge.New(ctx, bridge.Options{Logger: opts.Logger})
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{
		opts: opts, log: opts.Logger, cancel: cancel,
		ready: make(chan struct{}), failed: make(chan struct{}), told: make(chan struct{}),
		making: make(chan struct{}, 1), equipped: make(chan struct{}),
	}
	s.mcp = s.newMCP()
	s.running.Go(func() { s.startBridge(ctx) })
	s.running.Go(func() {
		if _, err := s.sandboxes(ctx, observer{}); err != nil && ctx.Err() == nil {
			s.log.Warn("no sandbox yet; the next run tries again", "error", err)
		}
	})
	return s, nil
}

func (o Options) check() error {
	if o.Driver == nil {
		return &sandbox.OptionError{Option: "Driver", Reason: "there is none"}
	}
	for _, field := range []struct {
		name  string
		value int64
	}{{"Warm", int64(o.Warm)}, {"MaxWarm", int64(o.MaxWarm)}, {"MaxRuns", int64(o.MaxRuns)}, {"StartupTimeout", int64(o.StartupTimeout)}} {
		if field.value < 0 {
			return &sandbox.OptionError{Option: field.name, Reason: "it is negative"}
		}
	}
	return nil
}

// startBridge starts the wrapped servers and publishes the tool.
func (s *Server) startBridge(ctx context.Context) {
	defer close(s.ready)
	ctx, cancel := context.WithTimeoutCause(ctx, s.opts.StartupTimeout,
		fmt.Errorf("the wrapped servers were not ready within %v", s.opts.StartupTimeout))
	defer cancel()
	b, err := s.opts.Bridge(ctx)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			err = errors.Join(context.Cause(ctx), err)
		}
		s.failure = err
		close(s.failed)
		return
	}
	s.bridge = b
	s.session = b.NewSession(engine.Principal{})
	s.addTool(b)
}

// Ready waits until the wrapped servers have started and returns why they did
// not, or ctx's error.
func (s *Server) Ready(ctx context.Context) error {
	_, err := s.started(ctx)
	return err
}

func (s *Server) started(ctx context.Context) (*bridge.Bridge, error) {
	select {
	case <-s.ready:
		return s.bridge, s.failure
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Bridge waits until the wrapped servers have started and returns the bridge.
func (s *Server) Bridge(ctx context.Context) (*bridge.Bridge, error) { return s.started(ctx) }

// sandboxes returns the pool, making the driver if there is none yet.
func (s *Server) sandboxes(ctx context.Context, watch observer) (*sandbox.Pool, error) {
	select {
	case s.making <- struct{}{}:
	default:
		watch.tell("preparing the sandbox")
		select {
		case s.making <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer func() { <-s.making }()
	if s.closed {
		return nil, errors.New("starting a sandbox: the server is closed")
	}
	if s.pool != nil {
		return s.pool, nil
	}
	driver, err := s.opts.Driver(ctx)
	if err != nil {
		return nil, err
	}
	pool, err := sandbox.NewPool(driver, sandbox.PoolOptions{
		Warm: s.opts.Warm, MaxWarm: s.opts.MaxWarm, MaxConcurrent: s.opts.MaxRuns, Logger: s.log,
	})
	if err != nil { // the driver's own limits are impossible
		if driver != nil {
			err = errors.Join(err, driver.Close())
		}
		return nil, err
	}
	s.driver, s.pool = driver, pool
	s.running.Go(s.equip)
	return s.pool, nil
}

// equip tells the pool the tools as soon as they are known, so that waiting sandboxes
// know them too.
func (s *Server) equip() {
	defer close(s.equipped)
	<-s.ready
	if s.failure != nil {
		return
	}
	if most := s.driver.Limits().WithDefaults().Arguments; most < s.bridge.MaxArguments() {
		s.log.Warn("the sandboxes refuse arguments that the gate would take: raise Limits.Arguments of their driver",
			"sandbox", most, "gate", s.bridge.MaxArguments())
	}
	s.pool.SetTools(wireTools(s.bridge), s.bridge.Servers()...)
}

func wireTools(b *bridge.Bridge) []wire.Tool {
	tools := b.Tools()
	list := make([]wire.Tool, len(tools))
	for i, t := range tools {
		list[i] = wire.Tool{Name: t.Name, ID: t.ID, Stub: t.Stub, Summary: t.Summary, Facts: t.Facts}
	}
	return list
}

// Close ends every sandbox, every wrapped server and every client connection,
// and waits until they are gone; for a client that does not read, no longer than
// a second.
func (s *Server) Close() error {
	s.cancel()
	s.making <- struct{}{}
	s.closed = true
	pool, driver := s.pool, s.driver
	<-s.making
	s.running.Wait()
	var errs []error
	if pool != nil {
		errs = append(errs, pool.Close(), driver.Close())
	}
	if s.bridge != nil {
		errs = append(errs, s.bridge.Close())
	}
	for connection := range s.mcp.Sessions() {
		left := make(chan struct{})
		go func() {
			defer close(left)
			_ = connection.Wait() // why it ended does not matter
		}()
		_ = hangUp(connection, left, nil)
	}
	return errors.Join(errs...)
}
