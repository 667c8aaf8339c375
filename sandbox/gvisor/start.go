//go:build linux && (amd64 || arm64)

package gvisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	specs "github.com/opencontainers/runtime-spec/specs-go"
	"gvisor.dev/gvisor/runsc/boot"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rawio"
)

// startTimeout bounds the start of one sandbox, which takes a fraction of a
// second: beyond it something is broken.
const startTimeout = 30 * time.Second

// Start starts one sandbox. It returns when Python has been started, not when it
// is up.
func (d *Driver) Start(ctx context.Context) (sandbox.Instance, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("starting sandbox: %w", err)
	}
	defer d.busy.Done()
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errors.New("it took too long"))
	defer cancel()
	i, err := d.start(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting sandbox: %w", err)
	}
	return i, nil
}

// start starts from the snapshot where there is one. If that fails and starting
// from the beginning does not, the snapshot is not used again.
func (d *Driver) start(ctx context.Context) (*instance, error) {
	s := d.warm.Load()
	i, m, err := d.launch(ctx, s)
	if err != nil && s != nil && ctx.Err() == nil {
		broken := err
		if i, m, err = d.launch(ctx, nil); err == nil {
			d.cooled(s, broken)
		}
	}
	if err != nil {
		return nil, err
	}
	m.release()
	return i, nil
}

// launch lets a sentry run Python: from the beginning, or from a snapshot. It takes
// one that has been started ahead, if that is still good, or starts one. The machine
// that is returned with the instance must be released.
func (d *Driver) launch(ctx context.Context, from *snapshot) (*instance, *machine, error) {
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	s := d.ahead.take()
	defer d.ahead.done()
	if s != nil {
		err := d.run(ctx, s, from)
		if err == nil {
			return s.instance, s.machine, nil
		}
		if ctx.Err() != nil {
			return nil, nil, err
		}
		d.log.Warn("a sentry that was started ahead did not work: starting another", "error", err)
	}
	s, err := d.begin()
	if err == nil {
		err = d.run(ctx, s, from)
	}
	if err != nil {
		return nil, nil, err
	}
	return s.instance, s.machine, nil
}

// sentry is one that has been started and has nothing to run yet.
type sentry struct {
	*instance
	*machine
}

// alive reports whether it has not ended.
func (s *sentry) alive() bool {
	select {
	case <-s.gone:
		return false
	default:
		return true
	}
}

// abandon ends it without waiting.
func (s *sentry) abandon() {
	s.release()
	s.Kill()
}

// begin starts a sentry.
func (d *Driver) begin() (*sentry, error) {
	m := &machine{id: newID()}
	err := d.prepare(m, machineSpec(d.limits, d.command))
	if err == nil {
		var i *instance
		if i, err = d.spawn(m); err == nil {
			return &sentry{i, m}, nil
		}
	}
	m.release()
	return nil, err
}

// run lets a sentry run Python, and ends it if that fails.
func (d *Driver) run(ctx context.Context, s *sentry, from *snapshot) error {
	stop := context.AfterFunc(ctx, s.Kill)
	err := s.machine.run(s.instance, d.watch, from)
	if err == nil {
		err = d.cpus.confine(s.cmd.Process.Pid)
	}
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		s.abandon()
		return describe(err, s.Wait().Detail)
	}
	if from != nil {
		s.precede(from.preamble)
	}
	return nil
}

// machine is what a sentry is started with and spoken to through, until Python
// runs.
type machine struct {
	id      string
	ours    stdio
	theirs  sentryFiles
	control *controlSocket
	cgroups *cgroups
	user    *user
}

// release closes all that is still the machine's own.
func (m *machine) release() {
	closeFiles(append(m.theirs.list(), m.ours.in, m.ours.out, m.ours.err))
	if m.control != nil {
		m.control.close()
	}
	if m.cgroups != nil {
		// It fails only if something is in it, which release cannot help.
		_ = m.cgroups.remove()
	}
	if m.user != nil {
		m.user.release()
	}
}

// prepare makes everything a sentry is given.
func (d *Driver) prepare(m *machine, spec *specs.Spec) error {
	err := pipes(&m.ours, &m.theirs)
	if err == nil {
		m.theirs.spec, err = specFile(spec)
	}
	if err == nil {
		m.theirs.listener, m.control, err = newControl(d.state.dir, m.id)
	}
	if err == nil {
		// Also where it says that it is up: we learn that from its first answer instead.
		m.theirs.null, err = os.OpenFile(os.DevNull, os.O_RDWR, 0)
	}
	if err == nil {
		m.user, err = newUser()
	}
	if err != nil {
		return err
	}
	if m.cgroups, err = newCgroups(d.groups, m.id); err != nil {
		// The watchdog and the limits inside still hold.
		d.groupless.Do(func() { d.log.Warn("starting sandboxes without a control group", "error", err) })
		_ = m.cgroups.remove() // what is left goes when the driver is closed
		m.cgroups = &cgroups{}
	}
	return nil
}

// spawn starts the sentry and makes it an instance of the driver's.
func (d *Driver) spawn(m *machine) (*instance, error) {
	argv := bootArgv(bootOptions{id: m.id, cpus: d.cpus.seen(), memory: d.limits.Memory})
	exe, err := beyond(append(m.theirs.list(), d.root), d.exe)
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	cmd := command(execPath(exe), argv, m.user, d.root, &m.theirs)
	err = d.spawner.start(cmd, m.cgroups)
	if cmd.Process == nil {
		return nil, startError(err)
	}
	i := &instance{
		cmd: cmd, stdin: m.ours.in, stdout: m.ours.out, in: rawio.New(m.ours.in), out: rawio.New(m.ours.out),
		cgroups: m.cgroups, user: m.user, gone: make(chan struct{}),
	}
	i.gauge = &gauge{kill: i.killForMemory}
	// It cannot be another process's yet: nobody has waited for this one. Without
	// it, as when it is hidden from us, the sentry's heap goes unseen.
	i.gauge.statm, _ = os.Open(fmt.Sprintf("/proc/%d/statm", cmd.Process.Pid))
	i.stderr = newTail(m.ours.err)
	m.ours, m.cgroups, m.user = stdio{}, nil, nil // now the instance's
	closeFiles(m.theirs.list())                   // or its end would never be seen
	m.theirs = sentryFiles{}
	d.adopt(i)
	if err != nil {
		i.Kill()
		return nil, describe(err, i.Wait().Detail)
	}
	return i, nil
}

// run takes the sentry through its start: it starts Python, and the sentry hands
// over its memory file, which then is watched.
func (m *machine) run(i *instance, w *watchdog, from *snapshot) error {
	if from != nil {
		if err := from.restore(m.control); err != nil {
			return err
		}
		if err := m.control.connect(); err != nil {
			return err
		}
	} else if _, err := m.control.call(boot.ContMgrRootContainerStart, m.id, nil); err != nil {
		return err
	}
	var none struct{}
	files, err := m.control.call(boot.UsageUsageFD, map[string]int{"Version": 1}, &none)
	if err != nil {
		return err
	}
	if len(files) != 2 {
		closeFiles(files)
		return fmt.Errorf("the sentry handed over %d files instead of its accounts and its memory", len(files))
	}
	files[0].Close()
	w.add(i.gauge, files[1])
	return nil
}
