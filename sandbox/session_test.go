//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/protocol"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

func TestOpenRefusesARunnerThatDoesNotBehave(t *testing.T) {
	for name, test := range map[string]struct {
		play func(*scripted)
		exit sandbox.Exit
		want string
	}{
		"another version": {func(m *scripted) { m.say(`{"op":"ready","version":1}`); m.hear() }, sandbox.Exit{}, "version 1 of the protocol, not 2"},
		"garbage":         {func(m *scripted) { m.say(`Traceback`); m.hear() }, sandbox.Exit{}, "protocol violation"},
		"a call":          {func(m *scripted) { m.say(`{"op":"call","id":1,"tool":"x","args":{}}`); m.hear() }, sandbox.Exit{}, "protocol violation"},
		"an end":          {func(m *scripted) {}, sandbox.Exit{Code: 3, Detail: "no such file"}, "(exit status 3): no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &puppet{play: test.play, exit: test.exit}
			_, err := sandbox.Open(t.Context(), p)
			if err == nil || !strings.HasPrefix(err.Error(), "starting the runner in a puppet sandbox: ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
			p.last.Wait() // it was ended
		})
	}
}

func TestOpenGivesUpWithItsContext(t *testing.T) {
	p := &puppet{play: func(m *scripted) { m.hear() }}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := sandbox.Open(ctx, p)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	p.last.Wait()
}

func TestWhatBreaksTheProtocolEndsTheRun(t *testing.T) {
	callLine := func(id int) string { return fmt.Sprintf(`{"op":"call","id":%d,"tool":"a/b","args":{}}`, id) }
	many := func(n int) (lines []string) {
		for i := range n {
			lines = append(lines, callLine(i+1))
		}
		return lines
	}
	callOf := func(n int) string {
		return fmt.Sprintf(`{"op":"call","id":1,"tool":"a/b","args":["%s"]}`, strings.Repeat("x", n))
	}
	padded := func(n int) (lines []string) {
		for range n {
			lines = append(lines, `{"op":"out",`+strings.Repeat(" ", protocol.MaxLine-30)+`"text":"x"}`)
		}
		return lines
	}
	for name, test := range map[string]struct {
		lines []string
		why   string
	}{
		"a line that is not JSON":          {[]string{"hello"}, "not JSON"},
		"an empty line":                    {[]string{""}, "ends too early"},
		"an op of the host":                {[]string{`{"op":"exec","cell":1,"code":""}`}, `unknown op "exec"`},
		"an unknown op":                    {[]string{`{"op":"outs","text":"x"}`}, `unknown op "outs"`},
		"an unknown key":                   {[]string{`{"op":"out","text":"x","k":1}`}, `wrong keys for op "out"`},
		"a missing key":                    {[]string{`{"op":"call","id":1,"tool":"a/b"}`}, "wrong keys"},
		"a wrong type":                     {[]string{`{"op":"call","id":"1","tool":"a/b","args":{}}`}, "not a positive integer"},
		"duplicate keys in arguments":      {[]string{`{"op":"call","id":1,"tool":"a/b","args":{"x":{"y":1,"y":1}}}`}, `duplicate key at "/args/x/y"`},
		"a line too long":                  {[]string{strings.Repeat("x", protocol.MaxLine+1)}, "a line of more than 1048576 bytes"},
		"a call id that comes twice":       {[]string{callLine(1), callLine(1)}, "call id 1 after 1"},
		"a call id that goes back":         {[]string{callLine(5), callLine(3)}, "call id 3 after 5"},
		"a cancelled call that never was":  {[]string{callLine(1), `{"op":"cancel","id":2}`}, "call 2 is cancelled"},
		"a call cancelled twice":           {[]string{callLine(1), `{"op":"cancel","id":1}`, `{"op":"cancel","id":1}`}, "call 1 is cancelled"},
		"ready again":                      {[]string{`{"op":"ready","version":2}`}, `"ready" during a cell`},
		"the end of a cell that never was": {[]string{`{"op":"done","cell":2,"error":null}`}, "done with cell 2 during cell 1"},
		"more calls at once than allowed":  {many(65), "more than 64 calls at once"},
		"a call with arguments too large":  {[]string{callOf(72 << 10)}, "a call of 73773 bytes, with arguments of at most 65536"},
		"output in lines of white space":   {padded(33), "bytes of lines for"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &puppet{play: func(m *scripted) {
				m.ready()
				for _, line := range test.lines {
					m.say("%s", line)
				}
				for m.hear() != "" { // until it is killed
				}
			}}
			var calls atomic.Int64
			s, o := p.run(t, sandbox.Limits{}, func(ctx context.Context, _ wire.Call) wire.Reply {
				calls.Add(1)
				<-ctx.Done()
				return wire.Reply{}
			})
			if !o.Stopped || o.Error != "stopped: protocol violation" || !strings.Contains(o.Detail, test.why) || strings.Contains(o.Error, test.why) {
				t.Errorf("got %+v, want %q in the detail", o, test.why)
			}
			if !p.last.killed.Load() || s.Alive() || calls.Load() > 64 {
				t.Errorf("killed %v, alive %v, %d calls", p.last.killed.Load(), s.Alive(), calls.Load())
			}
			if _, err := s.Exec(t.Context(), "more", echo); !errors.Is(err, sandbox.ErrGone) || !strings.Contains(err.Error(), "protocol violation") {
				t.Errorf("Exec afterwards: %v", err)
			}
		})
	}
}

