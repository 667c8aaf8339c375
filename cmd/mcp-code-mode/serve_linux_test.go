package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestServingEndsAlthoughTheClientDoesNotRead(t *testing.T) {
	for name, end := range map[string]func(*served) error{
		"stdin closed": func(s *served) error { return s.in.Close() },
		"SIGTERM":      func(s *served) error { return s.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, "--sandbox", "gvisor", "--warm", "1", "--", "toyserver")
			s.initialize()
			// A run, so that there is a sandbox as well.
			s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_python","arguments":{"code":"await add(a=1, b=2)"}}}`)
			if a := s.receive(2); a.Error != nil {
				t.Fatalf("run_python: %s", a.Error.Message)
			}
			for i := range 300 {
				s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, 3+i))
			}
			s.fillStdout()
			children := descendants(t, s.cmd.Process.Pid)
			if len(children) == 0 {
				t.Fatal("not even the wrapped server is running")
			}
			if err := end(s); err != nil {
				t.Fatal(err)
			}
			if code := s.exit(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
			for pid, comm := range children {
				if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
					t.Errorf("%s (%d) is still there", comm, pid)
				}
			}
		})
	}
}

// fillStdout waits until the program can write no more.
func (s *served) fillStdout() {
	s.Helper()
	end, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", s.cmd.Process.Pid), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		s.Fatal(err)
	}
	defer end.Close()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		writable := []unix.PollFd{{Fd: int32(end.Fd()), Events: unix.POLLOUT}}
		switch n, err := unix.Poll(writable, 0); {
		case err != nil:
			s.Fatal(err)
		case n == 0:
			return
		case time.Now().After(deadline):
			s.Fatal("there is still room in stdout")
		}
	}
}

// descendants returns the processes that a process started, and these in turn, with
// their names.
func descendants(t *testing.T, pid int) map[int]string {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	type process struct {
		pid, parent int
		comm        string
	}
	var all []process
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// pid (comm) state ppid …, and comm may hold anything.
		open, shut := strings.Index(string(data), " ("), strings.LastIndex(string(data), ") ")
		fields := strings.Fields(string(data[shut+1:]))
		p := process{comm: string(data[open+2 : shut])}
		if p.pid, err = strconv.Atoi(string(data[:open])); err != nil {
			t.Fatal(err)
		}
		if p.parent, err = strconv.Atoi(fields[1]); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	found := map[int]string{}
	for parents := []int{pid}; len(parents) > 0; {
		var next []int
		for _, p := range all {
			if slices.Contains(parents, p.parent) {
				found[p.pid] = p.comm
				next = append(next, p.pid)
			}
		}
		parents = next
	}
	return found
}
