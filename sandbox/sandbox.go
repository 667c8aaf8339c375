package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/protocol"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// MaxCode is the longest code Exec takes, in bytes.
const MaxCode = 1 << 20

// ErrGone is wrapped by errors that mean that the sandbox has ended and can do
// nothing more.
var ErrGone = errors.New("the sandbox is gone")

// Sandbox is a started machine whose runner has said that it is ready. It runs
// one cell at a time; Close, Kill and Alive may be called from any goroutine at any
// time.
type Sandbox struct {
	inst Instance
	lim  Limits
	in   *protocol.Reader
	out  *protocol.Writer

	quiet  chan struct{} // holds a token while nobody talks to the runner
	cell   int64         // cells so far; guarded by quiet
	lastID int64         // of the last call; guarded by quiet
	credit credit        // for the host's work for it; guarded by quiet

	seenMu sync.Mutex
	seen   []wire.Seen // to be told with the next cell; guarded by seenMu

	printed atomic.Int64         // bytes of output of this cell, the machine's own stderr included
	end     atomic.Pointer[stop] // why the host ended it; nil while it has not
	ending  chan struct{}        // closed when end is set
	dead    chan struct{}        // closed when the machine is dead and removed
	exit    Exit                 // valid once dead is closed
}

// Open starts a machine and waits until its runner is ready. When Open fails, no
// machine is left; otherwise Close ends it.
// Cancelling ctx afterwards has no effect. Without a driver, or with limits that
// cannot be, the error is an *OptionError.
func Open(ctx context.Context, d Driver) (*Sandbox, error) {
	if err := checkDriver(d); err != nil {
		return nil, fmt.Errorf("starting a sandbox: %w", err)
	}
	inst, err := d.Start(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting a %s sandbox: %w", d.Name(), err)
	}
	s := &Sandbox{
		inst:  inst,
		lim:   d.Limits().WithDefaults(),
		out:   protocol.NewWriter(inst),
		quiet: make(chan struct{}, 1),
		dead:  make(chan struct{}), ending: make(chan struct{}),
	}
	s.in = protocol.NewReader(inst, s.lim.maxLine())
	s.credit = newCredit(s.lim.CPUs)
	s.release()
	inst.OnStderr(func(n int) { s.print(n) })
	go func() {
		s.exit = inst.Wait()
		close(s.dead)
	}()
	if err := s.converse(ctx, nil); err != nil {
		s.bury()
		return nil, fmt.Errorf("starting the runner in a %s sandbox: %w", d.Name(), err)
	}
	return s, nil
}

func checkDriver(d Driver) error {
	if d == nil {
		return &OptionError{"Driver", "there is none"}
	}
	return d.Limits().Check()
}

// Init tells the runner which tools exist, and what their servers say. It may be called again, between
// cells, to replace them. An error means that the sandbox has been ended.
func (s *Sandbox) Init(ctx context.Context, tools []wire.Tool, servers ...wire.Server) error {
	return s.initLine(ctx, s.lim.initLine(tools, servers))
}

// Tell says what calls have returned. The runner is told with the next cell.
func (s *Sandbox) Tell(seen []wire.Seen) {
	s.seenMu.Lock()
	defer s.seenMu.Unlock()
	s.seen = append(s.seen, seen...)
}

// appendSeen appends the line that tells what Tell was told, if there is anything.
func (s *Sandbox) appendSeen(dst []byte) []byte {
	s.seenMu.Lock()
	defer s.seenMu.Unlock()
	if len(s.seen) > 0 {
		dst = protocol.AppendSeen(dst, s.seen)
		s.seen = nil
	}
	return dst
}

func (l Limits) initLine(tools []wire.Tool, servers []wire.Server) []byte {
	l = l.WithDefaults()
	return protocol.AppendInit(nil, tools, servers, l.InFlight, l.Arguments)
}

func (s *Sandbox) initLine(ctx context.Context, line []byte) error {
	if err := s.converse(ctx, line); err != nil {
		return fmt.Errorf("telling the sandbox its tools: %w", err)
	}
	return nil
}

