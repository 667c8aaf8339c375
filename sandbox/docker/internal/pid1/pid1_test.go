//go:build linux && (amd64 || arm64)

package pid1

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestMain is also what the first process starts: "role" and the name of one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "role" {
		roles[os.Args[2]]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var roles = map[string]func(){
	"copy": func() { _, _ = io.Copy(os.Stdout, os.Stdin) },
	"environment": func() {
		fmt.Println(os.Environ(), os.Args[3:], mask())
	},
	"exit 7":  func() { os.Exit(7) },
	"be shot": func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) },
	"stay": func() {
		signal.Ignore()
		fmt.Println("here")
		time.Sleep(time.Hour)
	},
	"close and stay": func() {
		_ = os.Stdin.Close()
		fmt.Println("here")
		time.Sleep(time.Hour)
	},
	"leave orphans": func() {
		for range 20 {
			child := exec.Command(os.Args[0], "role", "start and exit")
			_ = child.Run()
		}
		fmt.Println("left")
		time.Sleep(time.Hour)
	},
	"start and exit": func() { _ = exec.Command(os.Args[0], "role", "exit 7").Start() },
	"act on others":  actOnOthers,
	"end processes": func() {
		for range 2 * runtime.NumCPU() {
			go endProcesses(time.Now().Add(time.Minute))
		}
		fmt.Println("here")
		time.Sleep(time.Hour)
	},
}

// endProcesses makes children of the first process that end at once, until then.
func endProcesses(then time.Time) {
	for time.Now().Before(then) {
		if pid, _, _ := syscall.RawSyscall6(syscall.SYS_CLONE, unix.CLONE_PARENT, 0, 0, 0, 0, 0); pid == 0 {
			syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
}

// actOnOthers says which changes of a schedule, and signals, the kernel carries out.
func actOnOthers() {
	processor, none := [128]byte{1}, [128]byte{48: 0}
	attributes := [128]byte{48} // its own size, for sched_setattr
	works := func(number, a, b, c uintptr) string {
		if _, _, errno := syscall.RawSyscall(number, a, b, c); errno != 0 {
			return "-"
		}
		return "+"
	}
	at := func(b *[128]byte) uintptr { return uintptr(unsafe.Pointer(b)) }
	for _, process := range []uintptr{0, 1} {
		fmt.Println("process", process, ":"+
			works(unix.SYS_SCHED_SETAFFINITY, process, 128, at(&processor))+
			works(unix.SYS_SCHED_SETSCHEDULER, process, 0, at(&none))+
			works(unix.SYS_SCHED_SETPARAM, process, at(&none), 0)+
			works(unix.SYS_SCHED_SETATTR, process, at(&attributes), 0)+
			works(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, process, 1))
	}
	fmt.Println("groups", ":"+works(unix.SYS_SETPRIORITY, unix.PRIO_PGRP, 0, 1)+works(unix.SYS_SETPRIORITY, unix.PRIO_USER, 0, 1))
	fmt.Println("filters", ":"+works(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, 1, 0))
	signals := func(signal uintptr) {
		self := uintptr(os.Getpid())
		fmt.Println("signal", signal, ":"+works(unix.SYS_KILL, self, signal, 0)+works(unix.SYS_TKILL, self, signal, 0)+
			works(unix.SYS_TGKILL, self, self, signal)+works(unix.SYS_FCNTL, 0, unix.F_SETSIG, signal))
	}
	signals(uintptr(unix.SIGCONT))
	signals(uintptr(unix.SIGSTOP))
	runtime.KeepAlive(&processor)
}

// mask is which signals are blocked.
func mask() string {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "SigBlk:\t")
	blocked, _, _ := strings.Cut(rest, "\n")
	return blocked
}

// eachArchitecture tests the program natively, and for the other architecture where
// there is an emulator.
func eachArchitecture(t *testing.T, test func(t *testing.T, start func(role string) *first)) {
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			path, _ := exec.LookPath(map[string]string{"amd64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static"}[arch])
			if arch != runtime.GOARCH && path == "" {
				t.Skipf("SKIPPED, NOT TESTED: no emulator for %s", arch)
			}
			file := written(t, arch)
			test(t, func(role string) *first {
				command := []string{file, os.Args[0], "role", role, "argument"}
				if arch != runtime.GOARCH {
					command = append([]string{path}, command...)
				}
				return startFirst(t, command)
			})
		})
	}
}

// written is the program as a file.
func written(t *testing.T, arch string) string {
	t.Helper()
	program, err := Program(arch, []string{"A=1", "LONGER=2 3"})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "init")
	if err := os.WriteFile(file, program, 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// A first is the program while it runs.
type first struct {
	*exec.Cmd
	t   *testing.T
	in  io.WriteCloser
	out io.ReadCloser
}

// startFirst starts the program as the first process of a namespace.
func startFirst(t *testing.T, command []string) *first {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 65534, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 65534, HostID: os.Getegid(), Size: 1}},
	}
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if err := errors.Join(errIn, errOut, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	p := &first{cmd, t, in, out}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return p
}

