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
		if parent, at, ok := stat(pid); ok {
			children[parent] = append(children[parent], pid)
			times[pid] = at
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

// kill ends those that are still there.
func (r relatives) kill() {
	for pid, at := range r {
		if _, now, ok := stat(pid); ok && now == at {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// stat reads a process's parent and start time, proc(5).
func stat(pid int) (parent int, at string, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, "", false
	}
	// The command in parentheses may hold anything, spaces and parentheses too.
	s := string(b)
	f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	if len(f) < 20 {
		return 0, "", false
	}
	parent, err = strconv.Atoi(f[1])
	return parent, f[19], err == nil
}
