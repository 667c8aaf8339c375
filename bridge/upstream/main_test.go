package upstream

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// The servers of the tests, built once per test binary.
var toyserver, hostile string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

// asHost names the hostile server to the copy of this binary that a test kills.
const asHost = "UPSTREAM_TEST_HOST"

// asHostMode is the mode of that server.
const asHostMode = "UPSTREAM_TEST_MODE"

func runTests(m *testing.M) int {
	if hostile = os.Getenv(asHost); hostile != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "upstream-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	for name, path := range map[string]*string{"toyserver": &toyserver, "hostile": &hostile} {
		*path = filepath.Join(dir, name)
		cmd := exec.Command("go", "build", "-o", *path, "../../testdata/"+name)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building %s: %v\n%s", name, err, out)
			return 1
		}
	}
	return m.Run()
}

// start starts a server for a test and closes it at the end.
func startTest(t testing.TB, o Options) *Upstream {
	t.Helper()
	if o.Name == "" {
		o.Name = "test"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	u, err := Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	return u
}

func toy(t testing.TB, args ...string) *Upstream {
	t.Helper()
	return startTest(t, Options{Command: &Command{Path: toyserver, Args: args}})
}

// logTo returns a logger whose output a test can look at.
func logTo(level slog.Level) (*slog.Logger, *syncBuffer) {
	b := &syncBuffer{}
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: level})), b
}

// testContext ends before the test binary gives up, so that a hang has a name.
func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !f(); {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}
