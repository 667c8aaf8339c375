//go:build linux

package upstream

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// realServer returns the command of a server pinned in testdata/servers. Without
// node or without the servers the test is skipped, or fails where CI is true.
func realServer(t *testing.T, name string, args ...string) *Command {
	t.Helper()
	dir, err := filepath.Abs("../../testdata/servers")
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js")
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(script)
	}
	if err != nil {
		msg := fmt.Sprintf("the real servers are not installed (cd testdata/servers && npm ci --ignore-scripts): %v", err)
		if os.Getenv("CI") == "true" {
			t.Fatal(msg)
		}
		t.Skip("SKIPPED: " + msg)
	}
	return &Command{Path: node, Args: append([]string{script}, args...)}
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wantTools(t *testing.T, u *Upstream, want ...string) {
	t.Helper()
	have := strings.Join(names(u), " ")
	for _, name := range want {
		if !strings.Contains(" "+have+" ", " "+name+" ") {
			t.Errorf("no tool %q among %s", name, have)
		}
	}
	if w := u.Warnings(); w != nil {
		t.Errorf("warnings: %q", w)
	}
}

func TestTheRealFilesystemServerIsWrapped(t *testing.T) {
	dir := t.TempDir()
	u := startTest(t, Options{Name: "files", Command: realServer(t, "filesystem", dir)})
	wantTools(t, u, "read_text_file", "write_file", "list_directory")
	path := filepath.Join(dir, "note.txt")
	if _, err := u.Call(testContext(t), "write_file", jsonOf(t, map[string]string{"path": path, "content": "grüße\n"})); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); string(b) != "grüße\n" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	r, err := u.Call(testContext(t), "read_text_file", jsonOf(t, map[string]string{"path": path}))
	if err != nil || textOf(t, r) != "grüße\n" || r.IsError {
		t.Errorf("got %+v, %v", r, err)
	}
	r, err = u.Call(testContext(t), "read_text_file", jsonOf(t, map[string]string{"path": "/etc/passwd"}))
	if err != nil || !r.IsError {
		t.Errorf("a file outside its directory: %+v, %v", r, err)
	}
}

func TestTheRealMemoryServerIsWrapped(t *testing.T) {
	command := realServer(t, "memory")
	command.Env = append(DefaultEnv(), "MEMORY_FILE_PATH="+filepath.Join(t.TempDir(), "memory.jsonl"))
	u := startTest(t, Options{Name: "memory", Command: command})
	wantTools(t, u, "create_entities", "read_graph")
	args := `{"entities":[{"name":"Ada","entityType":"person","observations":["wrote the first program"]}]}`
	if _, err := u.Call(testContext(t), "create_entities", []byte(args)); err != nil {
		t.Fatal(err)
	}
	r, err := u.Call(testContext(t), "read_graph", nil)
	if err != nil || !strings.Contains(string(r.Structured), `"wrote the first program"`) {
		t.Errorf("got %s, %v", r.Structured, err)
	}
}

func TestTheRealEverythingServerIsWrapped(t *testing.T) {
	u := startTest(t, Options{Name: "everything", Command: realServer(t, "everything")})
	wantTools(t, u, "echo", "get-sum", "get-tiny-image", "get-structured-content")
	r, err := u.Call(testContext(t), "echo", []byte(`{"message":"hi"}`))
	if err != nil || textOf(t, r) != "Echo: hi" {
		t.Errorf("got %s, %v", r.Content, err)
	}
	r, err = u.Call(testContext(t), "get-tiny-image", nil)
	if err != nil || !strings.Contains(string(r.Content), `"type":"image"`) {
		t.Errorf("got %.200s, %v", r.Content, err)
	}
	r, err = u.Call(testContext(t), "get-structured-content", []byte(`{"location":"New York"}`))
	if err != nil || !isObject(r.Structured) {
		t.Errorf("got %s, %v", r.Structured, err)
	}
	pid := serverPID(u)
	u.Close()
	if !gone(pid) {
		t.Error("the server is still there")
	}
}
