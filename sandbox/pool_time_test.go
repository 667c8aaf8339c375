//go:build linux

package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// paper is a driver whose machines are goroutines, so that whole minutes of a pool pass in
// a synctest bubble at once. The code they run is a duration: how long it takes.
type paper struct {
	starts, live atomic.Int64
	away         atomic.Bool // Start fails
}

// startTime is how long a start takes.
const startTime = 75 * time.Millisecond

func (p *paper) Name() string           { return "paper" }
func (p *paper) Limits() sandbox.Limits { return sandbox.Limits{} }
func (p *paper) Close() error           { return nil }

func (p *paper) Start(ctx context.Context) (sandbox.Instance, error) {
	p.starts.Add(1)
	select {
	case <-time.After(startTime):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if p.away.Load() {
		return nil, errAway
	}
	p.live.Add(1)
	m := &paperMachine{dead: make(chan struct{})}
	m.theirIn, m.Writer = io.Pipe()
	m.Reader, m.theirOut = io.Pipe()
	m.gone = func() { p.live.Add(-1); close(m.dead) }
	go m.work()
	return m, nil
}

type paperMachine struct {
	io.Reader
	io.Writer
	theirIn  *io.PipeReader
	theirOut *io.PipeWriter
	once     sync.Once
	gone     func()
	dead     chan struct{}
}

func (m *paperMachine) OnStderr(func(int)) {}

func (m *paperMachine) Kill() {
	m.once.Do(func() {
		m.theirIn.Close()
		m.theirOut.Close()
		m.gone()
	})
}

func (m *paperMachine) Wait() sandbox.Exit { <-m.dead; return sandbox.Exit{Code: -1} }

// work is the runner: it is ready after every line but that of a cell, which ends after its
// time.
func (m *paperMachine) work() {
	const ready = `{"op":"ready","version":2}` + "\n"
	_, err := io.WriteString(m.theirOut, ready)
	for lines := bufio.NewScanner(m.theirIn); err == nil && lines.Scan(); {
		answer := ready
		if _, code, ok := strings.Cut(lines.Text(), `"code":"`); ok {
			took, _ := time.ParseDuration(strings.TrimSuffix(code, `"}`))
			select {
			case <-time.After(took):
			case <-m.dead:
			}
			answer = `{"op":"done","cell":1,"error":null}` + "\n"
		}
		_, err = io.WriteString(m.theirOut, answer)
	}
}

// paperPool is a pool of them, for the bubble of a test, which is calm when it is returned.
func paperPool(t *testing.T, o sandbox.PoolOptions) (*sandbox.Pool, *paper) {
	t.Helper()
	d := &paper{}
	p, err := sandbox.NewPool(d, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Close()
		if n := d.live.Load(); n != 0 {
			t.Errorf("%d sandboxes left", n)
		}
	})
	time.Sleep(time.Minute)
	return p, d
}

// runTime is how long a program takes that runs makes.
const runTime = 2 * time.Millisecond

// runs makes programs run one after the other, and returns how long it took from the first
// request to the last answer.
func runs(t *testing.T, p *sandbox.Pool, n int) time.Duration {
	t.Helper()
	begin := time.Now()
	for range n {
		s := take(t, p)
		if _, err := s.Exec(t.Context(), runTime.String(), nil); err != nil {
			t.Error(err)
		}
		s.Kill()
	}
	return time.Since(begin)
}

func TestABurstFindsAsManyReadyAsTheLastOneTook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, d := paperPool(t, sandbox.PoolOptions{Warm: 2, MaxWarm: 16}.WithMemory(64<<30))
		first := runs(t, p, 6)
		t.Logf("six took %v with two ready", first)
		if first < startTime {
			t.Error("that is less than a start")
		}
		time.Sleep(time.Second)
		if n := p.Idle(); n != 6 {
			t.Errorf("%d are ready after six were taken", n)
		}
		if again := runs(t, p, 6); again != 6*runTime {
			t.Errorf("six more took %v", again)
		}
		time.Sleep(5 * time.Minute)
		if n, live := p.Idle(), d.live.Load(); n != 2 || live != 2 {
			t.Errorf("%d are ready and %d alive when nothing was done for long", n, live)
		}
	})
}

func TestWarmAloneIsAFixedNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := paperPool(t, sandbox.PoolOptions{Warm: 3}.WithMemory(64<<30))
		runs(t, p, 20)
		for range 60 {
			time.Sleep(100 * time.Millisecond)
			if n := p.Idle(); n > 3 {
				t.Fatalf("%d are ready", n)
			}
		}
		if n := p.Idle(); n != 3 {
			t.Errorf("%d are ready", n)
		}
	})
}

func TestAPoolDoesNotGrowBeyondItsMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, d := paperPool(t, sandbox.PoolOptions{Warm: 1, MaxWarm: 16}.WithMemory(1<<30))
		runs(t, p, 20)
		time.Sleep(10 * time.Second)
		if n := d.live.Load(); n < 4 || n > 5 { // a quarter of 1 GiB, and of what is held
			t.Errorf("%d are kept", n)
		}
	})
}

func TestTheLastOneIsReplacedBeforeItsRunEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := paperPool(t, sandbox.PoolOptions{Warm: 1})
		s := take(t, p)
		time.Sleep(startTime)
		synctest.Wait()
		if n := p.Idle(); n != 1 {
			t.Errorf("%d are ready while the run goes on", n)
		}
		s.Kill()
	})
}

func TestARunIsLeftAloneWhileAnotherSandboxIsWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, d := paperPool(t, sandbox.PoolOptions{Warm: 2})
		s := take(t, p)
		time.Sleep(499 * time.Millisecond)
		if n := d.starts.Load(); n != 2 {
			t.Errorf("%d starts beside the run", n-2)
		}
		time.Sleep(2*time.Millisecond + startTime)
		if n := p.Idle(); n != 2 {
			t.Errorf("%d are ready beside a run that goes on", n)
		}
		s.Kill()
	})
}

func TestARunThatEndsIsReplacedSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, d := paperPool(t, sandbox.PoolOptions{Warm: 2})
		runs(t, p, 1)
		time.Sleep(9 * time.Millisecond)
		if n := d.starts.Load(); n != 2 {
			t.Errorf("%d starts when another run might follow at once", n-2)
		}
		time.Sleep(2*time.Millisecond + startTime)
		if n := p.Idle(); n != 2 {
			t.Errorf("%d are ready", n)
		}
	})
}

func TestATakeGetsTheRefillThatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, d := paperPool(t, sandbox.PoolOptions{Warm: 1})
		take(t, p).Kill()
		time.Sleep(startTime - time.Millisecond)
		starts := d.starts.Load()
		begin := time.Now()
		s := take(t, p)
		if waited := time.Since(begin); starts != 2 || waited != time.Millisecond {
			t.Errorf("it waited %v for one of %d refills", waited, starts-1)
		}
		s.Kill()
	})
}

func TestAnEngineThatGoesAwayAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, d := paperPool(t, sandbox.PoolOptions{Warm: 2})
		d.away.Store(true)
		for range 2 {
			take(t, p).Kill()
		}
		starts := d.starts.Load()
		for range 3 {
			if _, err := p.Take(t.Context()); !errors.Is(err, errAway) || !strings.Contains(err.Error(), "starting a paper sandbox") {
				t.Errorf("Take: %v", err)
			}
		}
		time.Sleep(time.Hour)
		if n := d.starts.Load() - starts; n < 100 || n > 140 { // every 30 s in the end
			t.Errorf("%d starts in an hour without an engine", n)
		}
		d.away.Store(false)
		begin := time.Now()
		s := take(t, p) // at once, whatever the refill waits for
		if waited := time.Since(begin); waited > startTime {
			t.Errorf("the first Take waited %v", waited)
		}
		s.Kill()
		time.Sleep(time.Minute)
		if n := p.Idle(); n != 2 {
			t.Errorf("%d are ready again", n)
		}
	})
}
