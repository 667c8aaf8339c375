//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// A served is the program under test, serving, with its ends in our hands. It
// speaks JSON lines, not an SDK, so that nothing is made up for it.
type served struct {
	*testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *lockedBuffer
	done   chan error
}

type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serve starts the program, serving. It is killed when the test ends, if it still runs.
func serve(t *testing.T, args ...string) *served {
	t.Helper()
	return start(t, append([]string{"serve"}, args...)...)
}

func start(t *testing.T, args ...string) *served {
	t.Helper()
	tools := testTools(t)
	s := &served{T: t, cmd: exec.Command("mcp-code-mode", args...), stderr: &lockedBuffer{}, done: make(chan error, 1)}
	s.cmd.Dir = t.TempDir()
	s.cmd.Env = append(s.cmd.Environ(), "PATH="+tools+":"+pathOf(s.cmd), "MCP_CODE_MODE_CACHE_DIR="+filepath.Join(tools, "cache"))
	s.cmd.Stderr = s.stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.in, s.out = in, bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		if t.Failed() {
			t.Logf("stderr:\n%s", s.stderr)
		}
	})
	return s
}

func pathOf(cmd *exec.Cmd) string {
	for _, v := range cmd.Environ() {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			return path
		}
	}
	return ""
}

func (s *served) send(line string) {
	s.Helper()
	if _, err := fmt.Fprintln(s.in, line); err != nil {
		s.Fatal(err)
	}
}

type answer struct {
	ID     int
	Result json.RawMessage
	Error  *struct{ Message string }
}

// receive reads lines up to the answer with this id.
func (s *served) receive(id int) answer {
	s.Helper()
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			s.Fatalf("waiting for answer %d: %v", id, err)
		}
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			s.Fatalf("stdout holds what is no message: %q", line)
		}
		if a.ID == id && (a.Result != nil || a.Error != nil) {
			return a
		}
	}
}

func (s *served) initialize() {
	s.Helper()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	if a := s.receive(1); a.Error != nil {
		s.Fatalf("initialize: %s", a.Error.Message)
	}
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// exit waits for the program's end and returns its exit code.
func (s *served) exit() int {
	s.Helper()
	go func() { s.done <- s.cmd.Wait() }()
	select {
	case err := <-s.done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			s.Fatal(err)
		}
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(30 * time.Second):
		s.Fatal("the program does not end")
		return -1
	}
}

func TestTheHandshakeDoesNotWaitForTheServers(t *testing.T) {
	s := serve(t, "--sandbox", "gvisor", "--", "sh", "-c", "until [ -e go ]; do sleep 0.02; done; exec toyserver")
	s.initialize() // the server has not even started
	if err := os.WriteFile(filepath.Join(s.cmd.Dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	a := s.receive(2)
	if a.Error != nil || !strings.Contains(string(a.Result), "async def add") {
		t.Errorf("tools/list = %s, %v; want run_python with the stubs", a.Result, a.Error)
	}
}

func TestServingEndsWithTheClientAndWithASignal(t *testing.T) {
	for name, end := range map[string]func(*served) error{
		"stdin closed": func(s *served) error { return s.in.Close() },
		"SIGTERM":      func(s *served) error { return s.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGINT":       func(s *served) error { return s.cmd.Process.Signal(syscall.SIGINT) },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, "--sandbox", "gvisor", "--", "sh", "-c", "echo $$ >&2; exec toyserver")
			s.initialize()
			s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
			s.receive(2)
			if err := end(s); err != nil {
				t.Fatal(err)
			}
			if code := s.exit(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
		})
	}
}

func TestARunThatIsInterruptedEndsAtOnce(t *testing.T) {
	s := start(t, "run", "--sandbox", "gvisor", "-c", "await add(a=1, b=2)\nwhile True: pass", "--", "toyserver", "-log", "calls")
	calls := filepath.Join(s.cmd.Dir, "calls")
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if data, _ := os.ReadFile(calls); len(data) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the program does not start")
		}
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	if !strings.HasPrefix(s.stderr.String(), "mcp-code-mode: ") {
		t.Errorf("stderr is %q; want why the run ended", s.stderr)
	}
}

func TestARequestWaitingForAServerThatFailsIsToldWhy(t *testing.T) {
	s := serve(t, "--sandbox", "gvisor", "--", "sh", "-c", "sleep 0.5; echo boom: no token >&2; exit 3")
	s.initialize()
	s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	a := s.receive(2)
	if a.Error == nil || !strings.Contains(a.Error.Message, `"server"`) || !strings.Contains(a.Error.Message, "boom: no token") {
		t.Errorf("tools/list = %s, %+v; want an error with the server's name and stderr", a.Result, a.Error)
	}
	if code := s.exit(); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	if !strings.Contains(s.stderr.String(), "mcp-code-mode: ") || !strings.Contains(s.stderr.String(), "boom: no token") {
		t.Errorf("stderr %q does not say why", s.stderr)
	}
}

func TestServingWithoutASandboxAnswersAndSaysWhatIsMissing(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///none/docker.sock")
	s := serve(t, "--sandbox", "docker", "--", "toyserver")
	s.initialize()
	s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_python","arguments":{"code":"1"}}}`)
	if a := s.receive(2); a.Error != nil || !strings.Contains(string(a.Result), "no sandbox could be started") {
		t.Errorf("run_python = %s, %+v; want a tool error", a.Result, a.Error)
	}
	s.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	if a := s.receive(3); a.Error != nil {
		t.Errorf("ping: %s", a.Error.Message)
	}
	if !strings.Contains(s.stderr.String(), "/none/docker.sock") {
		t.Errorf("stderr %q does not say which engine", s.stderr)
	}
}

func TestAPersonWhoStartsServeByHandIsToldWhatItWaitsFor(t *testing.T) {
	tools := testTools(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "mcp-code-mode", "serve", "--sandbox", "gvisor", "--", "toyserver")
	cmd.Env = append(cmd.Environ(), "PATH="+tools+":"+pathOf(cmd), "MCP_CODE_MODE_CACHE_DIR="+filepath.Join(tools, "cache"))
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	defer terminal.Close()
	lines := bufio.NewReader(terminal)
	for !strings.Contains(readLine(t, lines), "waiting for an MCP client on stdin") {
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, lines)
	if err := cmd.Wait(); err != nil {
		t.Errorf("ending: %v", err)
	}
}

func readLine(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("waiting for the hint: %v", err)
	}
	return line
}
