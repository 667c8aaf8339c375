package docker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// Options configure a Driver. The zero value is the safest setting.
type Options struct {
	// Image is the image sandboxes start from, one that BuildImage has made.
	// Empty: that of the embedded Python, built when the engine lacks it.
	Image string
	// Runtime is the engine's OCI runtime, such as runsc or crun. Empty: its default.
	Runtime string
	// AllowNoSeccomp also takes an engine that cannot give containers this
	// package's seccomp profile, and leaves the engine's own in force, if any.
	// Otherwise New fails there with a *NoFilterError, except for gVisor.
	AllowNoSeccomp bool
	// Limits of every sandbox; a zero field means its default. The engine enforces
	// those on memory, processes, processors, files and /tmp.
	Limits sandbox.Limits
	// Runner is the source of the runner; nil: sandbox.RunnerSource.
	Runner []byte
	// Logger gets what went wrong in the background; nil: nobody.
	Logger *slog.Logger
	// Progress is told about work that takes long; nil: nobody.
	Progress func(string)
}

const (
	buildTimeout = 5 * time.Minute // of building a missing image
	closeGrace   = 5 * time.Second // for launches under way when the driver closes
)

// Driver starts sandboxes as containers. Make one with New.
type Driver struct {
	engine  *engine
	builder builder
	options Options
	log     *slog.Logger
	labels  map[string]string
	ids     *idChoice
	gvisor  bool // the runtime is runsc
	crun    bool // the runtime is crun
	podman  bool // the engine is Podman
	filter  filter

	imageMu sync.Mutex
	image   sandboxImage // guarded by imageMu

	mu      sync.Mutex
	closed  bool                   // guarded by mu
	live    map[*instance]struct{} // guarded by mu
	orphans []claim                // guarded by mu: of containers that may be left on an engine that went away

	work     sync.WaitGroup  // every goroutine of the driver
	lifetime context.Context // of launches: it ends a short time after Close was called
	expire   context.CancelFunc
}

var _ sandbox.Driver = (*Driver)(nil)

// New finds the engine, makes sure that it has the image and the runtime, and starts
// to remove containers that killed processes have left on it. The error is a
// *sandbox.OptionError about impossible limits, a *NoFilterError, or says what the
// engine lacks.
func New(ctx context.Context, o Options) (*Driver, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Runner == nil {
		o.Runner = sandbox.RunnerSource
	}
	if err := o.Limits.Check(); err != nil {
		return nil, fmt.Errorf("making a driver for Docker: %w", err)
	}
	o.Limits = o.Limits.WithDefaults()
	en, _, err := connect(ctx)
	if err != nil {
		return nil, err
	}
	d := &Driver{
		engine: en, builder: builder{en, o.Runner, o.Progress}, options: o, log: o.Logger,
		labels: ownLabels(), live: make(map[*instance]struct{}),
	}
	d.lifetime, d.expire = context.WithCancel(context.Background())
	ctx, cancel := context.WithTimeout(ctx, buildTimeout)
	defer cancel()
	if err = d.learn(ctx); err == nil {
		d.image, err = d.findImage(ctx)
	}
	if err != nil {
		en.close()
		return nil, err
	}
	d.work.Go(func() { en.reap(d.log) })
	return d, nil
}

// Name is "docker".
func (d *Driver) Name() string { return "docker" }

// Limits are those of every container, defaults filled in.
func (d *Driver) Limits() sandbox.Limits { return d.options.Limits }

// learn finds out what kind of engine this is. It fails when the engine does
// not have the runtime asked for, or cannot filter system calls.
func (d *Driver) learn(ctx context.Context) error {
	version, info, err := d.engine.describe(ctx)
	if err != nil {
		return err
	}
	name := cmp.Or(d.options.Runtime, info.DefaultRuntime)
	if _, ok := info.Runtimes[name]; !ok && d.options.Runtime != "" {
		names := strings.Join(slices.Sorted(maps.Keys(info.Runtimes)), ", ")
		err = fmt.Errorf("using runtime %q: the engine at %s has only %s", name, d.engine.host, names)
		return hint.Error(err, "add it to the runtimes in the engine's daemon.json, or leave out --runtime")
	}
	d.gvisor, d.crun = isRuntime(info, name, "runsc"), isRuntime(info, name, "crun")
	if err := checkFiles(d.crun, d.options.Limits.Files); err != nil {
		return fmt.Errorf("making a driver for Docker: %w", err)
	}
	d.podman = isPodman(version)
	d.ids = newIDChoice(version, info)
	d.filter, err = d.engine.filterFor(version, info)
	if err != nil && (d.gvisor || d.options.AllowNoSeccomp) {
		d.log.Info("sandboxes start without this program's seccomp profile", "reason", err, "gvisor", d.gvisor)
		return nil
	}
	return err
}

func (d *Driver) findImage(ctx context.Context) (sandboxImage, error) {
	if d.options.Image != "" {
		return d.builder.use(ctx, d.options.Image)
	}
	return d.builder.ensure(ctx)
}

// Start creates and starts one container, with its streams connected.
func (d *Driver) Start(ctx context.Context) (sandbox.Instance, error) {
	if err := d.begin(); err != nil {
		return nil, err
	}
	type outcome struct {
		*instance
		error
	}
	result := make(chan outcome)
	// The engine finishes a request even after its client has gone. So the launch
	// goes on by itself and, if it was abandoned, removes the container.
	go func() {
		defer d.work.Done()
		i, err := d.launch(ctx)
		select {
		case result <- outcome{i, err}:
		case <-ctx.Done():
			if err == nil {
				i.Kill()
			}
		}
	}()
	select {
	case r := <-result:
		if r.error != nil {
			return nil, r.error
		}
		return r.instance, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("starting sandbox: %w", ctx.Err())
	}
}

