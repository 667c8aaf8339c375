package upstream

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lockThread keeps the goroutine on its thread until the returned function is called.
func lockThread() (unlock func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

func (t *tree) prepare(cmd *exec.Cmd) {
	// A session of its own: no terminal to read from or to be interrupted by, and
	// a process group that holds whatever the server starts.
	// Pdeathsig: when our process is killed, the kernel kills the server.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// reap waits for the server's end and ends its group with it. The group is killed
// while the dead server still holds its process number, so that the number can not
// have become another process's group.
func (t *tree) reap(p *process) {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
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
}

// relatives are processes, each with the time it started, which tells it from a
// later one of the same number.
type relatives map[int]string

// descendants lists every process below the server, those included that left its
// group, as browsers that a server starts do.
func (t *tree) descendants(p *process) relatives {
	found := relatives{}
	p.mu.Lock() // while it is held, the server keeps its number even when dead
	defer p.mu.Unlock()
	if p.reaped {
		return found
	}
	children := map[int][]int{}
	times := map[int]string{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return found
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if s, ok := stat(pid); ok {
			children[s.parent] = append(children[s.parent], pid)
			times[pid] = s.started
		}
	}
	for queue := children[p.cmd.Process.Pid]; len(queue) > 0; queue = queue[1:] {
		if _, known := found[queue[0]]; !known {
			found[queue[0]] = times[queue[0]]
			queue = append(queue, children[queue[0]]...)
		}
	}
	return found
}

// kill ends those that are still there and returns when they are dead. (The server's
// group got its signal before, and dies of it in its own time.)
func (r relatives) kill() {
	for deadline := time.Now().Add(killGrace); len(r) > 0 && time.Now().Before(deadline); {
		for pid, at := range r {
			if s, ok := stat(pid); !ok || s.started != at || s.dead {
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

// status is what /proc says of a process.
type status struct {
	parent  int
	started string
	dead    bool // not yet reaped by its parent, but dead
}

// stat reads /proc/PID/stat, proc(5).
func stat(pid int) (status, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return status{}, false
	}
	// The command in parentheses may hold anything, spaces and parentheses too.
	s := string(b)
	f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	if len(f) < 20 {
		return status{}, false
	}
	parent, err := strconv.Atoi(f[1])
	return status{parent: parent, started: f[19], dead: f[0] == "Z" || f[0] == "X"}, err == nil
}
