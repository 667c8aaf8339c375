//go:build linux

package docker

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// What Podman adds to a read-only container by itself, code could write to and
// execute from.
func TestPodmanGetsNoSecondPlaceToWrite(t *testing.T) {
	l := launch{image: sandboxImage{entrypoint: []string{"/usr/bin/python3", "/runner.py"}, env: []string{"SECRET"}}}
	c, h := l.config(), l.hostConfig()
	forPodman(c, h)
	var writable []string
	for path, options := range h.Tmpfs {
		if !strings.HasPrefix(options, "ro,noexec,") {
			writable = append(writable, path)
		}
	}
	if diff := cmp.Diff([]string{"/tmp"}, writable); diff != "" || len(h.Tmpfs) != 5 {
		t.Errorf("writable (-want +got):\n%s, all: %v", diff, h.Tmpfs)
	}
	if diff := cmp.Diff(environment, c.Env); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

// The command Podman starts gives Python our environment and no other.
func TestCommandForPodmanReplacesTheEnvironment(t *testing.T) {
	dir, _, err := rootfs.Tree(t.Context(), sandbox.RunnerSource, nil)
	if err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(dir, "usr/bin/python3")
	command := withEnvironment([]string{python, "-c", "import os, sys; print(sorted(os.environ.items()), sys.argv[1:])", "an argument"})
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env = []string{"container=podman", "HOSTNAME=sandbox", "TERM=xterm", "PATH=/sbin"}
	out, err := cmd.CombinedOutput()
	want := "[('HOME', '/tmp'), ('LANG', 'C.UTF-8'), ('PATH', '/usr/bin')] ['an argument']\n"
	if err != nil || string(out) != want {
		t.Errorf("got %s, %v", out, err)
	}
}
