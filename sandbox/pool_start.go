package sandbox

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// After failures, refills wait longer and longer. A start for a Take never waits.
const (
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
	p.lastTake = time.Now()
	p.load.take(p.lastTake, len(p.idle) > 0, p.held())
	if len(p.idle) > 0 {
		s = p.idle[0]
		p.idle = slices.Delete(p.idle, 0, 1)
		p.adjust()
		p.mu.Unlock()
		return s, true, nil
	}
	o := &order{ready: make(chan delivery, 1)}
	p.orders = append(p.orders, o)
	p.adjust()
	p.mu.Unlock()
	select {
	case d := <-o.ready:
		return d.s, false, d.err
	case <-ctx.Done():
		p.withdraw(o)
		return nil, false, context.Cause(ctx)
	}
}

// withdraw gives up an order. A sandbox that was delivered already goes to the next order.
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

// adjust ends sandboxes that are too many and begins the starts that are due. It is
// called with mu held, after every change that it depends on.
func (p *Pool) adjust() {
	if p.closed {
		return
	}
	now := time.Now()
	p.load.forget(now, p.held())
	for len(p.idle) > p.load.keep() {
		p.idle[0].Kill()
		p.idle = slices.Delete(p.idle, 0, 1)
	}
	if len(p.idle) >= p.load.keep() {
		p.load.full()
	}
	n, until := p.pace(now).starts()
	for range n {
		p.starting++
		p.work.Go(p.start)
	}
	if due := p.load.due(); until.IsZero() || !due.IsZero() && due.Before(until) {
		until = due
	}
	p.adjustAt(now, until)
}

// held is the number of sandboxes that are ready or being started. Called with mu
// held.
func (p *Pool) held() int { return len(p.idle) + p.starting }

// pace collects what the next starts depend on. Called with mu held.
func (p *Pool) pace(now time.Time) pace {
	return pace{
		now: now, processors: runtime.GOMAXPROCS(0),
		keep: p.load.keep(), idle: len(p.idle), starting: p.starting,
		waiting: len(p.orders), running: p.taken, burst: p.load.burst,
		lastTake: p.lastTake, lastEnd: p.lastEnd, failed: p.backoff > 0, notBefore: p.notBefore,
	}
}

// adjustAt makes sure that adjust is called at that time, or never if it is zero.
// Called with mu held.
func (p *Pool) adjustAt(now, then time.Time) {
	switch {
	case then.IsZero():
		if p.timer != nil {
			p.timer.Stop()
		}
	case p.timer == nil:
		p.timer = time.AfterFunc(then.Sub(now), func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.adjust()
		})
	default:
		p.timer.Reset(then.Sub(now))
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
		p.all[s] = m
		p.work.Go(func() { p.watch(s) })
		p.deliver(s)
	}
	p.adjust()
}

func (p *Pool) open() (*Sandbox, *member, error) {
	ctx, cancel := context.WithTimeout(p.ctx, startTimeout)
	defer cancel()
	s, err := Open(ctx, p.driver)
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
	case len(p.idle) < p.load.keep() && s.Alive():
		p.idle = append(p.idle, s)
	default:
		s.Kill()
	}
}

// failed handles a start that failed. If there are fewer other starts under way than
// Takes that wait, the Take that has waited longest gets the error. Called with mu
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

// watch waits until a sandbox is gone and then frees its place.
func (p *Pool) watch(s *Sandbox) {
	<-s.dead
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all[s].taken {
		p.nextTurn()
		p.lastEnd = time.Now()
	}
	delete(p.all, s)
	if i := slices.Index(p.idle, s); i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
		p.opts.Logger.Warn("a warm sandbox died while it waited", "exit_code", s.exit.Code, "detail", s.exit.Detail)
		p.slowDown()
	}
	p.adjust()
}

// tellIdle tells warm sandboxes the current tools, one by one. While a sandbox is being
// told, it counts as being started, so that a Take waits for it.
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
		p.adjust()
	}
}
