//go:build linux && (amd64 || arm64)

package gvisor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// groupPrefix, with the driver's id, names its control group.
const groupPrefix = "mcp-code-mode-"

// sentryMemory is what a sentry may use for itself, on top of the memory of the
// processes inside: its heap and tables, and pages of its executable.
const sentryMemory = 128 << 20

// cpuPeriod is the period of processor quotas, in microseconds.
const cpuPeriod = 100_000

// A hierarchy is a control group of this driver in which it can make one for
// each sandbox. On a version 1 host there is one for each controller, on a
// version 2 host one for all.
type hierarchy struct {
	dir  string
	v2   bool
	sets []setting
}

// setting is a limit of every sandbox's group. A file that is not there, such as
// the one for swap on a host without, is no error if optional.
type setting struct {
	file, value string
	optional    bool
}

// groupLimits are what control groups enforce.
type groupLimits struct {
	memory int64   // bytes of the processes inside
	cpus   float64 // 0: no quota needed
}

func (l groupLimits) v1() map[string][]setting {
	bytes := strconv.FormatInt(l.memory+sentryMemory, 10)
	sets := map[string][]setting{
		"memory": {{"memory.limit_in_bytes", bytes, false}, {"memory.memsw.limit_in_bytes", bytes, true}},
	}
	if l.cpus > 0 {
		sets["cpu"] = []setting{
			{"cpu.cfs_period_us", strconv.Itoa(cpuPeriod), false},
			{"cpu.cfs_quota_us", strconv.Itoa(int(l.cpus * cpuPeriod)), false},
		}
	}
	return sets
}

func (l groupLimits) v2() map[string][]setting {
	sets := map[string][]setting{
		"memory": {
			{"memory.max", strconv.FormatInt(l.memory+sentryMemory, 10), false},
			{"memory.swap.max", "0", true},
			{"memory.oom.group", "1", true},
		},
	}
	if l.cpus > 0 {
		sets["cpu"] = []setting{{"cpu.max", fmt.Sprintf("%d %d", int(l.cpus*cpuPeriod), cpuPeriod), false}}
	}
	return sets
}

// newHierarchies makes this driver's group wherever the host allows it. Having
// none is normal: for an ordinary user, and in most containers.
func newHierarchies(s *stateDir, lim groupLimits) []hierarchy {
	mounts, err := cgroupMounts()
	if err != nil {
		return nil
	}
	mkdir := func(dir string) bool {
		return unix.Access(filepath.Dir(dir), unix.W_OK) == nil && s.listGroup(dir) == nil && os.Mkdir(dir, 0o755) == nil
	}
	var made []hierarchy
	for _, m := range mounts {
		if m.v2 {
			if h, ok := newV2(m, s.id, lim.v2(), mkdir); ok {
				made = append(made, h)
			}
			continue
		}
		h := hierarchy{dir: filepath.Join(m.ours, groupPrefix+s.id)}
		for controller, sets := range lim.v1() {
			if m.controllers[controller] {
				h.sets = append(h.sets, sets...)
			}
		}
		if len(h.sets) > 0 && mkdir(h.dir) {
			made = append(made, h)
		}
	}
	return made
}

// newV2 makes the driver's group in the nearest group above ours that passes the
// controllers on to its children. Our own group cannot: below a group that holds
// processes there are no groups with controllers.
func newV2(m cgroupMount, id string, want map[string][]setting, mkdir func(string) bool) (hierarchy, bool) {
	for at := m.ours; ; {
		if at != m.mount {
			at = filepath.Dir(at)
		}
		h := hierarchy{dir: filepath.Join(at, groupPrefix+id), v2: true}
		var enable []string
		for controller, sets := range want {
			if words(filepath.Join(at, "cgroup.subtree_control"))[controller] {
				enable = append(enable, "+"+controller)
				h.sets = append(h.sets, sets...)
			}
		}
		if len(enable) > 0 && mkdir(h.dir) {
			control := filepath.Join(h.dir, "cgroup.subtree_control")
			if err := writeFile(control, strings.Join(enable, " ")); err == nil {
				return h, true
			}
			_ = os.Remove(h.dir) // the group above is tried next
		}
		if at == m.mount {
			return hierarchy{}, false
		}
	}
}