func TestAnEndOfTheSandboxSaysHow(t *testing.T) {
	for _, test := range []struct {
		exit sandbox.Exit
		want string
	}{
		{sandbox.Exit{Code: 0}, "stopped: the sandbox ended (exit status 0)"},
		{sandbox.Exit{Code: 7}, "stopped: the sandbox ended (exit status 7)"},
		{sandbox.Exit{Code: 134}, "stopped: the sandbox ended (killed by signal 6)"},
		{sandbox.Exit{Code: 70}, "stopped: the code closed descriptors that the sandbox needs"},
		{sandbox.Exit{Code: -1}, "stopped: the sandbox ended"},
		{sandbox.Exit{Code: 137, Memory: true}, "stopped: out of memory (256 MiB)"},
	} {
		test.exit.Detail = "/host/path: for the operator"
		p := &puppet{exit: test.exit, play: func(m *scripted) {
			m.ready()
			m.say(`{"op":"out","text":"before"}`)
			io.WriteString(m.out, `{"op":"out","text":"cut off`)
		}}
		s, o := p.run(t, sandbox.Limits{}, echo)
		want := sandbox.Outcome{Stdout: "before", Error: test.want, Stopped: true, Detail: "/host/path: for the operator"}
		if diff := cmp.Diff(want, o); diff != "" {
			t.Error(diff)
		}
		if _, err := s.Exec(t.Context(), "more", echo); !errors.Is(err, sandbox.ErrGone) {
			t.Errorf("Exec afterwards: %v", err)
		}
	}
}

// At the deadline the sandbox is dead, whatever a call is doing; Exec itself
// returns when its calls have.
func TestTheDeadlineHoldsWhateverACallDoes(t *testing.T) {
	p := &puppet{play: func(m *scripted) {
		m.ready()
		m.say(`{"op":"call","id":1,"tool":"a/b","args":{}}`)
		m.hear()
	}}
	release, cancelled := make(chan struct{}), make(chan struct{})
	returned := make(chan sandbox.Outcome, 1)
	go func() {
		_, o := p.run(t, sandbox.Limits{Deadline: time.Second}, func(ctx context.Context, _ wire.Call) wire.Reply {
			<-ctx.Done()
			close(cancelled)
			<-release // deaf to its context for a while
			return wire.Reply{Text: "too late"}
		})
		returned <- o
	}()
	select {
	case <-cancelled:
	case o := <-returned:
		t.Fatalf("no call: %+v", o)
	}
	p.last.Wait() // dead
	select {
	case <-returned:
		t.Error("Exec returned before its call")
	case <-time.After(20 * time.Millisecond):
	}
	close(release)
	if o := <-returned; o.Error != "stopped: deadline of 1 s reached" || !o.Stopped {
		t.Errorf("got %+v", o)
	}
}

