package upstream

import (
	"errors"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream/internal/keep"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream/internal/keeper"
)

// tree ends a server together with all processes that came from it, through a keeper.
// Where no keeper can be started, it ends the server's process group, which the server
// leads, and the descendants that can still be found through their parents.
type tree struct {
	keeper *keeper.Keeper // or nil
	guard  guard          // without a keeper
}

// startKeeper is a variable so that a test can run without a keeper.
var startKeeper = keeper.Start

// lockThread keeps the goroutine on its thread until the returned function is called.
func lockThread() (unlock func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

func (t *tree) start(p *process) (err error) {
	t.keeper, err = startKeeper(p.cmd)
	if err == nil {
		p.pid = t.keeper.Server
		return nil
	}
	if !errors.Is(err, keeper.ErrNone) {
		return err
	}
	p.log.Debug("starting a server without a keeper: what leaves its process group may outlive a killed host", "error", err)
	// A session of its own: no terminal to read from or to be interrupted by, and
	// a process group that holds whatever the server starts.
	// Pdeathsig: when our process is killed, the kernel kills the server.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.pid = p.cmd.Process.Pid
	t.guard.start(p)
	return nil
}

// signal sends sig to the server and its group. The caller holds p.mu and the server
// is not reaped.
func (t *tree) signal(p *process, sig syscall.Signal) {
	if t.keeper != nil {
		if sig == syscall.SIGKILL {
			t.keeper.Kill()
		} else {
			t.keeper.Terminate()
		}
		return
	}
	_ = syscall.Kill(-p.pid, sig)
}

// reap waits for the server's end and ends all processes that came from it. Without a keeper the group
// is killed while the dead server still holds its process number, so that the number
// can not have become another process's group.
func (t *tree) reap(p *process) (how string) {
	if t.keeper != nil {
		how = t.keeper.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reaped = true
		return how
	}
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, p.pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t.signal(p, syscall.SIGKILL)
	t.guard.stop()
	_ = p.cmd.Wait()
	p.reaped = true
	return p.cmd.ProcessState.String()
}

// relatives are processes, each with its start time, which distinguishes it from a later
// process with the same number.
type relatives map[int]string

// descendants lists every process below the server, with those that left its group, as
// a browser does that a server starts. A keeper finds them itself.
func (t *tree) descendants(p *process) relatives {
	if t.keeper != nil {
		return nil
	}
	p.mu.Lock() // while it is held, the server keeps its number even when dead
	defer p.mu.Unlock()
	if p.reaped {
		return nil
	}
	return keep.Below(p.pid)
}

// kill ends those that are still there and returns when they are dead. (The server's
// group got its signal before, and dies of it in its own time.)
func (r relatives) kill() {
	for deadline := time.Now().Add(killGrace); len(r) > 0 && time.Now().Before(deadline); {
		for pid, at := range r {
			if s, ok := keep.Stat(pid); !ok || s.Started != at || s.Dead {
				delete(r, pid)
			} else {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if len(r) > 0 {
			time.Sleep(time.Millisecond)
		}
	}
}
