//go:build linux

package server_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	dockerapi "github.com/docker/docker/client"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor"
)

const (
	soakWarm    = 2
	soakClients = 4
	// leakPerRun is what a run may leave in memory: what is less is noise.
	leakPerRun = 256
	heapNoise  = 1 << 20
	// keptForReuse is by how much a count may differ whatever the number of runs:
	// an idle connection to the engine, a process that a sandbox keeps at hand.
	keptForReuse = 4
	patience     = time.Minute
)

// TestRunsInARowLeaveNothingGrowing counts what runs could leave behind: 1,000 of
// them with machines that are scripted, 40 with real ones, or 1,000 with SOAK=1 (make
// soak).
func TestRunsInARowLeaveNothingGrowing(t *testing.T) {
	runs := 40
	if os.Getenv("SOAK") != "" {
		runs = 1000
	}
	add := func(i int64) string { return fmt.Sprintf("(await add(a=%d, b=1)).data", i) }
	t.Run("scripted", func(t *testing.T) {
		args := func(i int64) string { return fmt.Sprintf(`{"a":%d,"b":1}`, i) }
		soak(t, func(context.Context) (sandbox.Driver, error) { return scripted{}, nil }, 1000, args, `{"sum":%d}`)
	})
	t.Run("process", func(t *testing.T) { soak(t, python(t), runs, add, "{'sum': %d}\n") })
	for name, driver := range realDrivers {
		t.Run(name, func(t *testing.T) { soak(t, working(t, driver), runs, add, "{'sum': %d}\n") })
	}
}

// A driverFunc makes a driver.
type driverFunc = func(context.Context) (sandbox.Driver, error)

var realDrivers = map[string]driverFunc{
	"docker": func(ctx context.Context) (sandbox.Driver, error) {
		return docker.New(ctx, docker.Options{Runner: sandbox.RunnerSource})
	},
	"gvisor": func(ctx context.Context) (sandbox.Driver, error) {
		return gvisor.New(ctx, gvisor.Options{Runner: sandbox.RunnerSource})
	},
}

// working skips the test, loudly, where a driver does not work. In CI it fails it.
func working(t *testing.T, driver driverFunc) driverFunc {
	t.Helper()
	d, err := driver(t.Context())
	if err == nil {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		return driver
	}
	if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skipf("**** NOT TESTED: %v", err)
	return nil
}

// soak makes runs. The i-th, whose program is given, adds 1 to i and prints want with
// the sum.
func soak(t *testing.T, driver driverFunc, runs int, program func(i int64) string, want string) {
	var live counted
	s := newServer(t, func(o *server.Options) {
		o.Warm = soakWarm
		o.Driver = func(ctx context.Context) (sandbox.Driver, error) {
			d, err := driver(ctx)
			live.Driver = d
			return &live, err
		}
	})
	mounts := map[string]bool{}
	many := func(n int) {
		var clients sync.WaitGroup
		var done atomic.Int64
		for range soakClients {
			clients.Go(func() {
				for i := done.Add(1); i <= int64(n); i = done.Add(1) {
					r, err := s.Run(t.Context(), program(i))
					if err != nil || r.Stdout != fmt.Sprintf(want, i+1) || r.Error != nil {
						t.Errorf("run %d: %+v, %v", i, r, err)
						return
					}
				}
			})
		}
		clients.Wait()
		noteMounts(t, mounts)
	}
	many(20) // what is made once is made
	before := settled(t, &live)
	for range 10 {
		many(runs / 10)
	}
	grown := before.grown(settled(t, &live), runs)
	// Idle connections to the engine live on for half a minute.
	for deadline := time.Now().Add(time.Minute); grown != "" && time.Now().Before(deadline); {
		grown = before.grown(settled(t, &live), runs)
	}
	if grown != "" {
		t.Errorf("after %d runs: %s", runs, grown)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n := live.n.Load(); n != 0 {
		t.Errorf("%d sandboxes left", n)
	}
	if left := mounted(t, mounts); len(left) > 0 {
		t.Errorf("left mounted: %v", left)
	}
}

// counted is a driver that counts its sandboxes.
type counted struct {
	sandbox.Driver
	n atomic.Int64
}

func (c *counted) Start(ctx context.Context) (sandbox.Instance, error) {
	i, err := c.Driver.Start(ctx)
	if err == nil {
		c.n.Add(1)
		i = &countedInstance{Instance: i, driver: c}
	}
	return i, err
}

type countedInstance struct {
	sandbox.Instance
	driver *counted
	once   sync.Once
}

func (i *countedInstance) Wait() sandbox.Exit {
	exit := i.Instance.Wait()
	i.once.Do(func() { i.driver.n.Add(-1) })
	return exit
}

// census is what runs could leave behind.
type census struct {
	goroutines, files, children, containers int
	heap                                    int // bytes that are in use
}

// settled waits until only the warm sandboxes are left and nothing changes any
// more, and counts.
func settled(t *testing.T, live *counted) census {
	t.Helper()
	var last census
	for same, deadline := 0, time.Now().Add(patience); same < 5; time.Sleep(200 * time.Millisecond) {
		now := takeCensus(t)
		heap := now.heap
		now.heap = 0
		if now == last && live.n.Load() == soakWarm {
			same++
		} else {
			last, same = now, 0
		}
		if same == 5 {
			last.heap = heap
		}
		if time.Now().After(deadline) {
			t.Fatalf("does not come to rest: %d sandboxes, %+v", live.n.Load(), now)
		}
	}
	return last
}

// grown says what is more after some runs, "" when nothing is.
func (before census) grown(after census, runs int) string {
	var more []string
	if grown := after.heap - before.heap; grown > heapNoise+leakPerRun*runs {
		more = append(more, fmt.Sprintf("%d bytes of memory more", grown))
	}
	if after.containers != before.containers {
		more = append(more, fmt.Sprintf("%d containers, before %d", after.containers, before.containers))
	}
	for _, kind := range []struct {
		name          string
		before, after int
	}{
		{"goroutines", before.goroutines, after.goroutines},
		{"open files", before.files, after.files},
		{"child processes", before.children, after.children},
	} {
		if kind.after-kind.before > keptForReuse {
			more = append(more, fmt.Sprintf("%d %s, before %d", kind.after, kind.name, kind.before))
		}
	}
	return strings.Join(more, ", ")
}

func takeCensus(t *testing.T) census {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	c := census{goroutines: runtime.NumGoroutine(), files: len(files), children: children(t)}
	for range 2 { // the second one frees what was kept for reuse
		runtime.GC()
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	c.heap = int(memory.HeapAlloc + memory.StackInuse)
	c.containers = len(containers(t))
	return c
}

// children counts the processes below this one.
func children(t *testing.T) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	below := map[int][]int{}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parent, _ := strconv.Atoi(fields[1])
		below[parent] = append(below[parent], pid)
	}
	all := slices.Clone(below[os.Getpid()])
	for i := 0; i < len(all); i++ {
		all = append(all, below[all[i]]...)
	}
	return len(all)
}

