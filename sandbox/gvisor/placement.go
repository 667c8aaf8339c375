//go:build linux && (amd64 || arm64)

package gvisor

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// placement is the control groups one sandbox runs in.
type placement struct {
	groups []placedGroup
	v2     *os.File // the version 2 group, for the child to be born in
}

type placedGroup struct {
	hierarchy
	dir string
}

// place makes the control groups of one sandbox. Even with an error, what it
// returns must be removed.
func place(hierarchies []hierarchy, id string) (*placement, error) {
	p := &placement{}
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
// child is born in its place. Version 1 groups are inherited from the thread.
func (p *placement) apply(cmd *exec.Cmd) error {
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
