//go:build linux

package docker

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// What Podman adds to a read-only container by itself, code could write to and
// execute from.
func TestPodmanGetsNoSecondPlaceToWrite(t *testing.T) {
	h := launch{}.hostConfig()
	forPodman(h)
	var writable []string
	for path, options := range h.Tmpfs {
		if !strings.HasPrefix(options, "ro,noexec,") {
			writable = append(writable, path)
		}
	}
	if diff := cmp.Diff([]string{"/tmp"}, writable); diff != "" || len(h.Tmpfs) != 5 {
		t.Errorf("writable (-want +got):\n%s, all: %v", diff, h.Tmpfs)
	}
}

// ownPodman serves Podman's API from a directory of the test's own, and points
// DOCKER_HOST at it.
func ownPodman(t *testing.T) {
	t.Helper()
	podman, err := exec.LookPath("podman")
	if err != nil || os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI needs root and podman: %v", err)
		}
		t.Skip("SKIPPED, NOT TESTED: Podman is not installed, or needs root")
	}
	dir, err := os.MkdirTemp("/tmp", "podman-") // short: it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	storage := filepath.Join(dir, "storage.conf")
	text := fmt.Sprintf("[storage]\ndriver = \"vfs\"\ngraphroot = %q\nrunroot = %q\n", filepath.Join(dir, "graph"), filepath.Join(dir, "run"))
	if err := os.WriteFile(storage, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	host := "unix://" + filepath.Join(dir, "podman.sock")
	cmd := exec.Command(podman, "--cgroup-manager", "cgroupfs", "--runtime", "runc", "system", "service", "-t", "0", host)
	cmd.Env = append(os.Environ(), "CONTAINERS_STORAGE_CONF="+storage)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		unmountBelow(t, dir)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	eventually(t, "Podman answers", func() bool {
		en, _, err := endpoint{host: host}.connect(t.Context(), probeTimeout)
		if err == nil {
			en.close()
		}
		return err == nil
	})
	t.Setenv("DOCKER_HOST", host)
}

// Podman takes the profile from a file, and the hidden paths by an option.
func TestPodmanConfinesAsDockerDoes(t *testing.T) {
	needEngine(t)
	ownPodman(t)
	d := newDriver(t, Options{})
	if !d.podman {
		t.Fatal("this is not Podman")
	}
	everything(t, d)
	wantOK(t, d, `
import os, socket
status = dict(line.split(':\t') for line in open('/proc/self/status').read().splitlines())
assert status['Seccomp'] == '2' and status['CapBnd'] == '0' * 16 and status['NoNewPrivs'] == '1', status
try: socket.socket(socket.AF_NETLINK)
except OSError as e: assert e.errno == 97, e
else: print('a socket')
try: os.open('/proc/sysrq-trigger', os.O_WRONLY)
except OSError: print('ok')`)
}

func TestProfileForPodmanIsAFileOfOursThatStays(t *testing.T) {
	t.Setenv(rootfs.CacheDirEnv, t.TempDir())
	f := filter{profile: []byte("{}"), podman: true}
	option, err := f.option()
	if err != nil {
		t.Fatal(err)
	}
	path := strings.TrimPrefix(option, "seccomp=")
	if err := os.WriteFile(path, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := f.option()
	text, readErr := os.ReadFile(path)
	if err != nil || again != option || string(text) != "{}" || readErr != nil {
		t.Errorf("got %q after %q, %v, holding %q, %v", again, option, err, text, readErr)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	info, statErr := os.Stat(path)
	if err != nil || len(entries) != 1 || statErr != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the directory holds %v, %v, the file is %v, %v", entries, err, info, statErr)
	}
}