// dockerEngine is a client of the Docker engine found here, or nil.
var dockerEngine = sync.OnceValue(func() *dockerapi.Client {
	found, err := docker.Probe(context.Background())
	if err != nil {
		return nil
	}
	c, err := dockerapi.NewClientWithOpts(dockerapi.FromEnv, dockerapi.WithHost(found.Endpoint), dockerapi.WithAPIVersionNegotiation())
	if err != nil {
		return nil
	}
	return c
})

// containers are those of this process.
func containers(t *testing.T) (ours []container.Summary) {
	t.Helper()
	if dockerEngine() == nil {
		return nil
	}
	defer dockerEngine().Close() // idle connections have goroutines
	list, err := dockerEngine().ContainerList(t.Context(), container.ListOptions{
		All: true, Filters: filters.NewArgs(filters.Arg("label", "mcp-code-mode=1")),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if strings.Contains(c.Labels["mcp-code-mode.owner"], fmt.Sprintf("/%d/", os.Getpid())) {
			ours = append(ours, c)
		}
	}
	return ours
}

// noteMounts adds where the containers of this process are mounted.
func noteMounts(t *testing.T, mounts map[string]bool) {
	t.Helper()
	for _, c := range containers(t) {
		if info, err := dockerEngine().ContainerInspect(t.Context(), c.ID); err == nil {
			mounts[info.GraphDriver.Data["MergedDir"]] = true
		}
	}
}

// mounted are those that still are, when a moment has passed.
func mounted(t *testing.T, mounts map[string]bool) (left []string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		left = nil
		table, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(table)) {
			if at := strings.Fields(line)[4]; mounts[at] {
				left = append(left, at)
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return left
		}
	}
}

// Runs that use up their memory are ended by it, all at the same time, and neither
// those beside them nor those after them notice.
func TestRunsThatExhaustTheirMemoryLeaveTheOthersAlone(t *testing.T) {
	for name, driver := range realDrivers {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, func(o *server.Options) { o.Warm, o.Driver = soakWarm, working(t, driver) })
			var runs sync.WaitGroup
			for i := range 6 {
				runs.Go(func() {
					if i%2 == 0 {
						r, err := s.Run(t.Context(), "hoard = []\nwhile True: hoard.append(bytearray(1 << 20))")
						if err != nil || r.Error == nil {
							t.Errorf("a run that hoards: %+v, %v", r, err)
						}
						return
					}
					r, err := s.Run(t.Context(), "await asyncio.sleep(0.5)\nprint((await add(a=1, b=1)).data['sum'])")
					if err != nil || r.Stdout != "2\n" || r.Error != nil {
						t.Errorf("a run beside it: %+v, %v", r, err)
					}
				})
			}
			runs.Wait()
			if r, err := s.Run(t.Context(), "6 * 7"); err != nil || r.Stdout != "42\n" || r.Error != nil {
				t.Errorf("the next run: %+v, %v", r, err)
			}
		})
	}
}
