//go:build linux && (amd64 || arm64)

package gvisor

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// census counts everything of this process that a sandbox could leave behind.
type census struct {
	Children, Mounts, States, Files, Goroutines int
}

// ownState keeps the states of drivers of other processes out of the census.
func ownState(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
}

func takeCensus(t *testing.T) census {
	t.Helper()
	parent, err := stateParent()
	if err != nil {
		t.Fatal(err)
	}
	mountinfo, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	c := census{
		Children:   len(descendants(t, os.Getpid())),
		States:     count(t, filepath.Join(parent, statePrefix+"*", "*")),
		Files:      count(t, "/proc/self/fd/*"),
		Goroutines: runtime.NumGoroutine(),
	}
	for line := range strings.Lines(string(mountinfo)) {
		if strings.Contains(line, "runsc") || strings.Contains(line, "mcp-code-mode") {
			c.Mounts++
		}
	}
	return c
}

// withoutGroups checks that a driver, or a sandbox, has no control groups left.
func withoutGroups(t *testing.T, d *Driver, of string) {
	t.Helper()
	for _, h := range d.groups {
		left, err := filepath.Glob(filepath.Join(h.dir, of))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range left {
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				t.Errorf("control group %s is left", path)
			}
		}
	}
}

// settles waits for the census to be as it was: closing a driver ends
// everything, but a goroutine that has done its work may still be there for a
// moment.
func settles(t *testing.T, want census) {
	t.Helper()
	var got census
	for range 200 {
		if got = takeCensus(t); got == want {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("left behind (-before +after):\n%s", cmp.Diff(want, got))
}

func count(t *testing.T, pattern string) int {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// descendants are the processes below pid, each with the time it started, so that
// its number cannot be mistaken for another's.
func descendants(t *testing.T, pid int) []string {
	t.Helper()
	children := map[int][]string{}
	for _, p := range processes(t) {
		children[p.parent] = append(children[p.parent], p.name)
	}
	var all []string
	for queue := children[pid]; len(queue) > 0; queue = queue[1:] {
		all = append(all, queue[0])
		child, _, _ := strings.Cut(queue[0], "@")
		n, err := strconv.Atoi(child)
		if err != nil {
			t.Fatal(err)
		}
		queue = append(queue, children[n]...)
	}
	return all
}

type process struct {
	name   string // pid@start time
	parent int
}

func processes(t *testing.T) []process {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var all []process
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid, rest, _ := strings.Cut(string(text), " ")
		fields := strings.Fields(rest[strings.LastIndexByte(rest, ')')+1:])
		parent, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, process{fmt.Sprintf("%s@%s", pid, fields[19]), parent})
	}
	return all
}

// alive returns those of the processes that still run.
func alive(t *testing.T, names []string) []string {
	t.Helper()
	var running []string
	now := processes(t)
	for _, name := range names {
		for _, p := range now {
			if p.name == name {
				running = append(running, name)
			}
		}
	}
	return running
}
