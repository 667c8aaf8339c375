//go:build linux

package docker

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker/seccomp"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
)

func TestDriverKeepsThePromisesOfASandbox(t *testing.T) {
	needEngine(t)
	var drivers []*Driver
	sandboxtest.Conformance(t, func(t *testing.T, lim sandbox.Limits) sandbox.Driver {
		d := newDriver(t, Options{Limits: lim})
		drivers = append(drivers, d)
		return d
	}, sandboxtest.OnThisHost(func() (pids []int) {
		for _, d := range drivers {
			pids = append(pids, firstProcesses(t, d)...)
		}
		return pids
	}))
}

// firstProcesses are those of the driver's containers, as the engine numbers them.
func firstProcesses(t *testing.T, d *Driver) (pids []int) {
	list, err := d.engine.ContainerList(context.Background(), container.ListOptions{
		Filters: filters.NewArgs(filters.Arg("label", labelOwner+"="+d.labels[labelOwner])),
	})
	if err != nil {
		t.Error(err)
	}
	for _, c := range list {
		// One that has ended since is none.
		if c, err := d.engine.ContainerInspect(context.Background(), c.ID); err == nil && c.State.Pid > 0 {
			pids = append(pids, c.State.Pid)
		}
	}
	return pids
}

// What the container is made from, as the engine understood it.
func TestContainerIsConfinedAsPromised(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{})
	i := start(t, d)
	c, err := d.engine.ContainerInspect(t.Context(), i.id)
	if err != nil {
		t.Fatal(err)
	}
	h := c.HostConfig
	profile, err := seccomp.Profile(runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	type confinement struct {
		Network, IPC, User, Log                    string
		ReadOnly, Privileged, AutoRemove, Network2 bool // Network2: not disabled
		Drop, Add, Security, Binds, Masked, Fixed  []string
		Tmpfs                                      map[string]string
		Memory, Swap, CPUs, Pids                   int64
		Mounts, Networks                           int
		Env                                        []string
	}
	got := confinement{
		Network: string(h.NetworkMode), IPC: string(h.IpcMode), User: c.Config.User, Log: h.LogConfig.Type,
		ReadOnly: h.ReadonlyRootfs, Privileged: h.Privileged, AutoRemove: h.AutoRemove, Network2: !c.Config.NetworkDisabled,
		Drop: h.CapDrop, Add: h.CapAdd, Security: h.SecurityOpt, Binds: h.Binds, Tmpfs: h.Tmpfs,
		Memory: h.Memory, Swap: h.MemorySwap, CPUs: h.NanoCPUs, Pids: *h.PidsLimit,
		Mounts: len(c.Mounts), Masked: h.MaskedPaths, Fixed: h.ReadonlyPaths, Env: c.Config.Env,
	}
	want := confinement{
		Network: "none", IPC: "none", User: i.user(), Log: "none", ReadOnly: true, AutoRemove: true,
		Drop: []string{"ALL"}, Security: []string{"no-new-privileges", "seccomp=" + string(profile)},
		Tmpfs: map[string]string{
			"/tmp":        "rw,noexec,nosuid,nodev,size=16777216,mode=1777",
			"/dev/mqueue": "ro,noexec,nosuid,nodev,size=4096,mode=0555",
		},
		Memory: 256 << 20, Swap: 256 << 20, CPUs: 1e9, Pids: 65, Masked: maskedPaths(false, 64), Fixed: []string{"/proc/sysrq-trigger"},
		Env: []string{"PATH=/usr/bin", "HOME=/tmp", "LANG=C"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSeccompFilterIsOn(t *testing.T) {
	needEngine(t)
	s := open(t, newDriver(t, Options{}))
	o, err := s.Exec(t.Context(), "print([l for l in open('/proc/self/status') if l.startswith('Seccomp:')])", nil)
	if err != nil || o.Stdout != `['Seccomp:\t2\n']`+"\n" {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestLimitsAreThoseAskedFor(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{Limits: sandbox.Limits{Memory: 100 << 20, Pids: 20, CPUs: 0.5, Files: 40, TmpBytes: 1 << 20}})
	c, err := d.engine.ContainerInspect(t.Context(), start(t, d).id)
	if err != nil {
		t.Fatal(err)
	}
	h := c.HostConfig
	if h.Memory != 100<<20 || h.MemorySwap != 100<<20 || *h.PidsLimit != 21 || h.NanoCPUs != 5e8 ||
		h.Ulimits[0].Hard != 40 || !strings.Contains(h.Tmpfs["/tmp"], "size=1048576,") {
		t.Errorf("got %+v", h)
	}
}

func TestOutOfMemoryIsToldFromOtherKills(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{Runner: []byte(`import sys
print("ready", flush=True)
sys.stdin.readline()
b = bytearray(1 << 30)
for i in range(0, len(b), 4096): b[i] = 1
`)})
	removeImage(t, d.engine, d.image.ref)
	i := start(t, d)
	if _, err := i.Write([]byte("go\n")); err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadAll(i)
	if exit := i.Wait(); !exit.Memory || exit.Code != 137 {
		t.Errorf("out of memory: got %+v", exit)
	}
	i = start(t, d)
	if err := d.engine.ContainerKill(t.Context(), i.id, "SIGKILL"); err != nil { // by somebody else
		t.Fatal(err)
	}
	if exit := i.Wait(); exit.Memory || exit.Code != 137 {
		t.Errorf("killed: got %+v", exit)
	}
}

func TestExitTellsCodeAndEndOfStderr(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{Runner: []byte(`import sys
sys.stdout.write("a")
sys.stdout.flush()
for n in range(20000): sys.stderr.write(f"{n}\n")
sys.stderr.flush()
sys.stdout.write("b")
sys.exit(7)
`)})
	removeImage(t, d.engine, d.image.ref)
	i := start(t, d)
	output, err := io.ReadAll(i)
	exit := i.Wait()
	if err != nil || string(output) != "ab" || exit.Code != 7 || exit.Memory {
		t.Errorf("got %q, %v, %+v", output, err, exit)
	}
	if len(exit.Detail) > 4<<10 || !strings.HasSuffix(exit.Detail, "19998\n19999") {
		t.Errorf("detail of %d bytes: %s", len(exit.Detail), exit.Detail)
	}
}

func TestKillIsImmediateAndIdempotentAndWakesEverybody(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{Runner: []byte("import time\nprint('ready', flush=True)\ntime.sleep(1000)\n")})
	removeImage(t, d.engine, d.image.ref)
	i := start(t, d)
	if line, err := bufio.NewReader(i).ReadString('\n'); line != "ready\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if n, err := i.Read(make([]byte, 1)); err == nil {
			t.Errorf("read %d bytes", n)
		}
	})
	wg.Go(func() {
		for {
			if _, err := i.Write(make([]byte, 1<<20)); err != nil { // which nobody reads
				return
			}
		}
	})
	time.Sleep(100 * time.Millisecond) // so that both are waiting
	exits := make([]sandbox.Exit, 4)
	for n := range exits {
		wg.Go(func() {
			i.Kill()
			exits[n] = i.Wait()
		})
	}
	wg.Wait()
	i.Kill()
	for _, exit := range exits {
		if exit != exits[0] || exit.Code != 137 || exit.Memory {
			t.Errorf("exits %+v", exits)
		}
	}
	if _, err := d.engine.ContainerInspect(t.Context(), i.id); err == nil {
		t.Error("the container is there after Wait")
	}
}

