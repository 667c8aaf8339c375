//go:build linux

package e2e

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	dockerapi "github.com/docker/docker/client"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker"
)

// usualEngine is the Docker engine that programs find here, or nil.
var usualEngine = sync.OnceValue(func() *dockerapi.Client {
	found, err := docker.Probe(context.Background())
	if err != nil {
		return nil
	}
	c, err := engineAt(found.Endpoint)
	if err != nil {
		return nil
	}
	return c
})

func engineAt(host string) (*dockerapi.Client, error) {
	return dockerapi.NewClientWithOpts(dockerapi.FromEnv, dockerapi.WithHost(host), dockerapi.WithAPIVersionNegotiation())
}

// containers lists the containers of the program. An engine may also list some
// that it does not have: those removed while it started.
func (s *started) containers() []container.Summary {
	s.t.Helper()
	if s.place.engine == nil {
		return nil
	}
	list, err := s.place.engine.ContainerList(context.Background(), container.ListOptions{
		All: true, Filters: filters.NewArgs(filters.Arg("label", "mcp-code-mode=1")),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	var ours []container.Summary
	for _, c := range list {
		if !strings.Contains(c.Labels["mcp-code-mode.owner"], fmt.Sprintf("/%d/", s.pid)) {
			continue
		}
		if _, err := s.place.engine.ContainerInspect(context.Background(), c.ID); !errdefs.IsNotFound(err) {
			ours = append(ours, c)
		}
	}
	return ours
}

// sandboxes are the pids of the first process of each sandbox the program has.
func (s *started) sandboxes() []int {
	s.t.Helper()
	var pids []int
	for _, p := range below(s.pid) {
		if p.args[0] == "runsc-sentry" && parent(p.pid) == s.pid && !isAhead(p.pid) {
			pids = append(pids, p.pid)
		}
	}
	for _, c := range s.containers() {
		if info, err := s.place.engine.ContainerInspect(context.Background(), c.ID); err == nil && info.State.Running {
			pids = append(pids, info.State.Pid)
		}
	}
	return pids
}

// isAhead reports whether a sentry has been started ahead and has no sandbox in it yet: it
// does not use the root image.
func isAhead(sentry int) bool {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", sentry))
	return err == nil && len(maps) > 0 && !strings.Contains(string(maps), "/gvisor/root-")
}

// servers are the pids of the wrapped servers started from an executable.
func (s *started) servers(exe string) []int {
	var pids []int
	for _, p := range below(s.pid) {
		if p.exe == exe {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// look notes what the program has outside of its processes, to be looked for
// again when it has ended.
func (s *started) look() {
	s.t.Helper()
	for _, c := range s.containers() {
		if info, err := s.place.engine.ContainerInspect(context.Background(), c.ID); err == nil {
			s.place.mounts[info.GraphDriver.Data["MergedDir"]] = true
		}
	}
	lists, _ := filepath.Glob(filepath.Join(s.place.run, "mcp-code-mode", "driver-*", "groups"))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, group := range strings.Fields(string(text)) {
			s.place.groups[group] = true
		}
	}
}

// end ends the program as a client does that leaves, and checks that it ends well
// and leaves nothing.
func (c *client) end() {
	c.t.Helper()
	c.judged = true
	c.look()
	c.in.Close()
	if code := c.exit(); code != 0 {
		c.t.Errorf("exit code %d, want 0", code)
	}
	c.nothingLeft()
}

// kill kills the program with a signal it cannot catch, and checks that whatever
// it had ends without it.
func (c *client) kill() {
	c.t.Helper()
	c.judged = true
	c.look()
	c.signal(syscall.SIGKILL)
	c.exit()
	c.nobodyLeft()
}

// nobodyLeft waits until every process and container of the program is gone, and
// what the kernel holds for them.
func (s *started) nobodyLeft() {
	s.t.Helper()
	select {
	case <-s.alone:
	case <-time.After(patience):
		s.t.Fatalf("the program has ended and left %v", below(s.nurse.Process.Pid))
	}
	defer func() {
		if s.t.Failed() {
			s.describeContainers()
		}
	}()
	eventually(s.t, "the program's containers are gone", func() bool { return len(s.containers()) == 0 })
	eventually(s.t, "the program's mounts are gone", func() bool { return len(s.mounts()) == 0 })
}

// describeContainers logs what the engine says about the program's containers.
func (s *started) describeContainers() {
	s.t.Helper()
	for _, c := range s.containers() {
		s.t.Logf("container %s %v: state %q, %q", c.ID, c.Names, c.State, c.Status)
	}
}

// mounts are those of the program that are still there.
func (s *started) mounts() (left []string) {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		at := strings.Fields(line)[4]
		if s.place.mounts[at] || strings.HasPrefix(at, filepath.Dir(s.place.home)) {
			left = append(left, at)
		}
	}
	return left
}

// nothingLeft checks that a program that could end as it wanted has left nothing
// at all, and neither have those before it in this place.
func (s *started) nothingLeft() {
	s.t.Helper()
	s.nobodyLeft()
	for group := range s.place.groups {
		if _, err := os.Stat(group); !errors.Is(err, fs.ErrNotExist) {
			s.t.Errorf("the control group %s is left", group)
		}
	}
	for _, dir := range []string{s.place.home, s.place.tmp, s.place.run} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && path != dir && !expected(s.place, path) {
				s.t.Errorf("the file %s is left", path)
			}
			return err
		})
		if err != nil {
			s.t.Error(err)
		}
	}
}

// expected are the two files that stay in a directory for files of run time: they
// are empty and used by every program of the user.
func expected(p *place, path string) bool {
	dir := filepath.Join(p.run, "mcp-code-mode")
	return path == dir || path == filepath.Join(dir, "lock")
}

func parent(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	ppid := 0
	_, _ = fmt.Sscanf(string(text[strings.LastIndexByte(string(text), ')')+1:]), " %c %d", new(rune), &ppid)
	return ppid
}
