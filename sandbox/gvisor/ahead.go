//go:build linux && (amd64 || arm64)

package gvisor

import (
	"sync"
	"time"
)

// calm is how long nothing must have been started before a sentry is started ahead. It is
// also the time between two such starts.
const calm = 50 * time.Millisecond

// ahead keeps sentries that have been started and hold nothing yet: no state, no process,
// no foreign code. To make a sentry is more than half of a start, so with one of these a
// sandbox starts in less than half the time. A kept sentry takes a fifth of the memory of
// a sandbox. Each is used once, like all sentries.
type ahead struct {
	most  int
	begin func() (*sentry, error)
	work  sync.WaitGroup // the start under way

	mu     sync.Mutex // guards what follows
	closed bool
	ready  []*sentry
	busy   int         // starts of sandboxes under way
	timer  *time.Timer // the next start of a sentry; nil: none is due
}

func newAhead(most int, begin func() (*sentry, error)) *ahead {
	a := &ahead{most: most, begin: begin}
	a.later()
	return a
}

// take returns a sentry, or nil if there is none. Until done is called no other is
// started, since the start that took it needs the processors.
func (a *ahead) take() *sentry {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.busy++
	for len(a.ready) > 0 {
		s := a.ready[0]
		a.ready = a.ready[1:]
		if s.alive() {
			return s
		}
		s.release()
	}
	return nil
}

// done ends what take began.
func (a *ahead) done() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.busy--; a.busy == 0 {
		a.later()
	}
}

// later makes sure that another sentry is started if one is missing. Called with mu
// held, or before another goroutine can use a.
func (a *ahead) later() {
	if a.closed || len(a.ready) >= a.most {
		return
	}
	if a.timer == nil {
		a.timer = time.AfterFunc(calm, a.start)
	} else {
		a.timer.Reset(calm)
	}
}

// start starts a sentry if nothing else has been started lately.
func (a *ahead) start() {
	a.mu.Lock()
	if a.closed || a.busy > 0 || len(a.ready) >= a.most {
		a.mu.Unlock()
		return
	}
	a.work.Add(1)
	defer a.work.Done()
	a.mu.Unlock()

	s, err := a.begin()

	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err != nil: // a start that needs one will fail too and report it; done tries again
	case a.closed:
		s.abandon()
	default:
		a.ready = append(a.ready, s)
		a.later()
	}
}

// close ends those that are left, without waiting for them to be gone.
func (a *ahead) close() {
	a.mu.Lock()
	a.closed = true
	if a.timer != nil {
		a.timer.Stop()
	}
	left := a.ready
	a.ready = nil
	a.mu.Unlock()
	for _, s := range left {
		s.abandon()
	}
	a.work.Wait()
}
