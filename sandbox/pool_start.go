package sandbox

import (
	"context"
	"slices"
	"time"
)

const (
	// refillDelay lets a short run finish before its replacement starts, so
	// that the start does not slow the run down. A longer one is left alone for
	// refillPatience while the next Take would still find a warm sandbox.
	refillDelay    = 10 * time.Millisecond
	refillPatience = 500 * time.Millisecond
	// refillAtOnce bounds starts that nobody waits for.
	refillAtOnce = 1
	// Refills after failures wait longer and longer; Takes never do.
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 30 * time.Second
)

// order is a Take that waits for a start.
type order struct {
	ready chan delivery // capacity 1
}

type delivery struct {
	s   *Sandbox
	err error
}

// next returns a sandbox for a Take that has its turn: a warm one, or else the
// first that a start brings.
func (p *Pool) next(ctx context.Context) (s *Sandbox, warm bool, err error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, false, ErrPoolClosed
	}
	if len(p.idle) > 0 {
		s = p.idle[0]
		p.idle = slices.Delete(p.idle, 0, 1)
		p.startMissing()
		p.mu.Unlock()
		return s, true, nil
	}
	o := &order{ready: make(chan delivery, 1)}
	p.orders = append(p.orders, o)
	p.startMissing()
	p.mu.Unlock()
	select {
	case d := <-o.ready:
		return d.s, false, d.err
	case <-ctx.Done():
		p.withdraw(o)
		return nil, false, context.Cause(ctx)
	}
}

// withdraw gives up an order. What was delivered already goes to the next.
func (p *Pool) withdraw(o *order) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.orders, o); i >= 0 {
		p.orders = slices.Delete(p.orders, i, i+1)
		return
	}
	if d := <-o.ready; d.s != nil {
		p.deliver(d.s)
	}
}

// startMissing starts what is missing: at once what Takes wait for, and
// otherwise, after a while, what is missing of Warm. A refill that is under
// way when a Take comes counts for the Take. Called with mu held.
func (p *Pool) startMissing() {
	if p.closed {
		return
	}
	want := len(p.orders)
	switch {
	case len(p.idle)+p.starting >= p.opts.Warm:
		p.missing = time.Time{}
	case want == 0:
		if wait := p.refillWait(); wait > 0 {
			p.startLater(wait)
		} else {
			want = min(p.opts.Warm-len(p.idle), refillAtOnce)
		}
	}
	for p.starting < want {
		p.starting++
		p.work.Go(p.start)
	}
}

// refillWait is how long the next refill has to wait. Called with mu held.
func (p *Pool) refillWait() time.Duration {
	now := time.Now()
	if p.missing.IsZero() {
		p.missing = now
	}
	delay := refillDelay
	if p.taken > 0 && len(p.idle) > 0 {
		delay = refillPatience
	}
	return max(p.missing.Add(delay).Sub(now), p.notBefore.Sub(now))
}

// startLater looks again at what is missing after a while, unless it is looked at
// before. Called with mu held.
func (p *Pool) startLater(wait time.Duration) {
	if p.refill == nil {
		p.refill = time.AfterFunc(wait, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.startMissing()
		})
	} else {
		p.refill.Reset(wait)
	}
}

// start starts one sandbox and delivers it, or the reason why there is none.
func (p *Pool) start() {
	s, m, err := p.open()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starting--
	if err != nil {
		p.failed(err)
	} else {
		p.missing = time.Time{}
		p.all[s] = m
		p.work.Go(func() { p.watch(s) })
		p.deliver(s)
	}
	p.startMissing()
}

func (p *Pool) open() (*Sandbox, *member, error) {
	ctx, cancel := context.WithTimeout(p.ctx, startTimeout)
	defer cancel()
	s, err := Open(ctx, p.driver, p.opts.Limits)
	if err != nil {
		return nil, nil, err
	}
	p.mu.Lock()
	m, line := &member{generation: p.generation}, p.initLine
	p.mu.Unlock()
	if line == nil {
		return s, m, nil
	}
	if err := s.initLine(ctx, line); err != nil {
		s.bury()
		return nil, nil, err
	}
	return s, m, nil
}

// deliver gives a sandbox to the Take that has waited longest, or keeps it.
// Called with mu held.
func (p *Pool) deliver(s *Sandbox) {
	switch {
	case p.closed:
		s.Kill()
	case len(p.orders) > 0:
		p.orders[0].ready <- delivery{s: s}
		p.orders = slices.Delete(p.orders, 0, 1)
	case len(p.idle) < p.opts.Warm && s.Alive():
		p.idle = append(p.idle, s)
	default:
		s.Kill()
	}
}

// failed takes note of a start that failed. Unless other starts are under way
// for all who wait, the one who has waited longest learns why. Called with mu
// held.
func (p *Pool) failed(err error) {
	p.slowDown()
	if len(p.orders) > p.starting {
		p.orders[0].ready <- delivery{err: err}
		p.orders = slices.Delete(p.orders, 0, 1)
	} else if !p.closed {
		p.opts.Logger.Warn("starting a warm sandbox failed", "error", err, "next_try_in", p.backoff)
	}
}

// slowDown makes the next refill wait longer than the last. Called with mu held.
func (p *Pool) slowDown() {
	p.backoff = min(max(2*p.backoff, firstBackoff), maxBackoff)
	p.notBefore = time.Now().Add(p.backoff)
}

// watch waits for a sandbox to be gone and frees what it held.
func (p *Pool) watch(s *Sandbox) {
	<-s.dead
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all[s].taken {
		p.nextTurn()
		if !p.missing.IsZero() {
			p.missing = time.Now() // another run may follow at once
		}
	}
	delete(p.all, s)
	if i := slices.Index(p.idle, s); i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
		p.opts.Logger.Warn("a warm sandbox died while it waited", "exit_code", s.exit.Code, "detail", s.exit.Detail)
		p.slowDown()
	}
	p.startMissing()
}

// tellIdle tells warm sandboxes the current tools, one by one. Meanwhile such a
// sandbox counts as being started, so that a Take waits for it.
func (p *Pool) tellIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		i := slices.IndexFunc(p.idle, func(s *Sandbox) bool { return p.all[s].generation != p.generation })
		if i < 0 || p.closed {
			return
		}
		s, line, generation := p.idle[i], p.initLine, p.generation
		p.idle = slices.Delete(p.idle, i, i+1)
		p.starting++
		p.mu.Unlock()
		ctx, cancel := context.WithTimeout(p.ctx, pingTimeout)
		err := s.initLine(ctx, line)
		cancel()
		p.mu.Lock()
		p.starting--
		if m := p.all[s]; err == nil && m != nil {
			m.generation = generation
			p.deliver(s)
		} else {
			s.Kill()
			p.slowDown()
			p.opts.Logger.Warn("a warm sandbox did not take the tools and is replaced", "error", err)
		}
		p.startMissing()
	}
}
