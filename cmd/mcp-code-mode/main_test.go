package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor"
)

// TestMain lets the test binary be the program itself: under the name
// mcp-code-mode for the scripts, and under runsc's for gVisor, which starts this
// very file again.
func TestMain(m *testing.M) {
	gvisor.Main()
	testscript.Main(suite{m}, map[string]func(){"mcp-code-mode": main})
}

// A suite takes away what testTools built once all tests have run.
type suite struct{ *testing.M }

func (s suite) Run() int {
	defer func() {
		if toolsDir.path != "" {
			os.RemoveAll(toolsDir.path)
		}
	}()
	return s.M.Run()
}

// TestScripts runs the cases that need no sandbox.
func TestScripts(t *testing.T) {
	testscript.Run(t, params(t, "../../testdata/script", ""))
}

// TestScriptsInSandbox runs the cases that run code, once with each driver.
func TestScriptsInSandbox(t *testing.T) {
	for _, d := range drivers() {
		t.Run(d.name, func(t *testing.T) {
			if d.err != nil {
				if os.Getenv("CI") == "true" {
					t.Fatalf("CI has to test the %s sandbox: %v", d.name, d.err)
				}
				t.Skipf("**** NOT TESTED: the %s sandbox: %v", d.name, d.err)
			}
			testscript.Run(t, params(t, "../../testdata/script/sandbox", d.name))
		})
	}
}

type driver struct {
	name string
	err  error
}

// drivers says which sandboxes work here.
var drivers = sync.OnceValue(func() []driver {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, dockerErr := docker.Probe(ctx)
	return []driver{{"docker", dockerErr}, {"gvisor", gvisor.Probe(ctx)}}
})

// params gives scripts the toy server, stock OPA and one cache for all.
func params(t *testing.T, dir, sandbox string) testscript.Params {
	tools := testTools(t)
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", tools+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("MCP_CODE_MODE_CACHE_DIR", filepath.Join(tools, "cache"))
			env.Setenv("DOCKER_HOST", os.Getenv("DOCKER_HOST"))
			env.Setenv("SANDBOX", sandbox)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "quiet": quiet, "unhex": unhex},
		Condition: func(cond string) (bool, error) {
			for _, d := range drivers() {
				if d.name == cond {
					return d.err == nil, nil
				}
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	}
}

// exits runs a program and wants its exit code: exits CODE PROGRAM ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	got := 0
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// quiet wants nothing on the last program's stderr, except about sandboxes of others: tests
// beside this one kill programs, and what those leave on the engine is removed and said.
func quiet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: quiet")
	}
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if !strings.Contains(line, `msg="removing a sandbox that was left behind"`) {
			ts.Fatalf("on stderr: %s", line)
		}
	}
}

// unhex writes the bytes that a file spells in hex: unhex FROM TO.
func unhex(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: unhex FROM TO")
	}
	data, err := hex.DecodeString(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o644))
}

// toolsDir holds what testTools built; it outlives single tests.
var toolsDir struct {
	sync.Once
	path string
	err  error
}

// testTools builds the toy server and stock OPA, once, and returns their folder.
func testTools(t *testing.T) string {
	t.Helper()
	toolsDir.Do(func() { toolsDir.path, toolsDir.err = buildTools() })
	if toolsDir.err != nil {
		t.Fatal(toolsDir.err)
	}
	return toolsDir.path
}

func buildTools() (string, error) {
	dir, err := os.MkdirTemp("", "mcp-code-mode-test-")
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(filepath.Join(dir, "cache"), 0o700); err != nil {
		return "", err
	}
	if _, err := output("go", "build", "-o", filepath.Join(dir, "toyserver"), "../../testdata/toyserver"); err != nil {
		return "", err
	}
	opa, err := output("go", "tool", "-n", "opa")
	if err != nil {
		return "", err
	}
	return dir, os.Symlink(strings.TrimSpace(opa), filepath.Join(dir, "opa"))
}

func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, stderr.String())
	}
	return string(out), nil
}
