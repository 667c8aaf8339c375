//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const nurseName = "e2e-nurse"

// nurse starts a program and waits until it is gone and everything that it
// started with it: the kernel gives every orphan below a subreaper to it, also
// those in sessions of their own. On descriptor 3 the nurse says the program's
// pid, then how it ended; then it stays for as long as anything is left.
//
// That is how a test sees every process of one program and of no other. The
// first argument is the user the program runs as, or "".
func nurse(args []string) int {
	user, argv := args[0], args[1:]
	report := os.NewFile(3, "report")
	unix.CloseOnExec(3)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(report, err)
		return 1
	}
	how := &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}}
	if id, err := strconv.ParseUint(user, 10, 32); err == nil {
		how.Sys = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}}
	}
	child, err := os.StartProcess(argv[0], argv, how)
	if err != nil {
		fmt.Fprintln(report, err)
		return 1
	}
	fmt.Fprintln(report, child.Pid)
	os.Stdin.Close() // these are the program's alone
	os.Stdout.Close()
	pass := make(chan os.Signal, 1)
	signal.Notify(pass, syscall.SIGTERM)
	go func() {
		for s := range pass {
			_ = child.Signal(s) // it may have ended
		}
	}()
	code := 0
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil: // nothing is left
			return code
		case pid == child.Pid:
			if code = status.ExitStatus(); status.Signaled() {
				code = 128 + int(status.Signal())
			}
			fmt.Fprintln(report, code)
		}
	}
}

// process is one entry of /proc.
type process struct {
	pid  int
	exe  string
	args []string
}

func (p process) String() string { return fmt.Sprintf("%d %q", p.pid, p.args) }

// below lists the processes below one, zombies not counted.
func below(root int) []process {
	children := map[int][]int{}
	dead := map[int]bool{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		if err != nil {
			continue // gone meanwhile
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		// pid (comm) state ppid …, and comm may hold anything.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], pid)
		dead[pid] = fields[0] == "Z" || fields[0] == "X"
	}
	var found []process
	var walk func(pid int)
	walk = func(pid int) {
		for _, child := range children[pid] {
			if !dead[child] {
				found = append(found, describe(child))
			}
			walk(child)
		}
	}
	walk(root)
	return found
}

func describe(pid int) process {
	exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return process{pid, strings.TrimSuffix(exe, " (deleted)"), strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")}
}
