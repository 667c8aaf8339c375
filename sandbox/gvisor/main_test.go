//go:build linux && (amd64 || arm64)

package gvisor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// TestMain lets the test binary serve as runsc, and play its part in tests that
// need a second process.
func TestMain(m *testing.M) {
	Main()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	remove, err := makeStatic()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	name := os.Getenv(roleEnv)
	if name == "" {
		return m.Run()
	}
	if err := roles[name](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// runscEnv tells a process started by a test what its sentries are started from.
const runscEnv = "GVISOR_TEST_RUNSC"

// makeStatic gives a test binary that was built with cgo, as under the race
// detector, a static executable to start sentries from.
func makeStatic() (remove func(), err error) {
	remove = func() {}
	if path := os.Getenv(runscEnv); path != "" {
		selfExe = path
		return remove, nil
	}
	if f, err := executable(""); err == nil {
		f.Close()
		return remove, nil
	}
	dir, err := os.MkdirTemp("", "runsc-")
	if err != nil {
		return remove, err
	}
	remove = func() { os.RemoveAll(dir) }
	if err := os.Chmod(dir, 0o755); err != nil {
		return remove, err
	}
	selfExe = filepath.Join(dir, "runsc")
	cmd := exec.Command("go", "build", "-o", selfExe, "./runsc")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	return remove, cmd.Run()
}

func newTestDriver(t testing.TB, o Options) *Driver {
	t.Helper()
	if o.Runner == nil {
		o.Runner = sandbox.RunnerSource
	}
	d, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("closing the driver: %v", err)
		}
	})
	return d
}

func TestProbeStartsASandbox(t *testing.T) {
	ownState(t)
	before := takeCensus(t)
	if err := Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	settles(t, before)
}
