//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"log"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
)

// python is the Python that sandboxes hold, or this machine's where that
// cannot be had.
var python string

func TestMain(m *testing.M) {
	if python = os.Getenv("RUNNER_PYTHON"); python != "" { // make test tries the oldest one too
		os.Exit(m.Run())
	}
	dir, _, err := rootfs.Tree(context.Background(), sandbox.RunnerSource, nil)
	switch {
	case err == nil:
		python = filepath.Join(dir, "usr/bin/python3")
	case !errors.Is(err, rootfs.ErrUnsupported):
		log.Fatal(err)
	}
	os.Exit(m.Run())
}

func newProcess(t testing.TB) *sandboxtest.Process {
	t.Helper()
	d, err := sandboxtest.NewProcess(python)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if n := d.Live(); n != 0 {
			t.Errorf("%d sandboxes left", n)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func open(t testing.TB) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.Open(t.Context(), newProcess(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// faulty is a driver that can go away and whose machines can be got at.
type faulty struct {
	sandbox.Driver
	starts atomic.Int64
	away   atomic.Bool   // Start fails
	hold   chan struct{} // unless nil, Start waits until it is closed

	mu        sync.Mutex
	instances []*machine // guarded by mu
}

var errAway = errors.New("the engine is away")

func (f *faulty) Start(ctx context.Context) (sandbox.Instance, error) {
	f.starts.Add(1)
	if f.hold != nil {
		select {
		case <-f.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if f.away.Load() {
		return nil, errAway
	}
	inst, err := f.Driver.Start(ctx)
	if err != nil {
		return nil, err
	}
	m := &machine{Instance: inst}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.instances = append(f.instances, m)
	return m, nil
}

func (f *faulty) machines() []*machine {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.instances
}

// machine is an instance that can freeze: what is written to it is lost.
type machine struct {
	sandbox.Instance
	frozen atomic.Bool
}

func (m *machine) Write(b []byte) (int, error) {
	if m.frozen.Load() {
		return len(b), nil
	}
	return m.Instance.Write(b)
}

// eventually waits for a condition that the background brings about.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never came true: %s", what)
		}
	}
}
