//go:build linux && (amd64 || arm64)

package gvisor

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// TestASentryIsConfined looks at the host's side of a sandbox: what an attacker
// would have who had taken over the sentry itself.
func TestASentryIsConfined(t *testing.T) {
	for name, cold := range map[string]bool{"from a snapshot": false, "from the beginning": true} {
		t.Run(name, func(t *testing.T) {
			d := newTestDriver(t, Options{Cold: cold})
			i, err := d.start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ready(t, i)
			pid := i.cmd.Process.Pid
			for _, p := range append(descendants(t, pid), fmt.Sprintf("%d@", pid)) {
				id, _, _ := strings.Cut(p, "@")
				checkConfined(t, "/proc/"+id, i.user)
			}
			checkFiles(t, fmt.Sprintf("/proc/%d", pid))
			i.Kill()
			i.Wait()
		})
	}
}

func checkConfined(t *testing.T, proc string, u *user) {
	t.Helper()
	text, err := os.ReadFile(proc + "/status")
	if err != nil {
		t.Fatal(err)
	}
	if root := os.Geteuid() == 0; root == (u.uid == os.Geteuid()) || root && u.uid < rootIDs.first {
		t.Errorf("the sandbox is user %d on the host", u.uid)
	}
	uid := strconv.Itoa(u.uid)
	status := string(text)
	for _, want := range []string{
		"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000",
		"CapBnd:\t0000000000000000", "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2",
		"Uid:\t" + strings.Join([]string{uid, uid, uid, uid}, "\t"),
	} {
		if !strings.Contains(status, want+"\n") {
			t.Errorf("%s: no %q in its status:\n%s", proc, want, status)
		}
	}
	for _, ns := range []string{"user", "pid", "mnt", "net", "ipc", "uts"} {
		ours, err := os.Readlink("/proc/self/ns/" + ns)
		if err != nil {
			t.Fatal(err)
		}
		if theirs, err := os.Readlink(proc + "/ns/" + ns); err == nil && theirs == ours {
			t.Errorf("%s shares our %s namespace", proc, ns)
		} else if err != nil && os.Geteuid() == 0 {
			t.Errorf("reading the namespaces of %s: %v", proc, err)
		}
	}
}

// checkFiles checks that the sentry has no directory open and no file of the
// host but the root image and its own executable, and that its root is empty.
func checkFiles(t *testing.T, proc string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return // the kernel lets nobody else look
	}
	fds, err := filepath.Glob(proc + "/fd/*")
	if err != nil || len(fds) < 5 {
		t.Fatalf("reading the sentry's descriptors: %v, %v", fds, err)
	}
	for _, fd := range fds {
		target, err := os.Readlink(fd)
		if err != nil {
			continue // closed since
		}
		if info, err := os.Stat(fd); err == nil && info.IsDir() {
			t.Errorf("the sentry has the directory %s open", target)
		}
		base := filepath.Base(target)
		if strings.HasPrefix(target, "/") && target != "/dev/null" && !strings.HasPrefix(target, "/memfd:") && !strings.HasPrefix(base, rootPrefix) {
			t.Errorf("the sentry has %s open", target)
		}
	}
	// Through /proc the root is that of its mount namespace.
	root := filepath.Join(proc, "root")
	if names, err := filepath.Glob(root + "/*"); err != nil || strings.Join(names, " ") != root+"/etc "+root+"/proc" {
		t.Errorf("the sentry's root holds %v (%v), want etc and proc", names, err)
	}
	for dir, want := range map[string]string{"etc": "localtime", "proc": ""} {
		entries, err := os.ReadDir(filepath.Join(proc, "root", dir))
		if err != nil {
			t.Error(err)
		}
		for _, e := range entries {
			if e.Name() != want {
				t.Errorf("/%s in the sentry's root holds %s", dir, e.Name())
			}
		}
	}
}

// A sentry under attack from inside: many big pipes are memory of the sentry, not
// of the processes inside, so only the watchdog's second number sees them.
func TestMemoryOfTheSentryItselfIsBounded(t *testing.T) {
	const code = `
import fcntl, os
for i in range(12):
    if os.fork() == 0:
        break
chunk = bytes(1 << 20)
for i in range(24):
    r, w = os.pipe()
    fcntl.fcntl(w, 1031, 1 << 20)  # F_SETPIPE_SZ
    os.set_blocking(w, False)
    try:
        os.write(w, chunk)
    except BlockingIOError:
        pass
import time
time.sleep(30)
`
	d := newTestDriver(t, Options{})
	s, err := sandbox.Open(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	o, err := s.Exec(t.Context(), code, nil)
	if err != nil || !o.Stopped || !strings.Contains(o.Error, "out of memory") {
		t.Errorf("got %+v (%v), want it stopped for memory", o, err)
	}
}

func TestMemoryUsedOneAfterTheOtherIsNotAddedUp(t *testing.T) {
	const code = `
import time
for i in range(6):
    x = bytearray(150 << 20)
    for j in range(0, len(x), 4096):
        x[j] = 1
    del x
    time.sleep(0.5)  # for gVisor to give it back
print('alive')
`
	d := newTestDriver(t, Options{})
	s, err := sandbox.Open(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if o, err := s.Exec(t.Context(), code, nil); err != nil || o.Stdout != "alive\n" {
		t.Errorf("got %+v (%v)", o, err)
	}
}

// gVisor turns a system call instruction into a jump the first time it is used. Where it cannot,
// nothing fails, but each system call takes ten times as long.
func TestSystemCallsTakeTheShortWay(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("gVisor does that on amd64 only")
	}
	const code = "print(sum('[usertrap]' in line for line in open('/proc/self/maps')))"
	if got := run1(t, newTestDriver(t, Options{}), code); got != "1\n" {
		t.Errorf("%q tables of patched system calls are mapped", got)
	}
}
