//go:build linux

package e2e

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// built are the programs under test, and one cache for all tests, because filling
// one takes seconds.
var built struct{ program, toyserver, hostile, cache string }

// TestMain is also the nurse that watches over a program under test.
func TestMain(m *testing.M) {
	if os.Args[0] == nurseName {
		os.Exit(nurse(os.Args[1:]))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "e2e-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// Most of the time a test waits for a process to start or to end.
	flag.Parse()
	_ = flag.Set("test.parallel", strconv.Itoa(max(4, runtime.GOMAXPROCS(0))))
	return m.Run()
}

// build builds what E2E_BIN does not name, without cgo: gVisor starts the
// program again inside of a chroot.
func build(dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil { // other users run it too
		return err
	}
	built.cache = filepath.Join(dir, "cache")
	if err := os.Mkdir(built.cache, 0o700); err != nil {
		return err
	}
	for _, p := range []struct {
		path     *string
		name, at string
	}{
		{&built.program, "mcp-code-mode", ".."},
		{&built.toyserver, "toyserver", "../../../testdata/toyserver"},
		{&built.hostile, "hostile", "../../../testdata/hostile"},
	} {
		if given := os.Getenv("E2E_BIN"); given != "" {
			*p.path = filepath.Join(given, p.name)
			if _, err := os.Stat(*p.path); err == nil {
				continue
			}
		}
		*p.path = filepath.Join(dir, p.name)
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", *p.path, p.at)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", cmd, err, out)
		}
	}
	return nil
}

// eachDriver runs a test with every sandbox driver.
func eachDriver(t *testing.T, test func(t *testing.T, driver string)) {
	t.Parallel()
	for _, driver := range []string{"docker", "gvisor"} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			needDriver(t, driver)
			test(t, driver)
		})
	}
}

// works says whether a driver works here: nil, or why not. It also fills the cache.
var works = map[string]func() error{
	"docker": sync.OnceValue(func() error { return try("docker") }),
	"gvisor": sync.OnceValue(func() error { return try("gvisor") }),
}

func try(driver string) error {
	cmd := exec.Command(built.program, "run", "--sandbox", driver, "-c", "pass")
	cmd.Env = append(os.Environ(), "MCP_CODE_MODE_CACHE_DIR="+built.cache)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func needDriver(t *testing.T, driver string) {
	t.Helper()
	if err := works[driver](); err != nil {
		missing(t, fmt.Sprintf("the %s sandbox does not work here: %v", driver, err))
	}
}

// missing skips a test loudly, and fails it in CI.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip("**** NOT TESTED: " + what)
}

// realServer is the command line of a server pinned in testdata/servers.
func realServer(t *testing.T, name string, args ...string) []string {
	t.Helper()
	return append([]string{node(t), installed(t, "servers", "server-"+name+"/dist/index.js")}, args...)
}

func node(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		missing(t, "node is not installed, so nothing is tested with real servers and clients")
	}
	return path
}

// installed is the path of a file in a package that is pinned in a directory of
// testdata.
func installed(t *testing.T, dir, file string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../../testdata", dir, "node_modules/@modelcontextprotocol", file))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		missing(t, fmt.Sprintf("not installed (cd testdata/%s && npm ci --ignore-scripts): %v", dir, err))
	}
	return path
}

// patience bounds every wait for what must happen. It is no promise about speed.
const patience = 60 * time.Second

// eventually waits for something that others bring about.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("did not happen in %v: %s", patience, what)
		}
	}
}

// output runs a short program of the machine.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}
