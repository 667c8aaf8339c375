//go:build linux

package docker

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/system"
)

func TestEveryHiddenPathSaysWhyAndStandsOnce(t *testing.T) {
	paths := maskedPaths(false, 64)
	for i, h := range hiddenPaths {
		if h.why == "" || !filepath.IsAbs(h.path) || filepath.Clean(h.path) != h.path || slices.Contains(paths[:i], h.path) {
			t.Errorf("entry %+v", h)
		}
		for _, other := range paths {
			if strings.HasPrefix(h.path, other+"/") {
				t.Errorf("%s lies in %s, which is hidden", h.path, other)
			}
		}
	}
}

func TestCrunHidesWhatItHasDescriptorsFor(t *testing.T) {
	all := maskedPaths(false, 64)
	for files, want := range map[int]int{64: 64 - crunDescriptors, 1000: len(all)} {
		if got := maskedPaths(true, files); len(got) != want || !slices.Equal(got, all[:want]) {
			t.Errorf("with %d files %d paths are hidden", files, len(got))
		}
	}
}

func TestTooFewOpenFilesToHideWithAreRefused(t *testing.T) {
	for _, test := range []struct {
		crun  bool
		files int
		fine  bool
	}{{true, 64, true}, {true, 63, false}, {false, 10, true}} {
		if err := checkFiles(test.crun, test.files); (err == nil) != test.fine {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// nothingOfTheHost is Python that looks into these paths and, where they are all there
// are, into everything in /proc that is no process.
func nothingOfTheHost(t *testing.T, masked []string) string {
	t.Helper()
	paths, err := json.Marshal(masked)
	if err != nil {
		t.Fatal(err)
	}
	return `
import os
def shows(path):
    if os.path.isdir(path): return os.listdir(path)
    try: return open(path, 'rb').read(100)
    except OSError: return None
paths = ` + string(paths) + `
if len(paths) > 50: paths += [f'/proc/{name}' for name in os.listdir('/proc') if not name.isdigit()]
for path in {*paths} - {'/proc/self', '/proc/thread-self', '/proc/net', '/proc/mounts'}:
    if found := shows(path): print(path, found)
    if os.path.isdir(path) and os.access(path, os.W_OK): print(path, 'can be written to')
for path in ('/proc/sysrq-trigger', '/proc/sys/kernel/hostname', '/sys/power/state', '/proc/self/../sys/kernel/random/boot_id', '/dev/pts/ptmx', '/dev/ptmx'):
    try: os.open(path, os.O_RDWR)
    except OSError: pass
    else: print('opened', path)
print('ok')
`
}

func TestNothingOfTheHostIsShown(t *testing.T) {
	needEngine(t)
	wantOK(t, newDriver(t, Options{}), nothingOfTheHost(t, maskedPaths(false, 64)))
}

// What is mounted where on the host is told by three mounts that an engine makes
// by itself: the root, and the name of the host and what belongs to it.
func TestMountsShowNoMorePathsOfTheHostThanTheEngineMustMount(t *testing.T) {
	needEngine(t)
	wantOK(t, newDriver(t, Options{}), `
for line in open('/proc/self/mountinfo'):
    _, _, _, root, path, *_ = line.split()
    if root not in ('/', '/null') and not root == path.removeprefix('/proc') and path not in ('/etc/hostname', '/etc/hosts', '/etc/resolv.conf'): print(line)
    if path != '/' and ('lowerdir' in line or 'upperdir' in line): print(line)
print('ok')
`)
}

func TestStandardLibraryWorksBehindTheFilter(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{})
	for name, code := range libraryPrograms {
		t.Run(name, func(t *testing.T) { wantOK(t, d, code) })
	}
}

// everything is all of the programs in one sandbox, for engines and runtimes where
// starting many takes long.
func everything(t *testing.T, d *Driver) {
	t.Helper()
	s := open(t, d)
	for _, code := range append(slices.Collect(maps.Values(libraryPrograms)), nothingOfTheHost(t, maskedPaths(d.crun, 64))) {
		if o, err := s.Exec(t.Context(), code, nil); err != nil || o.Stdout != "ok\n" {
			t.Errorf("got %+v, %v from %s", o, err, code)
		}
	}
}

func TestRuntimesAreToldApart(t *testing.T) {
	info := system.Info{Runtimes: map[string]system.RuntimeWithStatus{
		"runc": {Runtime: system.Runtime{Path: "runc"}}, "fast": {Runtime: system.Runtime{Path: "/usr/bin/crun"}},
		"io.containerd.runsc.v1": {}, "safe": {Runtime: system.Runtime{Type: "io.containerd.runsc.v1"}},
	}}
	for name, want := range map[string][2]bool{
		"runc": {}, "fast": {true, false}, "crun": {true, false}, "io.containerd.runsc.v1": {false, true}, "safe": {false, true},
	} {
		if got := [2]bool{isRuntime(info, name, "crun"), isRuntime(info, name, "runsc")}; got != want {
			t.Errorf("%s: crun, runsc: %v", name, got)
		}
	}
}
