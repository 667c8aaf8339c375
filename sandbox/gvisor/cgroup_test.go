//go:build linux && (amd64 || arm64)

package gvisor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestControlGroupsAreFound(t *testing.T) {
	only := func(names ...string) map[string]bool {
		set := map[string]bool{}
		for _, n := range names {
			set[n] = true
		}
		return set
	}
	for name, c := range map[string]struct {
		mountinfo, groups string
		want              []cgroupMount
	}{
		"version 2": {
			"30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 none rw,nsdelegate\n23 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
			"0::/user.slice/user-1000.slice/session-2.scope\n",
			[]cgroupMount{{v2: true, mount: "/sys/fs/cgroup", ours: "/sys/fs/cgroup/user.slice/user-1000.slice/session-2.scope", controllers: only()}},
		},
		"version 1 with two controllers in one hierarchy": {
			"33 32 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup none rw,cpu,cpuacct\n34 32 0:30 / /sys/fs/cgroup/memory rw shared:9 - cgroup none rw,memory\n",
			"4:memory:/a/b\n2:cpu,cpuacct:/c\n1:name=systemd:/d\n",
			[]cgroupMount{
				{mount: "/sys/fs/cgroup/cpu,cpuacct", ours: "/sys/fs/cgroup/cpu,cpuacct/c", controllers: only("rw", "cpu", "cpuacct")},
				{mount: "/sys/fs/cgroup/memory", ours: "/sys/fs/cgroup/memory/a/b", controllers: only("rw", "memory")},
			},
		},
		"container that sees its own part only": {
			"34 32 0:30 /docker/x /sys/fs/cgroup/memory ro - cgroup none rw,memory\n",
			"4:memory:/docker/x/y\n",
			[]cgroupMount{{mount: "/sys/fs/cgroup/memory", ours: "/sys/fs/cgroup/memory/y", controllers: only("rw", "memory")}},
		},
		"our group is elsewhere": {
			"34 32 0:30 /docker/x /sys/fs/cgroup/memory ro - cgroup none rw,memory\n",
			"4:memory:/docker/z\n",
			nil,
		},
		"nonsense": {"a - cgroup\n - \n1 2 3 4 5 - cgroup none\n", "x\n:::\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := parseMounts(c.mountinfo, c.groups)
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(cgroupMount{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestVersion2GroupIsMadeWhereControllersAreHandedDown(t *testing.T) {
	root := t.TempDir()
	for dir, control := range map[string]string{"": "cpu memory", "user": "memory pids", "user/app": "", "user/app/scope": ""} {
		path := filepath.Join(root, dir)
		if err := errors.Join(os.MkdirAll(path, 0o755), os.WriteFile(filepath.Join(path, "cgroup.subtree_control"), []byte(control), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	mkdir := func(dir string) bool { // as the kernel would
		return os.Mkdir(dir, 0o755) == nil && os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), nil, 0o644) == nil
	}
	m := cgroupMount{v2: true, mount: root, ours: filepath.Join(root, "user/app/scope")}
	h, ok := newV2(m, "ID", groupLimits{memory: 256 << 20, cpus: 0.5}.v2(), mkdir)
	want := hierarchy{dir: filepath.Join(root, "user/mcp-code-mode-ID"), v2: true, sets: []setting{
		{"memory.max", "402653184", false}, {"memory.swap.max", "0", true}, {"memory.oom.group", "1", true},
	}}
	if diff := cmp.Diff(want, h, cmp.AllowUnexported(hierarchy{}, setting{})); !ok || diff != "" {
		t.Errorf("made %v (-want +got):\n%s", ok, diff)
	}
	if text, err := os.ReadFile(filepath.Join(h.dir, "cgroup.subtree_control")); err != nil || string(text) != "+memory" {
		t.Errorf("the group hands down %q (%v), want +memory", text, err)
	}
}

func TestKillsForMemoryAreReadFromTheGroup(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		want       bool
	}{
		"version 2, none":   {"memory.events", "low 0\noom 3\noom_kill 0\n", false},
		"version 2, one":    {"memory.events", "low 0\noom 3\noom_kill 1\noom_group_kill 0\n", true},
		"version 1, none":   {"memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", false},
		"version 1, some":   {"memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 12\n", true},
		"no such file":      {"other", "oom_kill 1\n", false},
		"an old kernel's 1": {"memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if got := outOfMemory(dir); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// TestASandboxIsBornInItsVersion2Group uses a group without controllers, which
// root can make wherever version 2 is mounted at all.
func TestASandboxIsBornInItsVersion2Group(t *testing.T) {
	d := newTestDriver(t, Options{})
	mounts, err := cgroupMounts()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(mounts, func(m cgroupMount) bool { return m.v2 })
	if at < 0 {
		t.Skip("control groups of version 2 are not mounted")
	}
	group := filepath.Join(mounts[at].ours, "gvisor-test-"+newID())
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Skipf("no control group can be made: %v", err)
	}
	defer os.Remove(group)
	d.groups = append(d.groups, hierarchy{dir: group, v2: true})
	i, err := d.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ready(t, i)
	for _, pid := range append(descendants(t, i.cmd.Process.Pid), fmt.Sprint(i.cmd.Process.Pid)) {
		pid, _, _ = strings.Cut(pid, "@")
		text, err := os.ReadFile("/proc/" + pid + "/cgroup")
		if err != nil || !strings.Contains(string(text), filepath.Base(group)+"/") {
			t.Errorf("process %s is in %q (%v)", pid, text, err)
		}
	}
	i.Kill()
	i.Wait()
	if left, err := os.ReadDir(group); err != nil || slices.ContainsFunc(left, os.DirEntry.IsDir) {
		t.Errorf("left in the group: %v (%v)", left, err)
	}
}
