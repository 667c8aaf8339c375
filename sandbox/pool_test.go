//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

func newPool(t testing.TB, o sandbox.PoolOptions) (*sandbox.Pool, *faulty) {
	t.Helper()
	f := &faulty{Driver: newProcess(t)}
	return poolOf(t, f, o), f
}

func poolOf(t testing.TB, d sandbox.Driver, o sandbox.PoolOptions) *sandbox.Pool {
	t.Helper()
	p, err := sandbox.NewPool(d, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func take(t testing.TB, p *sandbox.Pool) *sandbox.Sandbox {
	t.Helper()
	s, err := p.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func stdout(t testing.TB, s *sandbox.Sandbox, code string) string {
	t.Helper()
	o, err := s.Exec(t.Context(), code, nil)
	if err != nil || o.Error != "" {
		t.Fatalf("%s: %+v, %v", code, o, err)
	}
	return o.Stdout
}

func TestWarmSandboxesAreReadyUsedOnceAndReplaced(t *testing.T) {
	p, f := newPool(t, sandbox.PoolOptions{Warm: 2})
	pids := map[string]bool{}
	for range 6 {
		eventually(t, "two are warm", func() bool { return p.Idle() == 2 })
		starts := f.starts.Load()
		s := take(t, p)
		pids[stdout(t, s, "import os\nos.getpid()")] = true
		if n := p.Idle(); n > 2 || f.starts.Load() > starts+1 {
			t.Errorf("%d idle, %d starts", n, f.starts.Load()-starts)
		}
		s.Kill()
	}
	if len(pids) != 6 {
		t.Errorf("6 runs in %d sandboxes", len(pids))
	}
}

func TestWithoutWarmOnesEachTakeStartsItsOwn(t *testing.T) {
	p, f := newPool(t, sandbox.PoolOptions{})
	for i := range 3 {
		s := take(t, p)
		stdout(t, s, "1")
		s.Close()
		if n := f.starts.Load(); n != int64(i+1) || p.Idle() != 0 {
			t.Errorf("%d starts after %d takes, %d idle", n, i+1, p.Idle())
		}
	}
}

func TestAWarmSandboxThatDiedIsReplaced(t *testing.T) {
	p, f := newPool(t, sandbox.PoolOptions{Warm: 1})
	eventually(t, "one is warm", func() bool { return p.Idle() == 1 })
	f.machines()[0].Kill()
	eventually(t, "another is warm", func() bool { return p.Idle() == 1 && len(f.machines()) == 2 })
	stdout(t, take(t, p), "1")
}

func TestAWarmSandboxThatDoesNotAnswerIsNotHandedOut(t *testing.T) {
	p, f := newPool(t, sandbox.PoolOptions{Warm: 1})
	eventually(t, "one is warm", func() bool { return p.Idle() == 1 })
	frozen := f.machines()[0]
	frozen.frozen.Store(true)
	stdout(t, take(t, p), "1")
	frozen.Wait() // it was ended
}

func TestSandboxesKnowTheCurrentTools(t *testing.T) {
	tool := func(name string) []wire.Tool { return []wire.Tool{{Name: name, ID: "toy/" + name, Stub: "stub"}} }
	p, f := newPool(t, sandbox.PoolOptions{Warm: 2})
	eventually(t, "two are warm", func() bool { return p.Idle() == 2 })
	p.SetTools(tool("a"))
	if got := stdout(t, take(t, p), "print(*TOOLS)"); got != "a\n" {
		t.Errorf("a warm one knows %q", got)
	}
	p.SetTools(tool("b"))
	p.SetTools(tool("c"))
	for range 3 {
		if got := stdout(t, take(t, p), "print(*TOOLS, 'a' in globals())"); got != "c False\n" {
			t.Errorf("it knows %q", got)
		}
	}
	if n := f.starts.Load(); n > 8 {
		t.Errorf("%d starts: warm ones were thrown away", n)
	}
}

func TestTakesBeyondTheLimitWaitInOrderAndKnowIt(t *testing.T) {
	p, _ := newPool(t, sandbox.PoolOptions{MaxConcurrent: 2, MaxQueue: 3})
	running := []*sandbox.Sandbox{take(t, p), take(t, p)}

	var mu sync.Mutex
	told, order := map[int][]int{}, []int{}
	var waiting sync.WaitGroup
	for i := range 3 {
		queued := make(chan struct{}, 10)
		waiting.Go(func() {
			s, err := p.TakeQueued(t.Context(), func(ahead int) {
				mu.Lock()
				told[i] = append(told[i], ahead)
				mu.Unlock()
				queued <- struct{}{}
			})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			s.Close()
		})
		<-queued
	}
	if _, err := p.Take(t.Context()); !errors.Is(err, sandbox.ErrQueueFull) || !strings.Contains(err.Error(), "2 run and 3 wait") {
		t.Errorf("a fourth was let in: %v", err)
	}
	running[0].Kill()
	waiting.Wait()
	running[1].Close()
	if diff := cmp.Diff([]int{0, 1, 2}, order); diff != "" {
		t.Errorf("order: %s", diff)
	}
	for i, ahead := range told { // a number may be skipped when two leave at once
		if ahead[0] != i || !slices.IsSortedFunc(ahead, func(a, b int) int { return b - a }) {
			t.Errorf("number %d was told %v", i, ahead)
		}
	}
}

func TestGivingUpWhileQueuedLetsTheOthersMove(t *testing.T) {
	p, _ := newPool(t, sandbox.PoolOptions{MaxConcurrent: 1})
	running := take(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	queued := make(chan int, 10)
	go func() {
		_, err := p.TakeQueued(ctx, func(ahead int) { queued <- ahead })
		first <- err
	}()
	<-queued
	go func() {
		s, err := p.TakeQueued(t.Context(), func(ahead int) { queued <- ahead })
		if err == nil {
			s.Close()
		}
		second <- err
	}()
	if ahead := <-queued; ahead != 1 {
		t.Errorf("%d ahead", ahead)
	}
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if ahead := <-queued; ahead != 0 {
		t.Errorf("%d ahead", ahead)
	}
	running.Close()
	if err := <-second; err != nil {
		t.Error(err)
	}
}

func TestGivingUpDuringAStartLeavesNothing(t *testing.T) {
	f := &faulty{Driver: newProcess(t), hold: make(chan struct{})}
	p := poolOf(t, f, sandbox.PoolOptions{MaxConcurrent: 1})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := p.Take(ctx)
		done <- err
	}()
	eventually(t, "it starts", func() bool { return f.starts.Load() == 1 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(f.hold)
	take(t, p).Close() // the place is free again
	eventually(t, "nothing is left", func() bool { return f.Driver.(interface{ Live() int }).Live() == 0 })
}

func TestClosingThePoolEndsEverything(t *testing.T) {
	d := newProcess(t)
	p := poolOf(t, d, sandbox.PoolOptions{Warm: 1, MaxConcurrent: 1})
	p.SetTools([]wire.Tool{{Name: "begun", ID: "a/begun"}})
	s := take(t, p)
	running, begun := make(chan sandbox.Outcome), make(chan struct{})
	go func() {
		o, err := s.Exec(t.Context(), "await begun()\nwhile True: pass", func(context.Context, wire.Call) wire.Reply {
			close(begun)
			return wire.Reply{}
		})
		if err != nil {
			t.Error(err)
		}
		running <- o
	}()
	<-begun
	waiting, queued := make(chan error), make(chan int, 1)
	go func() {
		_, err := p.TakeQueued(t.Context(), func(ahead int) { queued <- ahead })
		waiting <- err
	}()
	<-queued
	p.Close()
	if n := d.Live(); n != 0 {
		t.Errorf("%d sandboxes left", n)
	}
	if o := <-running; !o.Stopped || o.Error != "stopped: closed" {
		t.Errorf("got %+v", o)
	}
	if err := <-waiting; !errors.Is(err, sandbox.ErrPoolClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := p.Take(t.Context()); !errors.Is(err, sandbox.ErrPoolClosed) {
		t.Errorf("got %v", err)
	}
	p.SetTools(nil)
	p.Close()
}

func TestManyRunsAtOnceAndInARowLeaveNothing(t *testing.T) {
	d := newProcess(t)
	p := poolOf(t, d, sandbox.PoolOptions{Warm: 2, MaxConcurrent: 4})
	one := func() {
		s, err := p.Take(t.Context())
		if err != nil {
			t.Error(err)
			return
		}
		defer s.Kill()
		if o, err := s.Exec(t.Context(), "print(1)", nil); err != nil || o.Stdout != "1\n" {
			t.Errorf("got %+v, %v", o, err)
		}
	}
	round := func() (goroutines, files int) {
		var runs sync.WaitGroup
		for range 8 {
			runs.Go(one)
		}
		runs.Wait()
		eventually(t, "only the warm ones are left", func() bool { return p.Idle() == 2 && d.Live() == 2 })
		return runtime.NumGoroutine(), openFiles(t)
	}
	goroutines, files := round()
	eventually(t, "a second round leaves no more than the first", func() bool {
		g, f := round()
		return g <= goroutines && f <= files
	})
}

func openFiles(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(entries)
}

func TestAPoolUnderFireKeepsItsPromises(t *testing.T) {
	d := newProcess(t)
	f := &faulty{Driver: d}
	p := poolOf(t, f, sandbox.PoolOptions{Warm: 2, MaxConcurrent: 3, MaxQueue: 100})
	var work sync.WaitGroup
	stop := make(chan struct{})
	work.Go(func() { // somebody keeps killing sandboxes and changing the tools
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(15 * time.Millisecond):
			}
			if all := slices.Clone(f.machines()); len(all) > 0 && i%2 == 0 {
				all[len(all)-1].Kill()
			}
			p.SetTools([]wire.Tool{{Name: "t", ID: "a/t", Stub: "s"}})
		}
	})
	var runs sync.WaitGroup
	for i := range 12 {
		runs.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*100*time.Millisecond)
			defer cancel()
			for range 5 {
				s, err := p.Take(ctx)
				if err != nil {
					continue
				}
				_, _ = s.Exec(ctx, "1", nil)
				s.Kill()
			}
		})
	}
	runs.Wait()
	close(stop)
	work.Wait()
	eventually(t, "it works when the fire is over", func() bool { // a start may still be under way that was hit
		s, err := p.Take(t.Context())
		if err != nil {
			return false
		}
		defer s.Kill()
		o, err := s.Exec(t.Context(), "print(1)", nil)
		return err == nil && o.Stdout == "1\n"
	})
	p.Close()
	if n := d.Live(); n != 0 {
		t.Errorf("%d sandboxes left", n)
	}
}
