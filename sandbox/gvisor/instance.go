//go:build linux && (amd64 || arm64)

package gvisor

import (
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rawio"
)

// instance is one sandbox: a sentry and our ends of its streams.
type instance struct {
	cmd     *exec.Cmd
	stdin   *os.File
	stdout  *os.File
	in      *rawio.Conn // stdin
	out     *rawio.Conn // stdout; nil once it is drained
	cgroups *cgroups
	user    *user
	gauge   *gauge
	stderr  *tail

	readMu sync.Mutex // held around reads of stdout and rest
	rest   []byte     // read before stdout: a preamble, or what was left when the sentry died

	overMemory atomic.Bool // the watchdog killed it
	gone       chan struct{}
	exit       sandbox.Exit // valid once gone is closed
}

// Read reads the runner's standard output.
func (i *instance) Read(p []byte) (int, error) {
	i.readMu.Lock()
	defer i.readMu.Unlock()
	if len(i.rest) > 0 {
		n := copy(p, i.rest)
		i.rest = i.rest[n:]
		return n, nil
	}
	if i.out != nil {
		return i.out.Read(p)
	}
	return 0, io.EOF
}

// precede puts what the runner said before it was saved before all that is read. The
// sentry may have ended meanwhile, and left something.
func (i *instance) precede(text []byte) {
	i.readMu.Lock()
	defer i.readMu.Unlock()
	i.rest = slices.Concat(text, i.rest)
}

// Write writes to the runner's standard input.
func (i *instance) Write(p []byte) (int, error) { return i.in.Write(p) }

// OnStderr implements sandbox.Instance. The runner and the sentry share one pipe for
// their standard error.
func (i *instance) OnStderr(seen func(bytes int)) { i.stderr.OnStderr(seen) }

// Kill ends the sandbox. The sentry is the first process of its PID namespace,
// so the kernel kills all others with it.
func (i *instance) Kill() {
	// It fails only when the process has been waited for already.
	_ = i.cmd.Process.Kill()
}

// Wait blocks until nothing of the sandbox is left.
func (i *instance) Wait() sandbox.Exit {
	<-i.gone
	return i.exit
}

// killForMemory is Kill for the watchdog.
func (i *instance) killForMemory() {
	i.overMemory.Store(true)
	i.Kill()
}

// reap waits for the sentry, which ends only after every other process of its
// namespace has ended, and removes what belongs to it. What the runner had
// written stays readable.
func (i *instance) reap(w *watchdog, log *slog.Logger) {
	// The error says how the process ended, but ProcessState says it in more detail.
	_ = i.cmd.Wait()
	i.stdin.Close()
	i.drain()
	w.remove(i.gauge)
	i.user.release()
	i.exit = sandbox.Exit{
		Code:   i.cmd.ProcessState.ExitCode(),
		Memory: i.overMemory.Load() || i.cgroups.outOfMemory(),
		Detail: i.stderr.text(),
	}
	if err := i.cgroups.remove(); err != nil {
		log.Warn("removing what belonged to a sandbox", "error", err)
	}
	close(i.gone)
}

// drain takes over what is left in the pipe: at most its capacity, because all
// its writers are dead.
func (i *instance) drain() {
	i.readMu.Lock()
	defer i.readMu.Unlock()
	// An error means that nothing more can be read, like the end of the pipe.
	left, _ := io.ReadAll(i.stdout)
	i.rest = append(i.rest, left...)
	i.stdout.Close()
	i.out = nil
}
