//go:build linux && (amd64 || arm64)

package gvisor

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
)

// TestConformance tests that every promise of a sandbox is kept. Run by root, it
// has an ordinary user do the same beside it, from the beginning instead of from
// a snapshot, with whatever else depends on privileges.
func TestConformance(t *testing.T) {
	check := startOrdinaryUser(t)
	var drivers []*Driver
	sandboxtest.Conformance(t, func(t *testing.T, lim sandbox.Limits) sandbox.Driver {
		d := newTestDriver(t, Options{Limits: lim})
		if d.warm.Load() == nil {
			t.Error("sandboxes do not start from a snapshot")
		}
		drivers = append(drivers, d)
		return d
	}, sandboxtest.WithOwnKernel(), sandboxtest.OnThisHost(func() (pids []int) {
		for _, d := range drivers {
			pids = append(pids, sentries(d)...)
		}
		return pids
	}))
	check()
}

// sentries are the first processes of the sandboxes that live.
func sentries(d *Driver) (pids []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.live {
		pids = append(pids, i.cmd.Process.Pid)
	}
	return pids
}

func TestConformanceFromTheBeginning(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("see TestConformance")
	}
	sandboxtest.Conformance(t, func(t *testing.T, lim sandbox.Limits) sandbox.Driver {
		return newTestDriver(t, Options{Limits: lim, Cold: true})
	}, sandboxtest.WithOwnKernel())
}

// ordinary is a user that no system has.
const ordinary = 54321

// startOrdinaryUser starts tests in a process without privileges and with a home
// of its own. The function it returns waits for them.
func startOrdinaryUser(t *testing.T) (check func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		return func() {}
	}
	home, err := os.MkdirTemp("", "ordinary-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	if err := os.Chown(home, ordinary, ordinary); err != nil {
		t.Fatal(err)
	}
	tests := "^(TestConformanceFromTheBeginning|TestProbe.*|TestNothing.*|TestTheDeath.*|TestASentry.*|TestMemory.*|TestSnapshots.*|TestCodeOf.*)$"
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run="+tests, "-test.v")
	cmd.Args[0] = "as an ordinary user"
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + home, "PATH=/usr/bin:/bin", runscEnv + "=" + sentryExe()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinary, Gid: ordinary}}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := cmd.Wait(); err != nil {
			t.Errorf("as an ordinary user: %v\n%s", err, out.String())
		}
		for _, want := range []string{"TestConformanceFromTheBeginning", "TestTheDeathOfTheOwner", "TestASentry", "TestMemory"} {
			if !strings.Contains(out.String(), "--- PASS: "+want) {
				t.Errorf("an ordinary user did not pass %s", want)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(home, ".cache/mcp-code-mode/gvisor/state/*/*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}
