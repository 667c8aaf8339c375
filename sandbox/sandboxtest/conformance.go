package sandboxtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// Option changes what Conformance expects.
type Option func(*suite)

// WithoutIsolation leaves out the promises that a plain process cannot keep:
// network, files, users, limits on resources. Only for Process.
func WithoutIsolation() Option { return func(s *suite) { s.isolated = false } }

// WithBaseImage leaves out the promise that the image holds Python and the
// runner and nothing else: the base was chosen by whoever runs this.
func WithBaseImage() Option { return func(s *suite) { s.bare = false } }

// Conformance tests that a driver keeps every promise of a sandbox. It calls
// newDriver with zero Limits, which mean their defaults, and for some tests with
// others, and closes those drivers at the end.
func Conformance(t *testing.T, newDriver func(t *testing.T, lim sandbox.Limits) sandbox.Driver, options ...Option) {
	s := &suite{isolated: true, bare: true}
	for _, o := range options {
		o(s)
	}
	// Before the driver exists, so that it could be inherited.
	t.Setenv("SANDBOXTEST_SECRET", secret)
	s.driver = newDriver(t, sandbox.Limits{})
	t.Cleanup(func() {
		if err := s.driver.Close(); err != nil {
			t.Errorf("closing the driver: %v", err)
		}
	})
	for _, group := range [][]check{codeChecks, outputChecks, callChecks, forkChecks, endChecks, hostileChecks} {
		s.run(t, group)
	}
	if s.isolated {
		for _, group := range [][]check{isolationChecks, limitChecks} {
			s.run(t, group)
		}
		t.Run("probes", func(t *testing.T) { s.tryAll(t, probes) })
	}
	if s.roots != nil {
		t.Run("bombs", func(t *testing.T) { s.hostHolds(t, newDriver) })
	}
	if s.isolated && s.bare {
		s.run(t, imageChecks)
	}
}

// secret stands for whatever the host knows and the sandbox must not.
const secret = "a6f0c1d2-host-secret"

// check is one promise.
type check struct {
	name string // what is promised
	test func(t *testing.T, s *suite)
}

type suite struct {
	driver         sandbox.Driver
	isolated, bare bool
	ownKernel      bool
	roots          func() []int // nil where the host is not measured
}

func (s *suite) run(t *testing.T, checks []check) {
	for _, c := range checks {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) { c.test(t, s) })
	}
}

// WithLimits is a driver whose sandboxes have other limits of those that package
// sandbox enforces. What the driver enforces is as it was.
func WithLimits(d sandbox.Driver, lim sandbox.Limits) sandbox.Driver { return limited{d, lim} }

type limited struct {
	sandbox.Driver
	lim sandbox.Limits
}

func (l limited) Limits() sandbox.Limits {
	own := l.Driver.Limits()
	l.lim.Memory, l.lim.Pids, l.lim.CPUs, l.lim.Files, l.lim.TmpBytes = own.Memory, own.Pids, own.CPUs, own.Files, own.TmpBytes
	return l.lim
}

