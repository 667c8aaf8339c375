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

// census counts everything a sandbox could leave behind.
type census struct {
	Children, Mounts, States, Groups, Files, Goroutines int
}

func takeCensus(t *testing.T) census {
	t.Helper()
	parent, err := stateParent()
	if err != nil {
		t.Fatal(err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	return census{
		Children:   len(descendants(t, os.Getpid())),
		Mounts:     strings.Count(string(mounts), "\n"),
		States:     count(t, filepath.Join(parent, statePrefix+"*", "*")),
		Groups:     groupCount(t),
		Files:      count(t, "/proc/self/fd/*"),
		Goroutines: runtime.NumGoroutine(),
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

// groupCount counts control groups of sandboxes and drivers of this process.
func groupCount(t *testing.T) int {
	t.Helper()
	mounts, err := cgroupMounts()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range mounts {
		n += count(t, filepath.Join(m.ours, groupPrefix+"*")) + count(t, filepath.Join(m.ours, groupPrefix+"*", "*", "tasks"))
	}
	return n
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
