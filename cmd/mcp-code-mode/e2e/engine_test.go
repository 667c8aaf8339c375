//go:build linux

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	dockerapi "github.com/docker/docker/client"
	"golang.org/x/sys/unix"
)

// A dockerd is an engine of a test's own, to be harmed.
type dockerd struct {
	t    *testing.T
	dir  string
	host string
	api  *dockerapi.Client
	cmd  *exec.Cmd
	log  *buffer
}

func newDockerd(t *testing.T) *dockerd {
	t.Helper()
	if _, err := exec.LookPath("dockerd"); err != nil || os.Geteuid() != 0 {
		missing(t, "a second Docker engine needs root and dockerd")
	}
	dir, err := os.MkdirTemp("/tmp", "e2e-") // short: it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	d := &dockerd{t: t, dir: dir, host: "unix://" + filepath.Join(dir, "docker.sock"), log: &buffer{}}
	if d.api, err = engineAt(d.host); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.end(syscall.SIGTERM)
		if t.Failed() {
			text := d.log.String()
			t.Logf("the engine's log ends:\n%s", text[max(0, len(text)-4000):])
		}
		d.sweep()
		// An engine that was killed leaves what it had mounted on its own directory.
		for unix.Unmount(filepath.Join(dir, "data"), unix.MNT_DETACH) == nil {
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	d.start()
	return d
}

func (d *dockerd) start() {
	d.t.Helper()
	at := func(name string) string { return filepath.Join(d.dir, name) }
	d.cmd = exec.Command("dockerd", "--host", d.host, "--data-root", at("data"), "--exec-root", at("exec"), "--pidfile", at("pid"),
		"--config-file", at("config.json"), "--bridge", "none", "--iptables=false", "--ip-forward=false")
	d.cmd.Stderr = d.log
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	eventually(d.t, "the second engine answers", func() bool {
		_, err := d.api.Ping(context.Background())
		return err == nil
	})
}

func (d *dockerd) end(signal syscall.Signal) {
	_ = d.cmd.Process.Signal(signal)
	_ = d.cmd.Wait()
}

// sweep ends what an engine that was killed in the middle of something has lost
// sight of.
func (d *dockerd) sweep() {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		text, _ := os.ReadFile(line)
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(line)))
		if err != nil || !strings.Contains(string(text), d.dir) {
			continue
		}
		for _, p := range append(below(pid), process{pid: pid}) {
			d.t.Logf("the engine has left %v", describe(p.pid))
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
}

// TestTheProgramOutlivesTheDockerEngine: a run is stopped with it, those without
// it fail with words that help, and when it is back runs work again.
func TestTheProgramOutlivesTheDockerEngine(t *testing.T) {
	t.Parallel()
	needDriver(t, "docker")
	d := newDockerd(t)
	p := newPlace(t)
	p.engine = d.api
	log := filepath.Join(p.work, "calls")
	c := p.connect(command{
		args: []string{"serve", "--sandbox", "docker", "--warm", "0", "--", built.toyserver, "-log", log},
		env:  []string{"DOCKER_HOST=" + d.host},
	})
	c.hello(current)
	run := c.start("print('before', flush=True)\nawait slow(seconds=3600)")
	eventually(t, "the call reaches the server", func() bool { text, _ := os.ReadFile(log); return len(text) > 0 })

	d.end(syscall.SIGKILL)
	if got := run.outcome(); !got.Stopped || !strings.HasPrefix(got.err(), "stopped: the sandbox ended") || got.Stdout != "before\n" {
		t.Errorf("the run in the middle: %+v %q", got, got.err())
	}
	var got toolResult
	c.start("1").result(&got)
	if !got.IsError || !strings.Contains(got.text(), "no sandbox could be started") {
		t.Errorf("a run without an engine: %+v", got)
	}
	d.start()
	c.works()
	c.end()
}
