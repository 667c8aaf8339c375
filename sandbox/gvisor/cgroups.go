//go:build linux && (amd64 || arm64)

package gvisor

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// cgroups is the control groups one sandbox runs in.
type cgroups struct {
	groups []cgroup
	v2     *os.File // the version 2 group, for the child to be born in
}

type cgroup struct {
	hierarchy
	dir string
}

// newCgroups makes the control groups of one sandbox. Even with an error, what it
// returns must be removed.
func newCgroups(hierarchies []hierarchy, id string) (*cgroups, error) {
	c := &cgroups{}
	for _, h := range hierarchies {
		dir, err := h.group(id)
		if dir != "" {
			c.groups = append(c.groups, cgroup{h, dir})
		}
		if err == nil && h.v2 {
			c.v2, err = os.Open(dir)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// apply prepares the thread it runs on, which is about to start cmd, so that the
// child is born in them. Version 1 groups are inherited from the thread.
func (c *cgroups) apply(cmd *exec.Cmd) error {
	if c.v2 != nil {
		cmd.SysProcAttr.UseCgroupFD = true
		cmd.SysProcAttr.CgroupFD = int(c.v2.Fd())
	}
	return c.move(func(g cgroup) string { return g.dir })
}

// leave takes the thread out of the sandbox's groups again, after the start.
func (c *cgroups) leave() error {
	return c.move(func(g cgroup) string { return g.hierarchy.dir })
}

func (c *cgroups) move(to func(cgroup) string) error {
	for _, g := range c.groups {
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
func (c *cgroups) outOfMemory() bool {
	for _, g := range c.groups {
		if outOfMemory(g.dir) {
			return true
		}
	}
	return false
}

// remove removes the groups. All processes in them must be dead.
func (c *cgroups) remove() error {
	closeFiles([]*os.File{c.v2})
	var err error
	for _, g := range c.groups {
		err = errors.Join(err, removeGroup(g.dir, closePatience))
	}
	return err
}