// Ping asks the idle runner for a sign of life. An error means that the
// sandbox has been ended.
func (s *Sandbox) Ping(ctx context.Context) error {
	if err := s.converse(ctx, protocol.AppendPing(nil)); err != nil {
		return fmt.Errorf("asking the sandbox for a sign of life: %w", err)
	}
	return nil
}

// Alive reports whether the sandbox has neither been ended nor died, as far as
// is known without asking it.
func (s *Sandbox) Alive() bool {
	select {
	case <-s.dead:
		return false
	default:
		return s.end.Load() == nil
	}
}

// Close ends the sandbox, with whatever runs in it, and waits until nothing is
// left of it on the host. It is idempotent.
func (s *Sandbox) Close() error {
	s.bury()
	return nil
}

func (s *Sandbox) bury() {
	s.Kill()
	<-s.dead
}

// Kill ends the sandbox at once, with whatever runs in it, and does not wait.
// It is idempotent.
func (s *Sandbox) Kill() { s.kill(stopClosed) }

// kill ends the machine at once, without waiting. The first reason counts.
func (s *Sandbox) kill(why *stop) {
	s.setEnd(why)
	s.inst.Kill()
}

func (s *Sandbox) setEnd(why *stop) {
	if s.end.CompareAndSwap(nil, why) {
		close(s.ending)
	}
}

// print counts n bytes of output, and stops code that has printed too much. The
// machine's own standard error counts: code can write to it too.
func (s *Sandbox) print(n int) (flood bool) {
	flood = s.printed.Add(int64(n)) >= int64(s.lim.OutputFlood)
	if flood {
		s.kill(stopFlood(s.lim.OutputFlood))
	}
	return flood
}

// converse sends a line, if there is one, and waits for the runner's ready.
// Anything else ends the sandbox.
func (s *Sandbox) converse(ctx context.Context, line []byte) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	defer context.AfterFunc(ctx, func() { s.kill(stopCancelled) })()
	err := s.send(line)
	if err == nil {
		err = s.expectReady()
	}
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
		s.kill(stopCancelled)
	case err == nil:
		return nil
	case errors.Is(err, protocol.ErrViolation):
		s.kill(violated(err))
	default:
		s.kill(stopDeaf)
	}
	return s.explain(err)
}

func (s *Sandbox) send(line []byte) error {
	if line == nil {
		return nil
	}
	return s.out.Send(func(dst []byte) ([]byte, bool) { return append(dst, line...), false })
}

func (s *Sandbox) expectReady() error {
	line, err := s.in.ReadLine()
	if err != nil {
		return err
	}
	m, err := protocol.ParseRunner(line)
	switch {
	case err != nil:
		return err
	case m.Op != protocol.OpReady:
		return fmt.Errorf("%w: %q where %q was due", protocol.ErrViolation, m.Op, protocol.OpReady)
	case m.Version != protocol.Version:
		return fmt.Errorf("the runner speaks version %d of the protocol, not %d", m.Version, protocol.Version)
	}
	return nil
}

// explain adds to an error, for the operator, what the machine itself said
// when it ended.
func (s *Sandbox) explain(err error) error {
	if !s.awaitExit() {
		return err
	}
	if s.exit.Detail == "" {
		return fmt.Errorf("%w (exit status %d)", err, s.exit.Code)
	}
	return fmt.Errorf("%w (exit status %d): %s", err, s.exit.Code, s.exit.Detail)
}

// awaitExit waits a while for the machine to be gone.
func (s *Sandbox) awaitExit() bool {
	select {
	case <-s.dead:
		return true
	case <-time.After(endGrace):
		return false
	}
}

// acquire makes the caller the only one who talks to the runner.
func (s *Sandbox) acquire(ctx context.Context) error {
	select {
	case <-s.quiet:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if end := s.end.Load(); end != nil {
		s.release()
		return fmt.Errorf("%w: %s", ErrGone, end.kind)
	}
	return nil
}

func (s *Sandbox) release() { s.quiet <- struct{}{} }
