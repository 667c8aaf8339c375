//go:build unix && !linux

package upstream

import (
	"errors"
	"os/exec"
	"syscall"
	"time"
)

func lockThread() (unlock func()) { return func() {} }

func (t *tree) prepare(cmd *exec.Cmd) {
	// A session of its own: no terminal to read from or to be interrupted by, and
	// a process group that holds whatever the server starts.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// reap waits for the server's end and ends its group with it.
func (t *tree) reap(p *process) {
	_ = p.cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	t.signal(p, syscall.SIGKILL)
	t.guard.stop()
	p.reaped = true
	// The rest of the group dies of its signal in its own time, which is short.
	for deadline := time.Now().Add(drainTime); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if errors.Is(syscall.Kill(-p.cmd.Process.Pid, 0), syscall.ESRCH) {
			return
		}
	}
}

// relatives is empty: only the group is known here.
type relatives struct{}

func (t *tree) descendants(*process) relatives { return relatives{} }

func (relatives) kill() {}