// ends waits for the end, which must not take long.
func (p *first) ends(status int) {
	p.t.Helper()
	done := make(chan error, 1)
	go func() { done <- p.Wait() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		p.t.Fatal("it did not end")
	}
	if got := p.ProcessState.ExitCode(); got != status {
		p.t.Errorf("status %d, want %d", got, status)
	}
}

func (p *first) says(line string) {
	p.t.Helper()
	got := make([]byte, len(line)+1)
	if _, err := io.ReadFull(p.out, got); err != nil || string(got) != line+"\n" {
		p.t.Fatalf("said %q, %v, want %q", got, err, line)
	}
}

func TestInputArrivesUnchanged(t *testing.T) {
	eachArchitecture(t, func(t *testing.T, start func(string) *first) {
		p := start("copy")
		const piece, pieces, under = 65_521, MaxUnread * 9 / 8 / 65_521, 100 // once around the ring, and on
		sent := make([]byte, piece*pieces)
		rand.New(rand.NewSource(1)).Read(sent)
		way := make(chan struct{}, under) // a token for each piece that is on its way
		go func() {
			for at := 0; at < len(sent); at += piece {
				way <- struct{}{}
				_, _ = p.in.Write(sent[at : at+piece])
			}
		}()
		got := make([]byte, len(sent))
		for at := 0; at < len(got); at += piece {
			if _, err := io.ReadFull(p.out, got[at:at+piece]); err != nil {
				t.Fatalf("after %d bytes: %v", at, err)
			}
			<-way
		}
		if !bytes.Equal(got, sent) {
			t.Error("it has changed")
		}
		_ = p.in.Close()
		p.ends(HostGone)
	})
}

func TestTheCommandGetsItsArgumentsAndExactlyThisEnvironment(t *testing.T) {
	eachArchitecture(t, func(t *testing.T, start func(string) *first) {
		p := start("environment")
		p.says("[A=1 LONGER=2 3] [argument] 0000000000000000")
		p.ends(0)
	})
}

func TestTheStatusIsTheCommands(t *testing.T) {
	eachArchitecture(t, func(t *testing.T, start func(string) *first) {
		start("exit 7").ends(7)
		start("be shot").ends(128 + int(syscall.SIGKILL))
	})
}

func TestACommandThatIsNotThere(t *testing.T) {
	file := written(t, runtime.GOARCH)
	startFirst(t, []string{file, "/no/such/program"}).ends(NotFound)
	startFirst(t, []string{file}).ends(NotFound)
}

func TestTheEndOfTheInputEndsEverythingThoughNobodyReads(t *testing.T) {
	eachArchitecture(t, func(t *testing.T, start func(string) *first) {
		for _, unread := range []int{0, 1, pipeSize, MaxUnread / 2} {
			p := start("stay")
			p.says("here")
			if _, err := p.in.Write(make([]byte, unread)); err != nil {
				t.Fatal(err)
			}
			children := p.children()
			_ = p.in.Close()
			p.ends(HostGone)
			if len(children) != 1 || syscall.Kill(children[0], 0) == nil {
				t.Errorf("%d bytes unread: of the children %v some are there", unread, children)
			}
		}
	})
}

func TestMoreInputThanItKeepsEndsIt(t *testing.T) {
	eachArchitecture(t, func(t *testing.T, start func(string) *first) {
		p := start("stay")
		p.says("here")
		go func() { _, _ = p.in.Write(make([]byte, MaxUnread+3*pipeSize)) }()
		p.ends(Overfull)
	})
}

func TestInputThatNobodyCanReadIsDropped(t *testing.T) {
	eachArchitecture(t, func(t *testing.T, start func(string) *first) {
		p := start("close and stay")
		p.says("here")
		if _, err := p.in.Write(make([]byte, 2*MaxUnread)); err != nil {
			t.Fatal(err)
		}
		_ = p.in.Close()
		p.ends(HostGone)
	})
}

func TestOrphansThatEndedDoNotStay(t *testing.T) {
	p := startFirst(t, []string{written(t, runtime.GOARCH), os.Args[0], "role", "leave orphans"})
	p.says("left")
	for deadline := time.Now().Add(30 * time.Second); len(p.children()) != 1; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("children %v", p.children())
		}
	}
}

func TestTheEndOfTheInputEndsEverythingThoughProcessesEndAllTheTime(t *testing.T) {
	p := startFirst(t, []string{written(t, runtime.GOARCH), os.Args[0], "role", "end processes"})
	p.says("here")
	_ = p.in.Close()
	p.ends(HostGone)
}

// Whether that keeps the first process running, the package docker tests.
func TestNobodyStopsOrStarvesAnother(t *testing.T) {
	p := startFirst(t, []string{written(t, runtime.GOARCH), os.Args[0], "role", "act on others"})
	p.says("process 0 :+++++")
	p.says("process 1 :-----")
	p.says("groups :--")
	p.says("filters :-")
	p.says("signal 18 :+++-")
	p.says("signal 19 :----")
	p.ends(0)
}

func (p *first) children() (pids []int) {
	p.t.Helper()
	pid := strconv.Itoa(p.Process.Pid)
	text, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, field := range strings.Fields(string(text)) {
		child, err := strconv.Atoi(field)
		if err != nil {
			p.t.Fatal(err)
		}
		pids = append(pids, child)
	}
	slices.Sort(pids)
	return pids
}
