//go:build linux

package docker

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// TestMain is also the other processes that some tests need.
func TestMain(m *testing.M) {
	if role := os.Getenv("DOCKER_TEST_ROLE"); role != "" {
		roles[role]()
		return
	}
	flag.Parse()
	if _, err := Probe(context.Background()); err != nil && os.Getenv("CI") != "true" {
		fmt.Fprintln(os.Stderr, "SKIPPED, NOT TESTED: what needs a Docker engine:", err)
		_ = flag.Set("test.skip", "^Example")
	}
	os.Exit(m.Run())
}

// roles are what other processes do: they get their part in DOCKER_TEST_ROLE.
var roles = map[string]func(){
	"owner": ownerRole, "outlive": outliveRole,
	"starter": starterRole,
	"build":   buildRole,
	"ssh":     sshRole,
}

// asRole is this program, in a role.
func asRole(t *testing.T, role string, env ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(append(os.Environ(), "DOCKER_TEST_ROLE="+role), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// needEngine skips a test where no engine answers, and fails it in CI.
func needEngine(t testing.TB) Engine {
	t.Helper()
	e, err := Probe(context.Background())
	if err == nil {
		return e
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("CI needs a Docker engine: %v", err)
	}
	t.Skipf("SKIPPED, NOT TESTED: no Docker engine: %v", err)
	return e
}

// newDriver is a driver that is closed at the end of the test, and must have
// left nothing then.
func newDriver(t *testing.T, o Options) *Driver {
	t.Helper()
	if o.Runner == nil {
		o.Runner = sandbox.RunnerSource
	}
	d, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		if left := ownedBy(t, d.engine, d.labels[labelOwner]); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	return d
}

// ownedBy lists the containers of a process.
func ownedBy(t *testing.T, en *engine, owner string) (names []string) {
	t.Helper()
	list, err := en.ContainerList(context.Background(), container.ListOptions{
		All: true, Filters: filters.NewArgs(filters.Arg("label", labelOwner+"="+owner)),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if en.has(context.Background(), c.ID) {
			names = append(names, fmt.Sprint(c.Names, c.State))
		}
	}
	return names
}

// open is a sandbox that runs code.
func open(t *testing.T, d sandbox.Driver) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.Open(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Init(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// start is a machine without anybody who talks to its runner.
func start(t *testing.T, d *Driver) *instance {
	t.Helper()
	i, err := d.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Kill)
	return i.(*instance)
}

// works checks that the driver starts sandboxes that run code.
func works(t *testing.T, d *Driver) {
	t.Helper()
	s := open(t, d)
	defer s.Close()
	if o, err := s.Exec(t.Context(), "print(6 * 7)", nil); err != nil || o.Stdout != "42\n" {
		t.Errorf("got %+v, %v", o, err)
	}
}

// eventually waits for something that others bring about.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
	}
}

// removeImage removes an image of a test when the test is over.
func removeImage(t *testing.T, en *engine, ref string) {
	t.Cleanup(func() {
		_, _ = en.ImageRemove(context.Background(), ref, image.RemoveOptions{Force: true, PruneChildren: true})
	})
}

// crun is a runtime that an engine may have beside runc.
const crun = "crun"

// A daemon is an engine of the test's own, to be harmed.
type daemon struct {
	t      *testing.T
	dir    string
	host   string
	config string
	cmd    *exec.Cmd
	log    *bytes.Buffer
}

// ownEngine starts a second engine, with this configuration, and points
// DOCKER_HOST at it.
func ownEngine(t *testing.T, config string) *daemon {
	t.Helper()
	needEngine(t)
	_, err := exec.LookPath("dockerd")
	if err != nil || os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI needs root and dockerd: %v", err)
		}
		t.Skip("SKIPPED, NOT TESTED: a second engine needs root and dockerd")
	}
	dir, err := os.MkdirTemp("/tmp", "engine-") // short: it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "daemon.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	d := &daemon{t: t, dir: dir, config: config, host: "unix://" + filepath.Join(dir, "docker.sock")}
	t.Cleanup(func() {
		d.stop(syscall.SIGTERM)
		if t.Failed() {
			text := d.log.String()
			t.Logf("the engine's log ends: %s", text[max(0, len(text)-4000):])
		}
		unmountBelow(t, dir)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	d.start()
	t.Setenv("DOCKER_HOST", d.host)
	return d
}

// unmountBelow unmounts what an engine that ended hard left mounted, and gVisor
// always leaves.
func unmountBelow(t *testing.T, dir string) {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		if path := strings.Fields(line)[4]; strings.HasPrefix(path, dir+"/") {
			_ = syscall.Unmount(path, syscall.MNT_DETACH)
		}
	}
}

// hideMixedGroups hides version 2 of the control groups where it is mounted beside
// version 1, which crun refuses.
const hideMixedGroups = "if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi; "

func (d *daemon) start() {
	d.t.Helper()
	d.log = &bytes.Buffer{}
	path := func(name string) string { return filepath.Join(d.dir, name) }
	args := []string{"dockerd", "--host", d.host, "--data-root", path("data"), "--exec-root", path("exec"),
		"--pidfile", path("pid"), "--config-file", path("daemon.json"), "--bridge", "none", "--iptables=false", "--ip-forward=false"}
	if strings.Contains(d.config, crun) {
		args = slices.Concat([]string{"unshare", "--mount", "sh", "-c", hideMixedGroups + `exec "$@"`, "sh"}, args)
	}
	d.cmd = exec.Command(args[0], args[1:]...)
	d.cmd.Stderr = d.log
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	eventually(d.t, "the second engine answers", func() bool {
		en, _, err := endpoint{host: d.host}.connect(context.Background(), probeTimeout)
		if err == nil {
			en.close()
		}
		return err == nil
	})
}

func (d *daemon) signal(s syscall.Signal) {
	d.t.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		d.t.Error(err)
	}
}

// stop ends the engine, gently or not. An engine killed hard leaves its
// containerd, which the next start takes over.
func (d *daemon) stop(s syscall.Signal) {
	if d.cmd.ProcessState != nil {
		return
	}
	d.signal(s)
	_ = d.cmd.Wait()
}

// sshRole stands for `ssh host docker system dial-stdio`.
func sshRole() {
	conn, err := net.Dial("unix", strings.TrimPrefix(os.Getenv("DOCKER_TEST_TARGET"), "unix://"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		_ = conn.(*net.UnixConn).CloseWrite()
	}()
	_, _ = io.Copy(os.Stdout, conn)
}