// A call that fails because its run is cancelled is no reason for code to end as
// if it had not been.
func TestCodeThatIsBeingStoppedHearsNothing(t *testing.T) {
	p := &puppet{dying: 50 * time.Millisecond, play: func(m *scripted) {
		m.ready()
		m.say(`{"op":"call","id":1,"tool":"a/b","args":{}}`)
		if m.hear() != "" {
			m.say(`{"op":"done","cell":1,"error":null}`)
		}
	}}
	s, err := sandbox.Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o, err := s.Exec(ctx, "code", func(context.Context, wire.Call) wire.Reply {
		cancel()
		return wire.Reply{Text: "cancelled"}
	})
	if diff := cmp.Diff(sandbox.Outcome{Error: "stopped: cancelled", Stopped: true}, o); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func TestARunnerThatNeverReadsIsStoppedAtTheDeadline(t *testing.T) {
	p := &puppet{play: func(m *scripted) {
		m.say(`{"op":"ready","version":2}`)
		<-m.done
	}}
	if _, o := p.run(t, sandbox.Limits{Deadline: 50 * time.Millisecond}, echo); o.Error != "stopped: deadline of 0.05 s reached" {
		t.Errorf("got %+v", o)
	}
}

func TestARunnerThatClosesItsOutputIsEnded(t *testing.T) {
	p := &puppet{exit: sandbox.Exit{Code: 9}, play: func(m *scripted) {
		m.ready()
		m.out.Close()
		time.Sleep(20 * time.Millisecond)
	}}
	if _, o := p.run(t, sandbox.Limits{}, echo); o.Error != "stopped: the sandbox ended (exit status 9)" {
		t.Errorf("got %+v", o)
	}
}

// The reply to a call that the cell did not wait for must not reach the next
// cell, where the runner has forgotten it.
func TestCallsUnderWayWhenACellEndsAreCancelledAndForgotten(t *testing.T) {
	heard := make(chan string, 10)
	p := &puppet{play: func(m *scripted) {
		m.ready()
		m.say(`{"op":"call","id":1,"tool":"a/slow","args":{}}`)
		m.say(`{"op":"done","cell":1,"error":null}`)
		heard <- m.hear()
		m.say(`{"op":"call","id":2,"tool":"a/fast","args":{}}`)
		heard <- m.hear()
		m.say(`{"op":"done","cell":2,"error":"text"}`)
		m.hear()
	}}
	slow := func(ctx context.Context, c wire.Call) wire.Reply {
		if c.ID == 1 {
			<-ctx.Done()
		}
		return wire.Reply{Text: c.Tool}
	}
	s, o := p.run(t, sandbox.Limits{}, slow)
	if diff := cmp.Diff(sandbox.Outcome{}, o); diff != "" {
		t.Error(diff)
	}
	o, err := s.Exec(t.Context(), "second", slow)
	if diff := cmp.Diff(sandbox.Outcome{Error: "text"}, o); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	want := []string{`{"op":"exec","cell":2,"code":"second"}`, `{"op":"result","id":2,"text":"a/fast"}`}
	if diff := cmp.Diff(want, []string{<-heard, <-heard}); diff != "" {
		t.Error(diff)
	}
}

func TestErrorTextsAreBounded(t *testing.T) {
	p := &puppet{play: func(m *scripted) {
		m.ready()
		m.say(`{"op":"done","cell":1,"error":"%s"}`, strings.Repeat("é", 100_000)+"end")
		m.hear()
	}}
	_, o := p.run(t, sandbox.Limits{}, echo)
	if len(o.Error) > 2<<10 || !strings.HasSuffix(o.Error, "éend") || strings.ContainsRune(o.Error, '\uFFFD') {
		t.Errorf("%d bytes: %.10q", len(o.Error), o.Error)
	}
}

func TestWithoutACallFuncEveryCallIsRefused(t *testing.T) {
	s := open(t)
	if err := s.Init(t.Context(), []wire.Tool{{Name: "call", ID: "a/call"}}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Exec(t.Context(), "await call()", nil)
	if err != nil || o.Stopped || !strings.HasSuffix(o.Error, "ToolError: there are no tools here") {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestOneCellAtATime(t *testing.T) {
	s := open(t)
	if err := s.Init(t.Context(), []wire.Tool{{Name: "call", ID: "a/call"}}); err != nil {
		t.Fatal(err)
	}
	inside, release := make(chan struct{}), make(chan struct{})
	done := make(chan sandbox.Outcome)
	go func() {
		o, err := s.Exec(t.Context(), "await call()", func(context.Context, wire.Call) wire.Reply {
			close(inside)
			<-release
			return wire.Reply{Text: "x"}
		})
		if err != nil {
			t.Error(err)
		}
		done <- o
	}()
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := s.Exec(ctx, "1", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second cell that gave up: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() { close(release) })
	if o, err := s.Exec(t.Context(), "2", nil); err != nil || o.Stdout != "2\n" {
		t.Errorf("a second cell that waited: %+v, %v", o, err)
	}
	if o := <-done; o.Stdout != "'x'\n" {
		t.Errorf("the first cell: %+v", o)
	}
}

func TestCloseDuringACellStopsIt(t *testing.T) {
	s := open(t)
	time.AfterFunc(50*time.Millisecond, func() { s.Close() })
	o, err := s.Exec(t.Context(), "while True: pass", nil)
	if err != nil || o.Error != "stopped: closed" || !o.Stopped {
		t.Errorf("got %+v, %v", o, err)
	}
	for name, err := range map[string]error{"Init": s.Init(t.Context(), nil), "Ping": s.Ping(t.Context())} {
		if !errors.Is(err, sandbox.ErrGone) {
			t.Errorf("%s afterwards: %v", name, err)
		}
	}
	s.Close()
}
