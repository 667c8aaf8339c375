package upstream

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// restartTime bounds one attempt to start a server again, listing included.
	restartTime = 30 * time.Second
	// shortLife is how soon after its start a server's death counts as a failure.
	shortLife = 10 * time.Second
	// The wait before an attempt is zero after the first failure in a row, then
	// firstDelay, and doubles with each further failure.
	firstDelay, maxDelay = 100 * time.Millisecond, 30 * time.Second
	// patience is how long a call waits for an attempt to begin.
	patience = time.Second
)

// attempt is one try to start the server again. All calls that need it share it.
type attempt struct {
	done chan struct{} // closed when it is over
	err  error
}

// running returns the running server and starts it again if it died.
func (u *Upstream) running(ctx context.Context) (*peer, error) {
	for {
		if p := u.live.Load(); !p.isDead() {
			return p, nil
		}
		a, err := u.restart()
		if err != nil {
			return nil, err
		}
		if a == nil {
			continue // another call has restarted it
		}
		select {
		case <-a.done:
			if a.err != nil {
				return nil, fmt.Errorf("%w: starting it again: %w", ErrUnavailable, a.err)
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// restart begins an attempt or joins the one under way.
func (u *Upstream) restart() (*attempt, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return nil, fmt.Errorf("%w: closed", ErrUnavailable)
	}
	if u.attempt != nil {
		return u.attempt, nil
	}
	p := u.live.Load()
	if !p.isDead() {
		return nil, nil
	}
	if !p.counted {
		p.counted = true
		if p.died.Sub(p.born) < shortLife {
			u.failed(p.died)
		} else {
			u.failures, u.retryAt = 0, time.Time{}
		}
	}
	delay := time.Until(u.retryAt)
	if delay > patience {
		return nil, fmt.Errorf("%w: it keeps failing; not started again for another %s", ErrUnavailable, delay.Round(time.Second))
	}
	a := &attempt{done: make(chan struct{})}
	u.attempt = a
	u.work.Go(func() { u.try(a, delay) })
	return a, nil
}

// failed counts a failure that happened at a time. The caller holds u.mu.
func (u *Upstream) failed(at time.Time) {
	u.failures++
	u.retryAt = at
	if n := u.failures - 2; n >= 0 {
		u.retryAt = at.Add(min(firstDelay<<min(n, 20), maxDelay))
	}
}

// try is an attempt's goroutine.
func (u *Upstream) try(a *attempt, delay time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), restartTime)
	defer cancel()
	go func() {
		select {
		case <-u.quit:
			cancel()
		case <-ctx.Done():
		}
	}()
	var p *peer
	var l *listing
	err := sleep(ctx, delay)
	if err == nil {
		<-u.live.Load().done // wait until nothing of the old one is left
		p, l, err = u.connect(ctx)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err == nil {
		p.refused = u.changed(l)
		u.live.Store(p)
		u.log.Info("the server was started again")
	} else {
		u.failed(time.Now())
		u.log.Warn("starting the server again failed", "error", err)
	}
	a.err = err
	u.attempt = nil
	close(a.done)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// changed compares a new list of tools with the list of the start, from which names,
// stubs, schemas and policies were made. A tool that is gone or has another definition
// is refused: a server must not offer another tool under the name of a reviewed one.
func (u *Upstream) changed(l *listing) map[string]string {
	now := make(map[string]string, len(l.tools))
	for _, t := range l.tools {
		now[t.Name] = t.SHA256
	}
	refused := map[string]string{}
	for name, hash := range u.pinned {
		switch now[name] {
		case hash:
		case "":
			refused[name] = "the server no longer offers this tool"
		default:
			refused[name] = "the server changed this tool's definition since the start"
		}
	}
	for name, why := range refused {
		u.log.Warn("a tool can not be called any more", "tool", name, "why", why)
	}
	return refused
}

// connect starts the server and reads its tools. When that fails, nothing is left.
func (u *Upstream) connect(ctx context.Context) (*peer, *listing, error) {
	u.mu.Lock()
	probe := !u.legacy
	u.mu.Unlock()
	p, l, err := u.begin(ctx, probe)
	var death *deathError
	if errors.As(err, &death) && probe && ctx.Err() == nil {
		// Some older servers do not survive a request before initialize.
		u.log.Debug("the server ended during the handshake; once more without server/discover", "error", err)
		p, l, err = u.begin(ctx, false)
	}
	if err != nil {
		return nil, nil, err
	}
	u.mu.Lock()
	u.legacy = p.version != stateless
	u.mu.Unlock()
	u.log.Debug("connected", "version", p.version, "tools", len(l.tools), "took", time.Since(p.born).Round(time.Millisecond))
	return p, l, nil
}

// begin starts the server once, does the handshake and reads the tools.
func (u *Upstream) begin(ctx context.Context, probe bool) (*peer, *listing, error) {
	u.version.Store(nil)
	ch, err := u.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	p := newPeer(ch, u.log)
	p.version, err = p.shake(ctx, u.opts.Implementation, probe)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer to the first requests that MCP servers are sent: %w", err)
	}
	if err == nil && p.version != stateless {
		u.version.Store(&p.version)
		err = p.ch.send(ctx, &message{method: "notifications/initialized"})
	}
	var l *listing
	if err == nil {
		l, err = p.list(ctx)
	}
	if err == nil {
		if p.version == stateless && u.opts.Command == nil {
			p.mirrored = l.mirror()
		}
		p.ready.Store(true)
		return p, l, nil
	}
	p.close()
	var death *deathError
	if s, ok := ch.(*stdio); ok && !errors.As(err, &death) {
		if said := s.proc.tail.String(); said != "" {
			err = fmt.Errorf("%w; its stderr ends with:\n%s", err, said)
		}
	}
	return nil, nil, err
}

// open starts the process or connects the transport.
func (u *Upstream) open(ctx context.Context) (channel, error) {
	if u.opts.Command != nil {
		return newStdio(u.opts.Command, u.opts.MaxAnswer+lineFrame, u.log)
	}
	c, err := u.transport.Connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	return newConn(c, u.log), nil
}
