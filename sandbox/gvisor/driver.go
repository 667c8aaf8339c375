//go:build linux && (amd64 || arm64)

package gvisor

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// Driver starts sandboxes on the embedded gVisor. It implements sandbox.Driver.
type Driver struct {
	limits  sandbox.Limits
	log     *slog.Logger
	exe     *os.File // what sentries are started from
	root    *os.File // EROFS image
	command []string // what runs in it
	state   *stateDir
	groups  []hierarchy
	cpus    *processors
	spawner *spawner
	opened  *snapshot                // closed with the driver; nil if there is none
	warm    atomic.Pointer[snapshot] // opened, or nil if there is none that may be used
	watch   *watchdog
	ahead   *ahead

	groupless sync.Once // around the warning that a control group could not be made

	mu     sync.Mutex // guards what follows
	closed bool
	live   map[*instance]struct{}
	busy   sync.WaitGroup // calls of Start under way and instances not yet gone
}

var _ sandbox.Driver = (*Driver)(nil)

// New makes a driver: it prepares the root image the first time, which takes
// seconds, and removes what drivers of dead processes left. The error wraps a
// *sandbox.OptionError about impossible limits, or ErrUnsupported, or says what this
// system lacks.
func New(ctx context.Context, o Options) (*Driver, error) {
	if err := o.Limits.Check(); err != nil {
		return nil, fmt.Errorf("making a driver for gVisor: %w", err)
	}
	if o.Runner == nil {
		o.Runner = sandbox.RunnerSource
	}
	exe, err := executable(o.Runsc)
	if err != nil {
		return nil, err
	}
	tree, digest, err := rootfs.Tree(ctx, o.Runner, o.Progress)
	if err != nil {
		exe.Close()
		return nil, err
	}
	root, err := rootImage(tree, digest)
	if err != nil {
		exe.Close()
		return nil, err
	}
	d, err := newDriver(o, exe, root, rootfs.Command())
	if err != nil || o.Cold {
		return d, err
	}
	if err := d.warmUp(ctx, o.Progress); err != nil {
		if ctx.Err() != nil {
			return nil, errors.Join(fmt.Errorf("preparing sandboxes: %w", context.Cause(ctx)), d.Close())
		}
		d.log.Warn("starting sandboxes from the beginning: no start could be prepared", "error", err)
	}
	return d, nil
}

// newDriver makes a driver that runs a command in a root, and owns both files
// even when it fails.
func newDriver(o Options, exe, root *os.File, command []string) (*Driver, error) {
	d := &Driver{
		limits: o.Limits.WithDefaults(), log: o.Logger, exe: exe, root: root, command: command,
		live: make(map[*instance]struct{}),
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	var err error
	if d.state, err = newStateDir(d.log); err != nil {
		closeFiles([]*os.File{exe, root})
		return nil, err
	}
	d.cpus = newProcessors(d.limits.CPUs)
	d.groups = newHierarchies(d.state, groupLimitsOf(d.limits))
	if d.limits.CPUs != math.Trunc(d.limits.CPUs) && !d.limitsShares() {
		d.log.Warn("no control group for processors can be used here: a sandbox gets whole ones", "cpus", d.limits.CPUs)
	}
	d.spawner = newSpawner(d.state)
	d.watch = newWatchdog(d.limits.Memory)
	d.ahead = newAhead(o.Ahead, d.begin)
	return d, nil
}

// Name is the word --sandbox uses for the driver.
func (d *Driver) Name() string { return "gvisor" }

// Limits are those of every sandbox, defaults filled in.
func (d *Driver) Limits() sandbox.Limits { return d.limits }

// Close ends every sandbox that is left and removes the driver's state.
func (d *Driver) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	for i := range d.live {
		i.Kill()
	}
	d.mu.Unlock()
	d.ahead.close()
	d.busy.Wait()
	d.watch.close()
	d.spawner.close()
	closeFiles([]*os.File{d.exe, d.root})
	if d.opened != nil {
		d.opened.close()
	}
	return d.state.close()
}

// enter begins something that Close waits for; d.busy.Done ends it.
func (d *Driver) enter() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errors.New("driver is closed")
	}
	d.busy.Add(1)
	return nil
}

// adopt counts the instance among the driver's own and waits for its end.
func (d *Driver) adopt(i *instance) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.live[i] = struct{}{}
	if d.closed {
		i.Kill()
	}
	d.busy.Add(1)
	go func() {
		defer d.busy.Done()
		i.reap(d.watch, d.log)
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.live, i)
	}()
}

// newID returns a name that nothing else has.
func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// groupLimitsOf leaves the quota out when the number of processors a sandbox may
// run on is already its limit.
func groupLimitsOf(l sandbox.Limits) groupLimits {
	g := groupLimits{memory: l.Memory}
	if l.CPUs != math.Trunc(l.CPUs) {
		g.cpus = l.CPUs
	}
	return g
}

// limitsShares reports whether control groups can give a sandbox less than a
// whole processor.
func (d *Driver) limitsShares() bool {
	return slices.ContainsFunc(d.groups, func(h hierarchy) bool {
		return slices.ContainsFunc(h.sets, func(s setting) bool { return strings.HasPrefix(s.file, "cpu.") })
	})
}
