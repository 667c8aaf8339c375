//go:build linux && (amd64 || arm64)

package gvisor

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
)

// TestMain lets the test binary serve as runsc.
func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

// runscPath is the executable sentries are started from: this one or, when it was
// built with cgo as under the race detector, a static one built for the purpose.
var runscPath = sync.OnceValues(func() (string, error) {
	self, err := executable("")
	if err == nil {
		self.Close()
		return "", nil
	}
	dir, err := os.MkdirTemp("", "runsc-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "runsc")
	cmd := exec.Command("go", "build", "-o", path, "./runsc")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	return path, cmd.Run()
})

func newTestDriver(t testing.TB, o Options) *Driver {
	t.Helper()
	var err error
	if o.Runsc, err = runscPath(); err != nil {
		t.Fatal(err)
	}
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

func TestConformance(t *testing.T) {
	for name, cold := range map[string]bool{"cold": true, "warm": false} {
		t.Run(name, func(t *testing.T) {
			sandboxtest.Conformance(t, func(t *testing.T, lim sandbox.Limits) sandbox.Driver {
				return newTestDriver(t, Options{Limits: lim, Cold: cold})
			})
		})
	}
}
