//go:build linux && (amd64 || arm64)

package gvisor

import (
	"context"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// readyAhead waits for the first sentry that has been started ahead.
func readyAhead(t *testing.T, d *Driver) *sentry {
	t.Helper()
	for range 3000 {
		d.ahead.mu.Lock()
		ready := d.ahead.ready
		d.ahead.mu.Unlock()
		if len(ready) > 0 {
			return ready[0]
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no sentry is started ahead")
	return nil
}

// started starts a sandbox, lets it run a program, and returns its process.
func started(t *testing.T, d *Driver) (pid int) {
	t.Helper()
	i, err := d.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pid = i.(*instance).cmd.Process.Pid
	s, err := sandbox.Open(t.Context(), given{d, i})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if o, err := s.Exec(t.Context(), "print(6 * 7)", nil); err != nil || o.Stdout != "42\n" {
		t.Errorf("got %+v, %v", o, err)
	}
	return pid
}

// given is a driver whose next start is there already.
type given struct {
	*Driver
	i sandbox.Instance
}

func (g given) Start(context.Context) (sandbox.Instance, error) { return g.i, nil }

func TestASentryStartedAheadIsUsedOnceAndReplaced(t *testing.T) {
	ownState(t)
	newTestDriver(t, Options{}).Close() // what is made once
	before := takeCensus(t)
	d, err := New(t.Context(), Options{Runner: sandbox.RunnerSource, Ahead: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		want := readyAhead(t, d).cmd.Process.Pid
		if got := started(t, d); got != want {
			t.Errorf("process %d was used, not %d, which was ready", got, want)
		}
	}
	readyAhead(t, d)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	settles(t, before)
}

func TestASentryThatDiedWhileItWaitedIsNotUsed(t *testing.T) {
	d := newTestDriver(t, Options{Ahead: 1})
	s := readyAhead(t, d)
	s.Kill()
	s.Wait()
	if got := started(t, d); got == s.cmd.Process.Pid {
		t.Error("the dead one was used")
	}
}

func TestASentryThatDoesNotWorkCostsNeitherTheStartNorTheSnapshot(t *testing.T) {
	d := newTestDriver(t, Options{Ahead: 1})
	s := readyAhead(t, d)
	s.control.close()
	if got := started(t, d); got == s.cmd.Process.Pid {
		t.Error("the broken one was used")
	}
	if d.warm.Load() == nil {
		t.Error("the snapshot is not used any more")
	}
}