// group makes the group of one sandbox.
func (h hierarchy) group(id string) (string, error) {
	dir := filepath.Join(h.dir, id)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", fmt.Errorf("making control group: %w", err)
	}
	for _, s := range h.sets {
		err := writeFile(filepath.Join(dir, s.file), s.value)
		if s.optional && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return dir, fmt.Errorf("limiting control group: %w", err)
		}
	}
	return dir, nil
}

// writeFile writes to a file that is there.
func writeFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// outOfMemory reports whether the kernel has killed a process of the group for
// its memory.
func outOfMemory(dir string) bool {
	for _, file := range []string{"memory.events", "memory.oom_control"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if n, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok {
				return n != "0"
			}
		}
	}
	return false
}

const groupRetry = 2 * time.Millisecond

// removeGroup removes a group whose processes are dead or dying: the kernel
// refuses until the last is gone.
func removeGroup(dir string, patience time.Duration) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(groupRetry) {
		err := os.Remove(dir)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) || time.Now().After(deadline) {
			return fmt.Errorf("removing control group: %w", err)
		}
	}
}

// removeGroups removes a driver's group and those of its sandboxes.
func removeGroups(dir string, patience time.Duration) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() {
			err = errors.Join(err, removeGroup(filepath.Join(dir, e.Name()), patience))
		}
	}
	return errors.Join(err, removeGroup(dir, patience))
}

// cgroupMount is a mounted hierarchy and the directory of our group in it.
type cgroupMount struct {
	v2          bool
	mount, ours string
	controllers map[string]bool // version 1 only
}

// cgroupMounts lists the hierarchies in which we can see our group.
func cgroupMounts() ([]cgroupMount, error) {
	mountinfo, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	return parseMounts(string(mountinfo), string(groups)), nil
}

// parseMounts understands the text of /proc/self/mountinfo, see
// proc_pid_mountinfo(5), and of /proc/self/cgroup, see cgroups(7).
func parseMounts(mountinfo, groups string) []cgroupMount {
	paths := map[string]string{} // of our group, by the hierarchy's list of controllers: "" for version 2
	for line := range strings.Lines(groups) {
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 3); len(parts) == 3 {
			paths[parts[1]] = parts[2]
		}
	}
	var mounts []cgroupMount
	for line := range strings.Lines(mountinfo) {
		// 36 35 0:31 /root /mount/point options … - type source superoptions
		left, right, ok := strings.Cut(line, " - ")
		head, kind := strings.Fields(left), strings.Fields(right)
		if !ok || len(head) < 5 || len(kind) < 3 || kind[0] != "cgroup" && kind[0] != "cgroup2" {
			continue
		}
		m := cgroupMount{v2: kind[0] == "cgroup2", mount: head[4], controllers: map[string]bool{}}
		path, ok := paths[""]
		if !m.v2 {
			for _, c := range strings.Split(kind[2], ",") {
				m.controllers[c] = true
			}
			path, ok = findGroup(paths, m.controllers)
		}
		rel, err := filepath.Rel(head[3], path)
		if !ok || err != nil || strings.HasPrefix(rel, "..") {
			continue // our group is not below what is mounted here
		}
		m.ours = filepath.Join(m.mount, rel)
		mounts = append(mounts, m)
	}
	return mounts
}

// findGroup finds our group in the hierarchy of these controllers.
func findGroup(paths map[string]string, controllers map[string]bool) (string, bool) {
	for list, path := range paths {
		for _, c := range strings.Split(list, ",") {
			if c != "" && controllers[c] {
				return path, true
			}
		}
	}
	return "", false
}

// words is the set of words in a file; empty when it cannot be read.
func words(path string) map[string]bool {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	set := map[string]bool{}
	for _, w := range strings.Fields(string(text)) {
		set[w] = true
	}
	return set
}
