//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// calling is a runner that makes one call after the other, without end, and
// reads the answers.
func calling(m *scripted) {
	m.ready()
	go func() {
		for m.hear() != "" {
		}
	}()
	for id := 1; !m.killed.Load(); id++ {
		m.say(`{"op":"call","id":%d,"tool":"a/b","args":{}}`, id)
	}
}

// gated opens a puppet and executes one cell in it whose calls go to gate.
func (p *puppet) gated(t *testing.T, lim sandbox.Limits, gate sandbox.Gate) sandbox.Outcome {
	t.Helper()
	p.limits = lim
	s, err := sandbox.Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	o, err := s.ExecGated(t.Context(), "code", gate)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func reply() wire.Reply { return wire.Reply{Text: "ok"} }

// TestTheHostsWorkForARunIsAShareOfItsTime counts the calls that are looked at
// when each one costs the host 50 ms: those of a second that is saved up, and
// those that fit a quarter of the processors that the run may use.
func TestTheHostsWorkForARunIsAShareOfItsTime(t *testing.T) {
	for _, test := range []struct {
		cpus, seconds float64
		want          int64
	}{{1, 20, (1 + 5) * 20}, {1, 60, (1 + 15) * 20}, {2, 20, (1 + 10) * 20}, {0.1, 20, (1 + 0.5) * 20}} {
		synctest.Test(t, func(t *testing.T) {
			var calls atomic.Int64
			deadline := time.Duration(test.seconds * float64(time.Second))
			o := (&puppet{play: calling}).gated(t, sandbox.Limits{Deadline: deadline, CPUs: test.cpus}, func(context.Context, wire.Call) sandbox.Verdict {
				calls.Add(1)
				return sandbox.Verdict{Answer: reply, Work: 50 * time.Millisecond}
			})
			if want := fmt.Sprintf("stopped: deadline of %v s reached", test.seconds); o.Error != want {
				t.Errorf("got %+v", o)
			}
			if n := calls.Load(); n < test.want-2 || n > test.want+2 {
				t.Errorf("%v processors, %v s: %d calls were looked at, want %d", test.cpus, test.seconds, n, test.want)
			}
		})
	}
}

func TestWorkThatIsPaidForSlowsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		p := &puppet{play: func(m *scripted) {
			m.ready()
			for id := range 100 {
				m.say(`{"op":"call","id":%d,"tool":"a/b","args":{}}`, id+1)
				m.hear()
			}
			m.say(`{"op":"done","cell":1,"error":null}`)
			m.hear()
		}}
		o := p.gated(t, sandbox.Limits{}, func(context.Context, wire.Call) sandbox.Verdict {
			return sandbox.Verdict{Answer: reply, Work: 9 * time.Millisecond}
		})
		if took := time.Since(began); o.Error != "" || took != 0 {
			t.Errorf("after %v: %+v", took, o)
		}
	})
}

// TestACallIsDecidedBeforeTheNextIsRead: the arguments of at most one are held.
func TestACallIsDecidedBeforeTheNextIsRead(t *testing.T) {
	var now, most atomic.Int64
	var calls int
	(&puppet{play: calling}).gated(t, sandbox.Limits{}, func(context.Context, wire.Call) sandbox.Verdict {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		if calls++; calls == 500 { // no lock: there is one at a time
			return sandbox.Verdict{End: "that is enough"}
		}
		return sandbox.Verdict{Answer: reply}
	})
	if most.Load() != 1 {
		t.Errorf("%d at once", most.Load())
	}
}

func TestAGateCanEndTheRun(t *testing.T) {
	o := (&puppet{play: calling}).gated(t, sandbox.Limits{}, func(_ context.Context, c wire.Call) sandbox.Verdict {
		if c.ID == 3 {
			return sandbox.Verdict{End: "more than 2 refused calls"}
		}
		return sandbox.Verdict{Answer: reply}
	})
	if want := (sandbox.Outcome{Error: "stopped: more than 2 refused calls", Stopped: true}); o != want {
		t.Errorf("got %+v", o)
	}
}

// TestTheDeadlineHoldsForCodeThatIsDoneAndDoesNotRead: a result that is being written
// when the code says that it is done would be written for ever.
func TestTheDeadlineHoldsForCodeThatIsDoneAndDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &puppet{play: func(m *scripted) {
			m.ready()
			m.say(`{"op":"call","id":1,"tool":"a/b","args":{}}`)
			time.Sleep(time.Second) // until the result is being written
			m.say(`{"op":"done","cell":1,"error":null}`)
			<-m.done
		}}
		began := time.Now()
		s, _ := p.run(t, sandbox.Limits{Deadline: 10 * time.Second}, echo)
		if took := time.Since(began); took != 10*time.Second || s.Alive() {
			t.Errorf("after %v the sandbox is alive: %t", took, s.Alive())
		}
	})
}

func TestRawStderrIsOutputWheneverItComes(t *testing.T) {
	for name, play := range map[string]func(*scripted){
		"during a cell": func(m *scripted) {
			m.ready()
			for range 20 {
				m.stderr.Write(make([]byte, 100_000))
			}
		},
		"beside output": func(m *scripted) {
			m.ready()
			for range 6 {
				m.stderr.Write(make([]byte, 100_000))
				m.say(`{"op":"out","text":%q}`, strings.Repeat("x", 100_000))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &puppet{play: func(m *scripted) {
				play(m)
				for m.hear() != "" {
				}
			}}
			if _, o := p.run(t, sandbox.Limits{}, echo); o.Error != "stopped: more than 1 MiB of output" {
				t.Errorf("got %q, %v", o.Error, o.Stopped)
			}
		})
	}
	t.Run("before the first cell", func(t *testing.T) {
		p := &puppet{play: func(m *scripted) {
			m.stderr.Write(make([]byte, 2<<20))
			m.say(`{"op":"ready","version":2}`)
			m.hear()
		}}
		s, err := sandbox.Open(t.Context(), p)
		if err != nil {
			return
		}
		defer s.Close()
		if o, err := s.Exec(t.Context(), "1", nil); !errors.Is(err, sandbox.ErrGone) {
			t.Errorf("it ran code: %+v, %v", o, err)
		}
	})
}