// open starts a sandbox that knows the test's tools, has these limits of those
// that package sandbox enforces, and is gone when the test is over.
func (s *suite) open(t *testing.T, lim sandbox.Limits) *sandbox.Sandbox {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sb, err := sandbox.Open(ctx, WithLimits(s.driver, lim))
	if err != nil {
		t.Fatalf("opening a sandbox: %v", err)
	}
	t.Cleanup(func() {
		if err := sb.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := sb.Init(ctx, tools); err != nil {
		t.Fatal(err)
	}
	return sb
}

// exec runs code in a sandbox of its own.
func (s *suite) exec(t *testing.T, code string) sandbox.Outcome {
	t.Helper()
	return s.execIn(t, s.open(t, sandbox.Limits{Deadline: 60 * time.Second}), code, (&host{}).call)
}

func (s *suite) execIn(t *testing.T, sb *sandbox.Sandbox, code string, call sandbox.CallFunc) sandbox.Outcome {
	t.Helper()
	o, err := sb.Exec(t.Context(), code, call)
	if err != nil {
		t.Fatalf("running code: %v", err)
	}
	return o
}

// fresh checks that the next sandbox works, whatever became of the last.
func (s *suite) fresh(t *testing.T) {
	t.Helper()
	wantStdout(t, s.exec(t, "print('fresh')"), "fresh\n")
}

// prints is a check that code finishes and prints exactly want.
func prints(name, code, want string) check {
	return check{name, func(t *testing.T, s *suite) {
		t.Helper()
		wantStdout(t, s.exec(t, code), want)
	}}
}

// passes is a check whose assertions are made inside the sandbox.
func passes(name, code string) check { return prints(name, code+"\nprint('ok')\n", "ok\n") }

// fails is a check that code ends with an error that holds want, without
// being stopped.
func fails(name, code, want string) check {
	return check{name, func(t *testing.T, s *suite) {
		t.Helper()
		o := s.exec(t, code)
		if o.Stopped || !strings.Contains(o.Error, want) {
			t.Errorf("got %+v, want an error with %q", o, want)
		}
	}}
}

// stops is a check that code is stopped for the reason that starts with want,
// and that the next sandbox works.
func stops(name string, lim sandbox.Limits, code, want string) check {
	return check{name, func(t *testing.T, s *suite) {
		t.Helper()
		if lim.Deadline == 0 {
			lim.Deadline = 60 * time.Second
		}
		sb := s.open(t, lim)
		o := s.execIn(t, sb, code, (&host{}).call)
		if !o.Stopped || !strings.HasPrefix(o.Error, "stopped: "+want) {
			t.Errorf("got %+v, want it stopped: %s", o, want)
		}
		if _, err := sb.Exec(t.Context(), "pass", nil); err == nil {
			t.Error("a stopped sandbox ran code again")
		}
		s.fresh(t)
	}}
}

// wantStdout checks that code finished and printed exactly this.
func wantStdout(t *testing.T, o sandbox.Outcome, want string) {
	t.Helper()
	if o.Stdout != want || o.Error != "" || o.Stopped {
		t.Errorf("got %+v, want it to finish with stdout %q", o, want)
	}
}

var tools = []wire.Tool{
	{Name: "echo", ID: "toy/echo", Stub: stub("echo", "Give the arguments back.")},
	{Name: "fail", ID: "toy/fail", Stub: stub("fail", "Refuse every call.")},
	{Name: "big", ID: "toy/big", Stub: stub("big", "Give back a text of this many bytes.")},
	{Name: "slow", ID: "toy/slow", Stub: stub("slow", "Answer only when cancelled.")},
}

func stub(name, text string) string {
	return fmt.Sprintf("async def %s(params: dict) -> str:\n    \"\"\"\n    %s\n    \"\"\"\n", name, text)
}

// host answers calls and remembers what it saw.
type host struct {
	delay            time.Duration // before each answer
	together         int64         // no call is answered before so many were under way at once
	count, now, most atomic.Int64

	mu    sync.Mutex
	calls []wire.Call // guarded by mu
}

func (h *host) call(ctx context.Context, c wire.Call) wire.Reply {
	h.count.Add(1)
	defer h.now.Add(-1)
	for n := h.now.Add(1); ; {
		most := h.most.Load()
		if n <= most || h.most.CompareAndSwap(most, n) {
			break
		}
	}
	h.mu.Lock()
	h.calls = append(h.calls, c)
	h.mu.Unlock()
	for h.most.Load() < h.together && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(h.delay)
	switch c.Tool {
	case "toy/fail":
		return wire.Reply{Err: &wire.CallError{
			Tool: c.Tool, Code: "tool_not_allowed", Codes: []string{"tool_not_allowed", "rule_not_met"}, Message: "refused",
		}}
	case "toy/big":
		return wire.Reply{Text: strings.Repeat("x", size(c.Args))}
	case "toy/slow":
		<-ctx.Done()
		return wire.Reply{Err: &wire.CallError{Tool: c.Tool, Code: "timeout", Codes: []string{"timeout"}, Message: "too slow"}}
	}
	text, err := json.Marshal(c.Args)
	if err != nil {
		return wire.Reply{Err: &wire.CallError{Tool: c.Tool, Code: "tool_error", Codes: []string{"tool_error"}, Message: err.Error()}}
	}
	return wire.Reply{Text: string(text), Structured: true}
}

func (h *host) seen() []wire.Call {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls
}

// size is the member "bytes" of arguments, or 0.
func size(args any) int {
	object, _ := args.(map[string]any)
	number, _ := object["bytes"].(json.Number)
	n, _ := number.Int64()
	return int(n)
}