// Podman removes containers by starting itself once more, which may fail.
func TestDeadContainerThatTheEngineKeepsIsRemoved(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{Runner: []byte("import sys\nsys.stdin.readline()\nsys.exit(7)\n")})
	removeImage(t, d.engine, d.image.ref)
	for what, end := range map[string]func(*instance){
		"it ends": func(i *instance) {
			_, _ = i.Write([]byte("\n"))
			_, _ = io.ReadAll(i)
		},
		"it is killed": func(i *instance) { i.Kill() },
	} {
		l := launch{image: d.image, labels: d.labels}
		host := l.hostConfig()
		host.AutoRemove = false
		i := &instance{driver: d, killed: make(chan struct{}), done: make(chan struct{})}
		err := l.claimFrom(dockerIDs, func() error {
			created, err := d.engine.ContainerCreate(t.Context(), l.config(), host, nil, nil, l.name())
			i.id = created.ID
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		var w *waiter
		if i.stream, w, err = d.engine.start(t.Context(), i.id); err != nil {
			t.Fatal(err)
		}
		d.adopt(i, w)
		end(i)
		if exit := i.Wait(); what == "it ends" && exit.Code != 7 {
			t.Errorf("%s: got %+v", what, exit)
		}
		if _, err := d.engine.ContainerInspect(t.Context(), i.id); err == nil {
			t.Errorf("%s: the container is there after Wait", what)
		}
	}
}

func TestEndOfTheStreamEndsTheRunner(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{})
	i := start(t, d)
	i.close()
	if exit := i.Wait(); exit.Code != 0 {
		t.Errorf("got %+v", exit)
	}
}