var (
	errClosed    = errors.New("starting sandbox: the docker driver is closed")
	errAbandoned = errors.New("nobody waits for it any more") // seen by nobody
)

// begin registers one more piece of work, unless the driver is closed.
func (d *Driver) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errClosed
	}
	d.work.Add(1)
	return nil
}

// launch creates and starts one container. It does not end with ctx, because the engine
// may still carry out a request that was cancelled. But it starts nothing once ctx is
// done.
func (d *Driver) launch(ctx context.Context) (*instance, error) {
	var i *instance
	err := d.ids.try(func(ids userIDs) (err error) {
		i, err = d.launchAs(ctx, ids)
		return err
	})
	if err != nil {
		return nil, d.engine.explain("starting sandbox", err)
	}
	return i, nil
}

func (d *Driver) launchAs(ctx context.Context, ids userIDs) (*instance, error) {
	l := launch{
		labels: d.labels, ids: ids, runtime: d.options.Runtime,
		gvisor: d.gvisor, crun: d.crun, podman: d.podman, filter: d.filter, limits: d.options.Limits,
	}
	i := &instance{driver: d, killed: make(chan struct{}), done: make(chan struct{})}
	var w *waiter
	err := d.create(i, &l)
	if err == nil && ctx.Err() != nil {
		err = errAbandoned
	}
	if err == nil {
		limited, cancel := context.WithTimeout(d.lifetime, launchTimeout)
		defer cancel()
		i.stream, w, err = d.engine.start(limited, i.id)
	}
	if err == nil {
		d.adopt(i, w)
		return i, nil
	}
	if errors.Is(err, context.DeadlineExceeded) || d.lifetime.Err() != nil { // launchTimeout or closeGrace
		d.orphan(l.claim) // the engine may still make the container; it is removed later
	} else {
		d.work.Go(func() { d.discard(l.claim) }) // the container may exist
	}
	return nil, err
}

// create creates the container; an image that has been deleted is built again.
func (d *Driver) create(i *instance, l *launch) (err error) {
	d.imageMu.Lock()
	l.image = d.image
	d.imageMu.Unlock()
	attempt := func() error {
		ctx, cancel := context.WithTimeout(d.lifetime, launchTimeout)
		defer cancel()
		i.id, err = d.engine.create(ctx, l)
		i.claim = l.claim
		return err
	}
	if err := attempt(); !errdefs.IsNotFound(err) {
		return err
	}
	if l.image, err = d.imageInsteadOf(l.image); err != nil {
		return err
	}
	return attempt()
}

// imageInsteadOf finds or builds an image again. One caller does the work and the others
// wait for it.
func (d *Driver) imageInsteadOf(missing sandboxImage) (sandboxImage, error) {
	d.imageMu.Lock()
	defer d.imageMu.Unlock()
	if d.image.serial != missing.serial {
		return d.image, nil
	}
	ctx, cancel := context.WithTimeout(d.lifetime, buildTimeout)
	defer cancel()
	img, err := d.findImage(ctx)
	if err != nil {
		return sandboxImage{}, err
	}
	img.serial = missing.serial + 1
	d.image = img
	return img, nil
}

// adopt counts the instance among the driver's own until it ends.
func (d *Driver) adopt(i *instance, w *waiter) {
	d.mu.Lock()
	d.live[i] = struct{}{}
	closed, orphans := d.closed, d.orphans
	d.orphans = nil
	d.mu.Unlock()
	d.work.Go(func() {
		i.watch(w)
		d.mu.Lock()
		delete(d.live, i)
		d.mu.Unlock()
	})
	if closed {
		i.Kill()
	}
	if len(orphans) > 0 { // the engine is back
		d.work.Go(func() {
			for _, c := range orphans {
				d.discard(c)
			}
		})
	}
}

// discard removes a container now, or when the engine is back.
func (d *Driver) discard(c claim) {
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	if !d.engine.removeClaimed(ctx, c) {
		d.orphan(c)
	}
}

// maxOrphans bounds what is remembered about an engine that stays away.
const maxOrphans = 10_000

func (d *Driver) orphan(c claim) {
	d.log.Warn("could not remove a sandbox: the Docker engine does not answer", "container", c.name())
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.orphans) < maxOrphans {
		d.orphans = append(d.orphans, c)
	}
}

// Close kills every sandbox and returns when they are removed. If the engine has gone
// away, Close returns after some seconds.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.closed = true
	for i := range d.live {
		i.Kill()
	}
	d.mu.Unlock()
	timer := time.AfterFunc(closeGrace, d.expire)
	d.work.Wait()
	timer.Stop()
	d.expire()
	d.mu.Lock()
	orphans := d.orphans
	d.orphans = nil
	d.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), goneTimeout)
	defer cancel()
	orphans = slices.DeleteFunc(orphans, func(c claim) bool { return d.engine.removeClaimed(ctx, c) })
	d.engine.close()
	if len(orphans) > 0 {
		names := make([]string, len(orphans))
		for i, c := range orphans {
			names[i] = c.name()
		}
		return fmt.Errorf("closing the docker driver: the engine at %s does not answer, and may still hold %s",
			d.engine.host, strings.Join(names, ", "))
	}
	return nil
}
