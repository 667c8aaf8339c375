//go:build linux

package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// Process is a driver without isolation: its machines are plain processes of
// this host, with all that the host's user may do. It exists so that tests of
// what is built on sandboxes need neither an engine nor gVisor. Nothing but a
// test may use it.
type Process struct {
	python string
	dir    string
	runner string

	mu        sync.Mutex
	instances map[*process]struct{} // guarded by mu; nil once closed
}

// NewProcess returns a driver that runs the runner under this Python, an
// executable of version 3.11 or later; "" is the python3 on PATH.
func NewProcess(python string) (*Process, error) {
	if python == "" {
		python = "python3"
	}
	python, err := exec.LookPath(python)
	if err != nil {
		return nil, fmt.Errorf("finding a Python: %w", err)
	}
	dir, err := os.MkdirTemp("", "sandboxtest-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the runner: %w", err)
	}
	runner := filepath.Join(dir, "runner.py")
	if err := os.WriteFile(runner, sandbox.RunnerSource, 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("writing the runner: %w", err), os.RemoveAll(dir))
	}
	return &Process{python: python, dir: dir, runner: runner, instances: map[*process]struct{}{}}, nil
}

// Name implements sandbox.Driver.
func (p *Process) Name() string { return "process" }

// Limits implements sandbox.Driver: they are the defaults.
func (p *Process) Limits() sandbox.Limits { return sandbox.Limits{} }

// Start implements sandbox.Driver.
func (p *Process) Start(ctx context.Context) (sandbox.Instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.instances == nil {
		return nil, errors.New("the driver is closed")
	}
	inst, err := startProcess(context.WithoutCancel(ctx), p.python, p.runner, p.dir)
	if err != nil {
		return nil, fmt.Errorf("starting %q: %w", p.python, err)
	}
	p.instances[inst] = struct{}{}
	go inst.reap(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.instances, inst)
	})
	return inst, nil
}

// Live is the number of machines that have not ended.
func (p *Process) Live() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.instances)
}

// Close implements sandbox.Driver.
func (p *Process) Close() error {
	p.mu.Lock()
	left := p.instances
	p.instances = nil
	p.mu.Unlock()
	for inst := range left {
		inst.Kill()
		inst.Wait()
	}
	return os.RemoveAll(p.dir)
}

// process is one machine: a process group with its ends of three pipes.
type process struct {
	cmd    *exec.Cmd
	in     *os.File // its standard input
	out    *os.File // its standard output
	stderr sandbox.Tail
	done   chan struct{}
	exit   sandbox.Exit // valid once done is closed
	kill   sync.Once
}

func startProcess(ctx context.Context, python, runner, dir string) (*process, error) {
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), in.Close())
	}
	p := &process{in: in, out: out, done: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, python, "-I", "-S", "-B", runner)
	p.cmd.Dir = dir
	p.cmd.Env = []string{"PATH=/usr/bin", "HOME=/tmp", "LANG=C"}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, &p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = p.cmd.Start()
	stdin.Close()
	stdout.Close()
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return p, nil
}

func (p *process) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.in.Write(b) }

// Kill implements sandbox.Instance. Closing the pipes as well makes pending
// reads and writes return even when a process has left the group.
func (p *process) Kill() {
	p.kill.Do(func() {
		select {
		case <-p.done: // the group's number may already be someone else's
		default:
			_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		}
		p.in.Close()
		p.out.Close()
	})
}

// OnStderr implements sandbox.Instance.
func (p *process) OnStderr(seen func(bytes int)) { p.stderr.OnStderr(seen) }

// Wait implements sandbox.Instance.
func (p *process) Wait() sandbox.Exit {
	<-p.done
	return p.exit
}

// reap waits for the process to end, ends what it has left in its group, and
// calls gone before Wait returns.
func (p *process) reap(gone func()) {
	err := p.cmd.Wait()
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	p.exit = sandbox.Exit{Code: exitCode(p.cmd.ProcessState), Detail: p.stderr.String()}
	if err != nil && p.exit.Detail == "" {
		p.exit.Detail = err.Error()
	}
	p.in.Close()
	gone()
	close(p.done)
}

func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
