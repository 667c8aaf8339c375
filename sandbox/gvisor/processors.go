//go:build linux && (amd64 || arm64)

package gvisor

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// processors hands out processors to sandboxes in turn.
type processors struct {
	allowed []int // what this process may use
	each    int   // for one sandbox
	next    atomic.Uint64
}

func newProcessors(limit float64) *processors {
	p := &processors{each: max(1, int(math.Ceil(limit)))}
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err == nil {
		for cpu := range len(set) * 64 {
			if set.IsSet(cpu) {
				p.allowed = append(p.allowed, cpu)
			}
		}
	}
	return p
}

// take returns the set for the next sandbox; nil when it may use all there are.
func (p *processors) take() *unix.CPUSet {
	if p.each >= len(p.allowed) {
		return nil
	}
	var set unix.CPUSet
	first := p.next.Add(uint64(p.each)) - uint64(p.each)
	for i := range p.each {
		set.Set(p.allowed[(first+uint64(i))%uint64(len(p.allowed))])
	}
	return &set
}

// minSeen is the least number of processors that a sandbox sees, even if it may use
// fewer. With one, the code's thread and gVisor's kernel would have to sleep and be woken
// for each system call, which would take five times as long.
const minSeen = 2

// seen is how many processors one sandbox sees.
func (p *processors) seen() int {
	if len(p.allowed) == 0 {
		return p.each
	}
	return min(max(p.each, minSeen), len(p.allowed))
}

// confine keeps all code inside a sandbox on the next set of processors. It must
// be called before foreign code runs: processes to come are made by those that
// are there and inherit from them.
//
// The sentry itself may use all processors. It serves one thread for each processor that
// it was told about. If it runs beside the code, on another processor, a system call
// costs a quarter of what it costs when both share one.
func (p *processors) confine(sentry int) error {
	set := p.take()
	if set == nil {
		return nil
	}
	if err := confineBelow(sentry, set); err != nil {
		return fmt.Errorf("confining the sandbox's processes to %d processors: %w", p.each, err)
	}
	return nil
}

// maxLooks bounds how often confineBelow looks; twice is usual.
const maxLooks = 100

// confineBelow sets the processors of every thread of every process below one. It looks
// again until it finds no new thread, because a thread that was not confined yet may have
// made another one in the meantime.
func confineBelow(sentry int, set *unix.CPUSet) error {
	confined := map[int]bool{}
	for range maxLooks {
		known := len(confined)
		stubs, err := children(sentry)
		if err == nil && len(stubs) == 0 {
			err = errors.New("none found")
		}
		if err != nil {
			return err
		}
		for _, pid := range stubs {
			if err := confineTasks(pid, set, confined); err != nil {
				return err
			}
		}
		if len(confined) == known {
			return nil
		}
	}
	return errors.New("they keep making threads")
}

// children returns all processes below one.
func children(pid int) ([]int, error) {
	dir := fmt.Sprintf("/proc/%d/task/", pid)
	tasks, err := readNames(dir)
	if err != nil {
		return nil, nil //nolint:nilerr // it has ended, which is no error
	}
	var all []int
	known := len(tasks) == 0
	for _, t := range tasks {
		text, err := os.ReadFile(dir + t + "/children")
		if err != nil {
			continue // the thread has ended
		}
		known = true
		for _, field := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(field)
			if err != nil {
				return nil, err
			}
			below, err := children(child)
			if err != nil {
				return nil, err
			}
			all = append(append(all, child), below...)
		}
	}
	if !known { // a kernel without CONFIG_PROC_CHILDREN
		return childrenByParent(pid)
	}
	return all, nil
}

// readNames lists the names in a directory without a stat of each entry.
func readNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// childrenByParent finds the same processes by asking every process for its parent.
func childrenByParent(pid int) ([]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	below := map[int][]int{}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent …, and the name may hold anything; proc_pid_stat(5)
		var child, parent int
		var state string
		_, errC := fmt.Sscan(string(text), &child)
		_, errP := fmt.Sscan(string(text[bytes.LastIndexByte(text, ')')+1:]), &state, &parent)
		if errC == nil && errP == nil {
			below[parent] = append(below[parent], child)
		}
	}
	all := slices.Clone(below[pid])
	for i := 0; i < len(all); i++ {
		all = append(all, below[all[i]]...)
	}
	return all, nil
}

// confineTasks sets the processors of the threads of a process that are not confined yet.
func confineTasks(pid int, set *unix.CPUSet, confined map[int]bool) error {
	tasks, err := readNames(fmt.Sprintf("/proc/%d/task", pid))
	if errors.Is(err, os.ErrNotExist) {
		return nil // it has ended
	}
	if err != nil {
		return err
	}
	for _, t := range tasks {
		tid, err := strconv.Atoi(t)
		if err == nil && confined[tid] {
			continue
		}
		if err == nil {
			err = unix.SchedSetaffinity(tid, set)
		}
		if err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
		confined[tid] = true
	}
	return nil
}
