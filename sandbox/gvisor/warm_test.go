//go:build linux && (amd64 || arm64)

package gvisor

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// ownSnapshot is options that no other test and no program uses, so that their
// snapshot belongs to the test.
func ownSnapshot(t *testing.T) Options {
	t.Helper()
	o := Options{Limits: sandbox.Limits{Memory: 200<<20 + int64(os.Getpid()%4096)<<12, Files: 40 + int(time.Now().UnixNano()%20)}}
	d := newTestDriver(t, o)
	if d.warm.Load() == nil {
		t.Fatal("no snapshot was made")
	}
	t.Cleanup(func() { os.RemoveAll(d.opened.dir) })
	return o
}

func run1(t *testing.T, d sandbox.Driver, code string) string {
	t.Helper()
	s, err := sandbox.Open(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	o, err := s.Exec(t.Context(), code, nil)
	if err != nil || o.Error != "" {
		t.Errorf("got %+v (%v)", o, err)
	}
	return o.Stdout
}

func TestSnapshotsShareNothingThatShouldDiffer(t *testing.T) {
	d := newTestDriver(t, Options{})
	const code = `
import os, random, secrets, tempfile, uuid
print(os.urandom(16).hex())
print(random.random())
print(secrets.token_hex())
print(uuid.uuid4())
print(tempfile.mktemp())
print(open('/proc/sys/kernel/random/uuid').read().strip() if os.path.exists('/proc/sys/kernel/random/uuid') else os.getrandom(8).hex())
open('/tmp/mark', 'x').close()
`
	a, b := strings.Split(run1(t, d, code), "\n"), strings.Split(run1(t, d, code), "\n")
	if len(a) != 7 || len(b) != 7 {
		t.Fatalf("got %q and %q", a, b)
	}
	for i := range 6 {
		if a[i] == b[i] || a[i] == "" {
			t.Errorf("line %d is %q in both sandboxes", i, a[i])
		}
	}
}

func TestSnapshotsKnowTheTime(t *testing.T) {
	d := newTestDriver(t, Options{})
	var wall, before, after float64
	text := run1(t, d, "import time\na = time.monotonic()\nawait asyncio.sleep(0.05)\nprint(time.time(), a, time.monotonic())")
	if _, err := fmt.Sscan(text, &wall, &before, &after); err != nil {
		t.Fatal(err)
	}
	if now := float64(time.Now().UnixNano()) / 1e9; math.Abs(now-wall) > 5 {
		t.Errorf("it is %f inside and %f outside", wall, now)
	}
	if after-before < 0.05 || after-before > 20 {
		t.Errorf("0.05 s took %f s", after-before)
	}
}

func TestSnapshotsAreKeyedByWhatTheyDependOn(t *testing.T) {
	d := newTestDriver(t, Options{Cold: true})
	key := func() string {
		k, err := d.snapshotKey()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first := key()
	if again := key(); again != first {
		t.Errorf("key %q, then %q", first, again)
	}
	d.limits.Memory++
	if key() == first {
		t.Error("another limit has the same key")
	}
	d.limits.Memory--
	d.command = append(d.command, "-v")
	if key() == first {
		t.Error("another command has the same key")
	}
}

func TestSnapshotsThatAreBrokenCostOneLineAndAStartFromTheBeginning(t *testing.T) {
	o := ownSnapshot(t)
	var log bytes.Buffer
	o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	for name, spoil := range map[string]func(string) error{
		"cut state":        func(dir string) error { return os.Truncate(filepath.Join(dir, "state"), 1000) },
		"cut pages":        func(dir string) error { return os.Truncate(filepath.Join(dir, "pages"), 8192) },
		"state of nothing": func(dir string) error { return os.WriteFile(filepath.Join(dir, "state"), nil, 0o600) },
		"strange metadata": func(dir string) error { return os.WriteFile(filepath.Join(dir, "metadata"), []byte("x"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			log.Reset()
			dir := newTestDriver(t, o).opened.dir
			if err := spoil(dir); err != nil {
				t.Fatal(err)
			}
			d := newTestDriver(t, o)
			for range 2 {
				if got := run1(t, d, "print('well')"); got != "well\n" {
					t.Errorf("printed %q", got)
				}
			}
			if lines := strings.Count(log.String(), "\n"); lines != 1 {
				t.Errorf("%d lines in the log:\n%s", lines, log.String())
			}
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the broken snapshot is still there (%v)", err)
			}
		})
	}
	for _, name := range snapshotNames { // what is not even whole is made again at once
		dir := newTestDriver(t, o).opened.dir
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if d := newTestDriver(t, o); d.warm.Load() == nil {
			t.Errorf("without %s there is no snapshot again", name)
		}
	}
}

func TestTheCacheRemovesWhatWasNotUsedAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * keepUnused)
	hex := func(n, digits int) string { return fmt.Sprintf("%0*x", digits, n) }
	file := func(path string) error { return os.WriteFile(path, nil, 0o600) }
	tree := func(path string) error { return os.Mkdir(path, 0o700) }
	link := func(path string) error { return os.Symlink(t.TempDir(), path) }
	add := func(name string, make func(string) error, used time.Time) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		at := []unix.Timespec{unix.NsecToTimespec(used.UnixNano()), unix.NsecToTimespec(used.UnixNano())}
		if err := unix.UtimesNanoAt(unix.AT_FDCWD, path, at, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]bool{} // kept
	for i := range keepMost + 3 {
		name := snapshotPrefix + hex(i, 32)
		want[name] = i < keepMost
		add(name, tree, time.Now().Add(-time.Duration(i)*time.Minute))
	}
	for name, how := range map[string]struct {
		make func(string) error
		used time.Time
		kept bool
	}{
		rootPrefix + "1-" + hex(1, 64):    {file, old, false},
		runscPrefix + hex(1, 32):          {file, old, false},
		stagingPrefix + "123":             {file, old, false},
		stagingPrefix + "124":             {tree, old, false},
		stagingPrefix + "125":             {file, time.Now(), true},
		"other":                           {tree, old, true},
		rootPrefix + "notes":              {tree, old, true},
		rootPrefix + "1-" + hex(2, 64):    {tree, old, true}, // of the wrong type
		rootPrefix + "1-" + hex(3, 64):    {link, old, true},
		snapshotPrefix + hex(1000, 31):    {tree, old, true},
		snapshotPrefix + hex(1, 32) + "~": {tree, old, true},
		runscPrefix + "x86":               {file, old, true},
		stagingPrefix + "folder":          {tree, old, true},
	} {
		want[name] = how.kept
		add(name, how.make, how.used)
	}
	prune(dir)
	for name, kept := range want {
		if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != kept {
			t.Errorf("%s: kept %v, want %v", name, err == nil, kept)
		}
	}
}
