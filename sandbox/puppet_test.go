//go:build linux

package sandbox_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// puppet is a driver whose machine is a function that plays the runner: it
// shows what the host does when a runner does not behave.
type puppet struct {
	play   func(m *scripted)
	exit   sandbox.Exit  // how the machine ends when nobody kills it
	dying  time.Duration // how long it lives on when it is killed
	limits sandbox.Limits
	last   *scripted
}

func (p *puppet) Name() string           { return "puppet" }
func (p *puppet) Limits() sandbox.Limits { return p.limits }
func (p *puppet) Close() error           { return nil }

func (p *puppet) Start(context.Context) (sandbox.Instance, error) {
	m := &scripted{exit: p.exit, dying: p.dying, done: make(chan struct{})}
	m.hostIn, m.out = io.Pipe()
	m.in, m.hostOut = io.Pipe()
	m.lines = bufio.NewScanner(m.in)
	m.lines.Buffer(nil, 1<<22)
	p.last = m
	go func() {
		p.play(m)
		m.end()
	}()
	return m, nil
}

type scripted struct {
	in      *io.PipeReader // what the host writes
	out     *io.PipeWriter // what the host reads
	hostIn  *io.PipeReader
	hostOut *io.PipeWriter
	lines   *bufio.Scanner
	stderr  sandbox.Tail
	exit    sandbox.Exit
	dying   time.Duration
	killed  atomic.Bool
	once    sync.Once
	done    chan struct{}
}

func (m *scripted) Read(b []byte) (int, error)  { return m.hostIn.Read(b) }
func (m *scripted) Write(b []byte) (int, error) { return m.hostOut.Write(b) }

func (m *scripted) OnStderr(seen func(int)) { m.stderr.OnStderr(seen) }

func (m *scripted) Kill() {
	m.killed.Store(true)
	time.AfterFunc(m.dying, m.end)
}

func (m *scripted) end() {
	m.once.Do(func() {
		if m.killed.Load() { // before the host learns that it ended, and kills it then
			m.exit = sandbox.Exit{Code: 137}
		}
		m.out.Close()
		m.in.Close()
		m.hostOut.CloseWithError(io.ErrClosedPipe)
		close(m.done)
	})
}

func (m *scripted) Wait() sandbox.Exit {
	<-m.done
	return m.exit
}

// say writes a line to the host.
func (m *scripted) say(format string, args ...any) {
	fmt.Fprintf(m.out, format+"\n", args...)
}

// hear reads a line from the host; "" when the host has ended the machine.
func (m *scripted) hear() string {
	m.lines.Scan()
	return m.lines.Text()
}

// ready is a runner that starts well and has been told its first cell.
func (m *scripted) ready() {
	m.say(`{"op":"ready","version":2}`)
	m.hear()
}

// run opens a puppet and executes one cell in it.
func (p *puppet) run(t *testing.T, lim sandbox.Limits, call sandbox.CallFunc) (*sandbox.Sandbox, sandbox.Outcome) {
	t.Helper()
	p.limits = lim
	s, err := sandbox.Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	o, err := s.Exec(t.Context(), "code", call)
	if err != nil {
		t.Fatal(err)
	}
	return s, o
}

func echo(_ context.Context, c wire.Call) wire.Reply { return wire.Reply{Text: c.Tool} }
