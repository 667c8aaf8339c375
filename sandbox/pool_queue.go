package sandbox

import (
	"context"
	"fmt"
	"slices"
)

// turn is a Take that waits for other runs to end.
type turn struct {
	ready chan error    // capacity 1: nil when its turn has come, an error when it never will
	moved chan struct{} // capacity 1: somebody ahead is gone
}

// awaitTurn returns when the caller may take a sandbox; it then holds one of
// MaxConcurrent places.
func (p *Pool) awaitTurn(ctx context.Context, queued func(ahead int)) error {
	p.mu.Lock()
	switch {
	case p.closed:
		p.mu.Unlock()
		return ErrPoolClosed
	case p.taken < p.opts.MaxConcurrent && len(p.turns) == 0:
		p.taken++
		p.mu.Unlock()
		return nil
	case len(p.turns) >= p.opts.MaxQueue:
		p.mu.Unlock()
		return fmt.Errorf("%w: %d run and %d wait, which is the limit", ErrQueueFull, p.opts.MaxConcurrent, p.opts.MaxQueue)
	}
	t := &turn{ready: make(chan error, 1), moved: make(chan struct{}, 1)}
	p.turns = append(p.turns, t)
	p.mu.Unlock()
	for told := -1; ; {
		if ahead := p.ahead(t); queued != nil && ahead >= 0 && ahead != told {
			queued(ahead)
			told = ahead
		}
		select {
		case err := <-t.ready:
			return err
		case <-t.moved:
		case <-ctx.Done():
			p.leaveQueue(t)
			return context.Cause(ctx)
		}
	}
}

// ahead is the number of turns before t, or -1 when t waits no longer.
func (p *Pool) ahead(t *turn) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Index(p.turns, t)
}

// leaveQueue takes t out of the queue. If its turn has already come, the next in the
// queue gets it.
func (p *Pool) leaveQueue(t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.turns, t); i >= 0 {
		p.turns = slices.Delete(p.turns, i, i+1)
		p.announce()
		return
	}
	if err := <-t.ready; err == nil {
		p.nextTurn()
	}
}

// giveTurnBack frees the place of a Take that got no sandbox.
func (p *Pool) giveTurnBack() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.nextTurn()
}

// nextTurn frees a place and gives it to the Take that has waited longest. Called
// with mu held.
func (p *Pool) nextTurn() {
	p.taken--
	if len(p.turns) == 0 {
		return
	}
	p.taken++
	p.turns[0].ready <- nil
	p.turns = slices.Delete(p.turns, 0, 1)
	p.announce()
}

// announce tells the waiting Takes that their place in the queue may have changed.
// Called with mu held.
func (p *Pool) announce() {
	for _, t := range p.turns {
		select {
		case t.moved <- struct{}{}:
		default: // it has not yet read the last announcement
		}
	}
}
