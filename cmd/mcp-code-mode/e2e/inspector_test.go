//go:build linux

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// inspector runs the command line of the MCP inspector and returns what it prints.
func inspector(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	version := strings.TrimPrefix(output(t, node(t), "--version"), "v")
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < 20 { // Debian 12 has 18
		t.Skipf("**** NOT TESTED: the MCP inspector needs node 20, and this is %s", version)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node(t), append([]string{installed(t, "inspector", "inspector/clients/launcher/build/index.js"), "--cli"}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "MCP_INSPECTOR_SECRET_STORE=memory", "MCP_CODE_MODE_CACHE_DIR="+built.cache)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s\n%s", cmd, err, out.String(), complaints.String())
	}
	return out.String(), complaints.String()
}

// TestTheInspectorsCommandLineIsServed: a client that nobody here wrote, with a
// config as people paste it.
func TestTheInspectorsCommandLineIsServed(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		code := starts(built.program, "serve", "--sandbox", driver, "--warm", "0", "--allow", "add", "--", built.toyserver)
		code.Env = map[string]string{"MCP_CODE_MODE_CACHE_DIR": p.cache}
		if host := os.Getenv("DOCKER_HOST"); host != "" {
			code.Env["DOCKER_HOST"] = host
		}
		client := []string{"--config", p.config(map[string]server{"code": code}), "--server", "code", "--method"}

		stdout, stderr := inspector(t, append(client, "tools/list", "--strict")...)
		var list struct {
			Tools []struct{ Name, Description string }
		}
		if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list.Tools) != 1 || !strings.Contains(list.Tools[0].Description, "async def add(") {
			t.Errorf("tools/list: %v\n%s", err, stdout)
		}
		if strings.Contains(stderr, "run_python") { // it names tools whose schemas not every client understands
			t.Errorf("the inspector complains:\n%s", stderr)
		}

		stdout, _ = inspector(t, append(client, "tools/call", "--tool-name", "run_python",
			"--tool-arg", `code=print([(await add(a=i, b=1)).data["sum"] for i in range(3)])`)...)
		var got toolResult
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || got.StructuredContent == nil {
			t.Fatalf("tools/call: %v\n%s", err, stdout)
		}
		wantOutcome(t, *got.StructuredContent, outcome{Stdout: "[1, 2, 3]\n"})
	})
}

// TestTheInspectorStartsACommandLine: one with a server's command line behind ours.
func TestTheInspectorStartsACommandLine(t *testing.T) {
	t.Parallel()
	stdout, _ := inspector(t, "--method", "tools/list", "--", built.program, "serve", "--warm", "0", "--", built.toyserver)
	if !strings.Contains(stdout, "async def create_issue(") {
		t.Errorf("tools/list:\n%s", stdout)
	}
}
