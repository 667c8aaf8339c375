//go:build unix && !linux

package upstream

import (
	"errors"
	"syscall"
	"time"
)

func lockThread() (unlock func()) { return func() {} }

// tree ends a server together with its process group, which it leads.
type tree struct{ guard guard }

func (t *tree) start(p *process) error {
	// A session of its own: no terminal to read from or to be interrupted by, and
	// a process group that holds whatever the server starts.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.pid = p.cmd.Process.Pid
	t.guard.start(p)
	return nil
}

// signal sends sig to the group. The caller holds p.mu and the server is not reaped.
func (t *tree) signal(p *process, sig syscall.Signal) { _ = syscall.Kill(-p.pid, sig) }

// reap waits for the server's end and ends its group with it.
func (t *tree) reap(p *process) (how string) {
	_ = p.cmd.Wait()
	how = p.cmd.ProcessState.String()
	p.mu.Lock()
	defer p.mu.Unlock()
	t.signal(p, syscall.SIGKILL)
	t.guard.stop()
	p.reaped = true
	// The rest of the group dies of its signal in its own time, which is short.
	for deadline := time.Now().Add(drainTime); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if errors.Is(syscall.Kill(-p.pid, 0), syscall.ESRCH) {
			break
		}
	}
	return how
}

// relatives is empty: only the group is known here.
type relatives struct{}

func (t *tree) descendants(*process) relatives { return relatives{} }

func (relatives) kill() {}
