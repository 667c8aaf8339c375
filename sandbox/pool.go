package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// Errors of Take that a caller may want to tell apart.
var (
	ErrQueueFull  = errors.New("too many runs wait for a sandbox")
	ErrPoolClosed = errors.New("the pool of sandboxes is closed")
)

const (
	// startTimeout bounds one start, so that an engine that hangs does not hold
	// a place in the pool for ever.
	startTimeout = time.Minute
	// pingTimeout is how long a warm sandbox may take to show that it lives.
	pingTimeout = 2 * time.Second
)

// PoolOptions say how many sandboxes a Pool keeps.
type PoolOptions struct {
	Warm          int          // sandboxes kept started and ready; default 0: each Take starts its own
	MaxWarm       int          // the number grows with the load up to this; default: it stays Warm
	MaxConcurrent int          // sandboxes taken at once; default 8
	MaxQueue      int          // Takes that wait for others to end; default 64
	Logger        *slog.Logger // for the operator; nil discards

	available func() int64 // bytes of memory that are free, 0 unknown; nil: asks the host
}

// Pool hands out sandboxes that have never run code. Warm ones are started and
// initialised before they are needed, and replaced in the background once taken. A
// Take checks that its sandbox still answers. Each sandbox is used for one run, and
// then the caller that took it ends it with Kill or Close; it never goes back to the
// pool.
//
// At most MaxConcurrent sandboxes are taken at once. Beside them the pool keeps as
// many ready as were wanted at once lately: at least Warm, at most MaxWarm, and
// beyond Warm only as many as fit in a quarter of the available memory. load decides
// how many those are, and pace decides when missing ones are started.
//
// All methods may be called from any goroutine.
type Pool struct {
	driver Driver
	opts   PoolOptions
	ctx    context.Context // of starts; ends with Close
	cancel context.CancelFunc
	work   sync.WaitGroup // every goroutine of the pool

	mu         sync.Mutex // guards everything below
	closed     bool
	generation int    // of the tools; 0 before SetTools
	initLine   []byte // tells a runner the tools; nil before SetTools
	all        map[*Sandbox]*member
	idle       []*Sandbox // ready, longest waiting first
	turns      []*turn    // Takes that wait for others to end, in order
	orders     []*order   // Takes that have their turn and wait for a start, in order
	taken      int        // Takes that have their turn, until their sandbox is gone
	starting   int        // starts under way, for a Take or to be kept ready
	load       load       // how many are to be idle
	lastTake   time.Time
	lastEnd    time.Time     // of a run
	backoff    time.Duration // of refills, after starts that failed
	notBefore  time.Time     // no refill before
	timer      *time.Timer   // the next call of adjust; nil before the first was due
}

// member is what the pool knows about a sandbox it has started; guarded by
// Pool.mu.
type member struct {
	generation int  // of the tools it was told
	taken      bool // handed out: a place comes free when it is gone
}

// NewPool returns a pool of the driver's sandboxes and begins to start the warm
// ones. Close it before the driver. The error is an *OptionError: there is no
// driver, or a number is negative.
func NewPool(d Driver, o PoolOptions) (*Pool, error) {
	if err := errors.Join(checkDriver(d), o.check()); err != nil {
		return nil, fmt.Errorf("making a pool of sandboxes: %w", err)
	}
	setDefault(&o.MaxConcurrent, 8)
	setDefault(&o.MaxQueue, 64)
	setDefault(&o.Logger, slog.New(slog.DiscardHandler))
	if o.available == nil {
		o.available = availableMemory
	}
	p := &Pool{
		driver: d, opts: o, all: map[*Sandbox]*member{},
		load: load{least: o.Warm, most: max(o.Warm, o.MaxWarm), available: o.available},
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.adjust()
	return p, nil
}

func (o PoolOptions) check() error {
	for _, field := range []struct {
		name  string
		value int
	}{{"Warm", o.Warm}, {"MaxWarm", o.MaxWarm}, {"MaxConcurrent", o.MaxConcurrent}, {"MaxQueue", o.MaxQueue}} {
		if field.value < 0 {
			return &OptionError{field.name, "it is negative"}
		}
	}
	return nil
}

// SetTools says which tools the sandboxes handed out from now on know, and what their
// servers say. Warm
// ones are told ahead.
func (p *Pool) SetTools(tools []wire.Tool, servers ...wire.Server) {
	line := p.driver.Limits().initLine(tools, servers)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.generation++
	p.initLine = line
	if !p.closed {
		p.work.Go(p.tellIdle)
	}
}

// Idle is the number of sandboxes that are ready to be taken.
func (p *Pool) Idle() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle)
}

// Take returns a sandbox that is ready, knows the tools and has run nothing
// yet. The caller ends it with Kill, and the pool waits for it to be gone, or
// with Close.
func (p *Pool) Take(ctx context.Context) (*Sandbox, error) { return p.TakeQueued(ctx, nil) }

// TakeQueued is Take for a caller that wants to know that it has to wait for
// other runs to end. queued, unless nil, is called in the caller's goroutine with the
// number of Takes that go first: once at the start, and again whenever the number
// shrinks. Takes are served in order. When MaxQueue wait already the error wraps
// ErrQueueFull.
func (p *Pool) TakeQueued(ctx context.Context, queued func(ahead int)) (*Sandbox, error) {
	if err := p.awaitTurn(ctx, queued); err != nil {
		return nil, fmt.Errorf("waiting for a sandbox: %w", err)
	}
	for {
		s, warm, err := p.next(ctx)
		if err == nil {
			if err = p.prepare(ctx, s, warm); err == nil {
				return s, nil
			}
			s.Kill()
		}
		if !warm || ctx.Err() != nil {
			p.giveTurnBack()
			return nil, err
		}
		p.opts.Logger.Warn("a warm sandbox did not answer and is replaced", "error", err)
	}
}

// prepare makes sure that a sandbox lives and knows the current tools, and
// from then on counts it as taken.
func (p *Pool) prepare(ctx context.Context, s *Sandbox, warm bool) error {
	p.mu.Lock()
	m, line, generation := p.all[s], p.initLine, p.generation
	p.mu.Unlock()
	if warm {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, pingTimeout)
		defer cancel()
	}
	var err error
	switch {
	case m == nil:
		return ErrGone
	case m.generation != generation:
		err = s.initLine(ctx, line)
	case warm:
		err = s.Ping(ctx)
	}
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all[s] == nil {
		return ErrGone
	}
	m.generation, m.taken = generation, true
	p.backoff = 0
	return nil
}

// Close ends every sandbox, taken ones too, and waits until all are gone.
// Takes that wait get ErrPoolClosed. It is idempotent.
func (p *Pool) Close() error {
	p.cancel()
	p.mu.Lock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	for _, t := range p.turns {
		t.ready <- ErrPoolClosed
	}
	for _, o := range p.orders {
		o.ready <- delivery{err: ErrPoolClosed}
	}
	p.turns, p.orders, p.idle = nil, nil, nil
	for s := range p.all {
		s.Kill()
	}
	p.mu.Unlock()
	p.work.Wait()
	return nil
}
