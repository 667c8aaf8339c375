//go:build linux

package docker

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

func TestRuntimeThatTheEngineLacks(t *testing.T) {
	needEngine(t)
	_, err := New(t.Context(), Options{Runner: sandbox.RunnerSource, Runtime: "nonesuch"})
	wantError(t, err, `using runtime "nonesuch"`, "has only", "runc")
}

func TestRuntimeThatTheEngineHas(t *testing.T) {
	e := needEngine(t)
	works(t, newDriver(t, Options{Runtime: e.Runtime}))
}

// gVisor runs the sandbox's threads on its own, which is what a cgroup counts.
func TestProcessesAreLimitedInsideGVisor(t *testing.T) {
	h := launch{gvisor: true}.hostConfig()
	if last := h.Ulimits[len(h.Ulimits)-1]; last.Name != "nproc" || last.Hard != 65 || *h.PidsLimit != 4*65+gvisorThreads {
		t.Errorf("ulimit %+v, pids %d", last, *h.PidsLimit)
	}
}

func TestGVisorAsTheRuntimeOfTheEngine(t *testing.T) {
	needEngine(t)
	runsc := filepath.Join(t.TempDir(), "runsc")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", runsc, "gvisor.dev/gvisor/runsc")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // it runs itself in a chroot
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ownEngine(t, fmt.Sprintf(`{"runtimes": {"runsc": {"path": %q}}}`, runsc))
	d := newDriver(t, Options{Runtime: "runsc"})
	o, err := open(t, d).Exec(t.Context(), `
import threading, time, os
try:
    for n in range(200): threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
except RuntimeError: print('limited', n <= 64)
print(os.uname().release, os.getuid())
`, nil)
	if err != nil || !strings.HasPrefix(o.Stdout, "limited True\n4.19.0-gvisor 209") {
		t.Errorf("got %+v, %v", o, err)
	}
	outlived(t, "runsc")
}

// crun starts a container in less time than runc; what confines one must be the same.
func TestCrunAsTheRuntimeOfTheEngine(t *testing.T) {
	needEngine(t)
	path, err := exec.LookPath(crun)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI needs crun: %v", err)
		}
		t.Skip("SKIPPED, NOT TESTED: crun is not installed")
	}
	ownEngine(t, fmt.Sprintf(`{"runtimes": {%q: {"path": %q}}}`, crun, path))
	d := newDriver(t, Options{Runtime: crun})
	s := open(t, d)
	o, err := s.Exec(t.Context(), `
import os, socket, subprocess
status = dict(line.split(':\t') for line in open('/proc/self/status').read().splitlines())
print(*(status[key] for key in ('CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp')), os.getuid() == os.getgid() > 65534, [l.split(':')[0].strip() for l in open('/proc/net/dev')][2:])
def fails(f, *args):
    try: f(*args)
    except OSError as e: return type(e).__name__
print(fails(open, '/dev/shm/new', 'w'), fails(open, '/new', 'w'), fails(open, '/proc/sys/kernel/hostname', 'w'))
open('/tmp/script', 'w').write('#!/usr/bin/python3')
os.chmod('/tmp/script', 0o755)
print(fails(subprocess.run, ['/tmp/script']), fails(socket.create_connection, ('127.0.0.1', 1)))
import threading, time
try:
    for n in range(200): threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
except RuntimeError: print('limited', n <= 64)
`, nil)
	const want = "0000000000000000 0000000000000000 1 2 True ['lo']\nFileNotFoundError OSError FileNotFoundError\nPermissionError OSError\nlimited True\n"
	if err != nil || o.Stdout != want {
		t.Errorf("got %+v, %v", o, err)
	}
	everything(t, d)
	o, err = open(t, d).Exec(t.Context(), "x = bytearray(600 << 20)", nil)
	if err != nil || !strings.Contains(o.Error, "memory") {
		t.Errorf("got %+v, %v", o, err)
	}
	outlived(t, crun)
}
