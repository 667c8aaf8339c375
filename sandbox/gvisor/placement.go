//go:build linux && (amd64 || arm64)

package gvisor

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// placement is where one sandbox runs: its control groups and processors.
type placement struct {
	groups []placedGroup
	v2     *os.File // the version 2 group, for the child to be born in
	cpus   *unix.CPUSet
}

type placedGroup struct {
	hierarchy
	dir string
}

// place makes the control groups of one sandbox. Even with an error, what it
// returns must be removed.
func place(hierarchies []hierarchy, id string, cpus *unix.CPUSet) (*placement, error) {
	p := &placement{cpus: cpus}
	for _, h := range hierarchies {
		dir, err := h.group(id)
		if dir != "" {
			p.groups = append(p.groups, placedGroup{h, dir})
		}
		if err == nil && h.v2 {
			p.v2, err = os.Open(dir)
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// apply prepares the thread it runs on, which is about to start cmd, so that the
// child is born in its place. Version 1 groups and processors are inherited from
// the thread.
func (p *placement) apply(cmd *exec.Cmd) error {
	if p.cpus != nil {
		if err := unix.SchedSetaffinity(0, p.cpus); err != nil {
			return err
		}
	}
	if p.v2 != nil {
		cmd.SysProcAttr.UseCgroupFD = true
		cmd.SysProcAttr.CgroupFD = int(p.v2.Fd())
	}
	return p.move(func(g placedGroup) string { return g.dir })
}

// leave takes the thread out of the sandbox's groups again, after the start.
func (p *placement) leave() error {
	return p.move(func(g placedGroup) string { return g.hierarchy.dir })
}

func (p *placement) move(to func(placedGroup) string) error {
	for _, g := range p.groups {
		if g.v2 {
			continue
		}
		if err := writeFile(filepath.Join(to(g), "tasks"), "0"); err != nil {
			return err
		}
	}
	return nil
}

// outOfMemory reports whether the kernel has killed something here for its
// memory.
func (p *placement) outOfMemory() bool {
	for _, g := range p.groups {
		if outOfMemory(g.dir) {
			return true
		}
	}
	return false
}

// remove removes the groups. All processes in them must be dead.
func (p *placement) remove() error {
	closeFiles([]*os.File{p.v2})
	var err error
	for _, g := range p.groups {
		err = errors.Join(err, removeGroup(g.dir, closePatience))
	}
	return err
}

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

// count is how many processors one sandbox sees.
func (p *processors) count() int {
	if len(p.allowed) == 0 {
		return p.each
	}
	return min(p.each, len(p.allowed))
}