func TestAbandonedStartsLeaveNothing(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{})
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(200))*time.Millisecond)
			defer cancel()
			i, err := d.Start(ctx)
			switch {
			case err == nil:
				i.Kill()
			case !errors.Is(err, context.DeadlineExceeded):
				t.Errorf("error %v", err)
			}
		})
	}
	wg.Wait()
	eventually(t, "all are gone", func() bool { return len(ownedBy(t, d.engine, d.labels[labelOwner])) == 0 })
	works(t, d)
}

func TestClosedDriverHasEndedEverythingAndStartsNothing(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{})
	var machines []sandbox.Instance
	for range 3 {
		machines = append(machines, start(t, d))
	}
	starting := make(chan struct{})
	go func() { // a start that Close overtakes
		defer close(starting)
		if i, err := d.Start(context.Background()); err == nil {
			i.Wait()
		}
	}()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, m := range machines {
		m.Wait()
	}
	<-starting
	if left := ownedBy(t, d.engine, d.labels[labelOwner]); len(left) > 0 {
		t.Errorf("left after Close: %v", left)
	}
	if _, err := d.Start(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("error %v", err)
	}
}

func TestManyRunsLeaveNothingGrowing(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{})
	count := func() (goroutines, descriptors int) {
		d.engine.close() // idle connections have goroutines of their own
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return runtime.NumGoroutine(), len(entries)
	}
	works(t, d)
	goroutines, descriptors := count()
	for range 20 {
		works(t, d)
	}
	eventually(t, "goroutines and descriptors are as many as before", func() bool {
		g, f := count()
		return g <= goroutines && f <= descriptors
	})
}

func TestDeletedImageIsBuiltAgain(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{Runner: append([]byte("# deleted\n"), sandbox.RunnerSource...)})
	removeImage(t, d.engine, d.image.ref)
	if _, err := d.engine.ImageRemove(t.Context(), d.image.ref, image.RemoveOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	id := d.image.id
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { works(t, d) })
	}
	wg.Wait()
	if d.image.serial != 1 || d.image.id != id {
		t.Errorf("image %+v, was %s", d.image, id)
	}
}

func TestLimitThatTheEngineCannotEnforceIsNotAccepted(t *testing.T) {
	err := checkWarnings([]string{"Your kernel does not support pids limit capabilities or the cgroup is not mounted. PIDs limit discarded."})
	wantError(t, err, "cannot enforce a limit", "PIDs limit")
	if err := checkWarnings([]string{"Memory limited without swap."}); err != nil {
		t.Error(err)
	}
}

// wantError checks that an error, or the hint with it, holds the texts.
func wantError(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", texts)
		return
	}
	text := err.Error()
	var hint interface{ Hint() string }
	if errors.As(err, &hint) {
		text += "\nhint: " + hint.Hint()
	}
	for _, want := range texts {
		if !strings.Contains(text, want) {
			t.Errorf("error %s\nlacks %q", text, want)
		}
	}
}
