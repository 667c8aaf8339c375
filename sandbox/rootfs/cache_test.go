//go:build linux && (amd64 || arm64)

package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/internal/ourdir"
)

func TestDamagedTreeIsRebuilt(t *testing.T) {
	copiedCache(t)
	dir, digest, _ := tree(t)
	if err := changeContent(filepath.Join(dir, victim)); err != nil {
		t.Fatal(err)
	}
	again, same, unpacked := tree(t)
	if again != dir || same != digest || !unpacked {
		t.Errorf("got %s, unpacked %v", again, unpacked)
	}
	if now, err := digestOf(dir); err != nil || now != digest {
		t.Errorf("tree has digest %s, %v", now, err)
	}
	if _, _, unpacked := tree(t); unpacked {
		t.Error("unpacked again")
	}
}

const victim = stdlibPath + "/json/decoder.py"

// changeContent changes a file's content but not its size and time.
func changeContent(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text[0] ^= 1
	return errors.Join(os.WriteFile(path, text, 0o644), os.Chtimes(path, info.ModTime(), info.ModTime()))
}

func TestEveryDamageIsSeen(t *testing.T) {
	damages := map[string]func(dir, mark string) error{
		"file cut short":   func(dir, _ string) error { return os.Truncate(filepath.Join(dir, victim), 10) },
		"content changed":  func(dir, _ string) error { return changeContent(filepath.Join(dir, victim)) },
		"file missing":     func(dir, _ string) error { return os.Remove(filepath.Join(dir, victim)) },
		"file added":       func(dir, _ string) error { return os.WriteFile(filepath.Join(dir, "bash"), nil, 0o755) },
		"mode changed":     func(dir, _ string) error { return os.Chmod(filepath.Join(dir, victim), 0o666) },
		"top mode changed": func(dir, _ string) error { return os.Chmod(dir, 0o700) },
		"replaced by link": func(dir, _ string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "tmp")), os.Symlink("/etc", filepath.Join(dir, "tmp")))
		},
		"whole tree is a link": func(dir, _ string) error {
			return errors.Join(os.Rename(dir, dir+"x"), os.Symlink(dir+"x", dir))
		},
		"tree missing":   func(dir, _ string) error { return os.RemoveAll(dir) },
		"mark cut short": func(_, mark string) error { return os.Truncate(mark, 20) },
		"mark is a link": func(_, mark string) error {
			return errors.Join(os.Rename(mark, mark+"x"), os.Symlink(mark+"x", mark))
		},
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			copiedCache(t)
			c, err := openCache()
			if err != nil {
				t.Fatal(err)
			}
			mark := c.markPath([]byte(testRunner))
			dir, _, ok := c.find(mark)
			if !ok {
				t.Fatal("not found before the damage")
			}
			if err := damage(dir, mark); err != nil {
				t.Fatal(err)
			}
			if _, _, ok := c.find(mark); ok {
				t.Error("not seen at a glance")
			}
			if _, _, ok := c.recover(mark); ok {
				t.Error("not seen when reading it all")
			}
		})
	}
}

func TestChangedHostLibraryRebuilds(t *testing.T) {
	copiedCache(t)
	_, digest, _ := tree(t)
	c, err := openCache()
	if err != nil {
		t.Fatal(err)
	}
	path := c.markPath([]byte(testRunner))
	m, err := readMark(path)
	if err != nil || len(m.Libraries) < 2 {
		t.Fatalf("mark %+v, %v", m, err)
	}
	m.Libraries[1].MTime-- // as if the tree had been made with an older one
	if err := c.writeMark(path, m); err != nil {
		t.Fatal(err)
	}
	if _, same, unpacked := tree(t); same != digest || !unpacked {
		t.Errorf("digest %s, unpacked %v", same, unpacked)
	}
}

func TestCacheThatOthersCanWriteIsRefused(t *testing.T) {
	cache := ownCache(t)
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(cache, 0o777); err != nil {
		t.Fatal(err)
	}
	checkRefused(t, "can be written by others", "chmod go-w")
}

func TestCacheOfAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to make a directory of another user")
	}
	shared := os.Getenv(CacheDirEnv)
	cache := ownCache(t)
	if err := errors.Join(os.MkdirAll(cache, 0o700), os.Chown(cache, 4242, 4242)); err != nil {
		t.Fatal(err)
	}
	checkRefused(t, "belongs to user 4242", CacheDirEnv)

	// A tree in our cache with a file of somebody else's is not used either.
	t.Setenv(CacheDirEnv, shared)
	copiedCache(t)
	dir, _, _ := tree(t)
	if err := os.Chown(filepath.Join(dir, "runner.py"), 4242, 4242); err != nil {
		t.Fatal(err)
	}
	if _, _, unpacked := tree(t); !unpacked {
		t.Error("a tree with a file of another user was used")
	}
}

func checkRefused(t *testing.T, text, next string) {
	t.Helper()
	_, _, err := Tree(t.Context(), []byte(testRunner), nil)
	var hint interface{ Hint() string }
	if err == nil || !strings.Contains(err.Error(), text) || !errors.As(err, &hint) || !strings.Contains(hint.Hint(), next) {
		t.Errorf("error %v", err)
	}
}

// Whatever else lies in a directory that somebody names as the cache stays there.
func TestTheCacheRemovesOnlyWhatHasTheShapeOfItsOwn(t *testing.T) {
	copiedCache(t)
	tree(t)
	c, err := openCache()
	if err != nil {
		t.Fatal(err)
	}
	digest, short := strings.Repeat("0a", 32), strings.Repeat("0a", 8)
	want := map[string]bool{ // kept
		"package.json": true, "notes": true, ".staging-area": true, ".staging-old-notes": true, ".hidden": true,
		digest[1:]: true, digest + "0": true, strings.ToUpper(digest): true, short: true, short + "0.json": true, "link.json": true,
		digest: false, short + ".json": false, ".staging-123": false, ".staging-old-" + digest: false, ".staging-" + short + ".json": false,
	}
	target := t.TempDir()
	for name := range want {
		path := filepath.Join(c.dir, name)
		switch {
		case name == "link.json":
			err = os.Symlink(target, path)
		case strings.HasSuffix(name, ".json"):
			err = os.WriteFile(path, []byte("{}"), 0o600)
		default:
			err = errors.Join(os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, "file"), nil, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// The right name, and the wrong type.
	link := strings.Repeat("0b", 32)
	want[link] = true
	if err := os.Symlink(target, filepath.Join(c.dir, link)); err != nil {
		t.Fatal(err)
	}
	unlock, err := c.lock(t.Context(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	c.prune("")
	for name, kept := range want {
		if _, err := os.Lstat(filepath.Join(c.dir, name)); (err == nil) != kept {
			t.Errorf("%s: kept %v, want %v", name, err == nil, kept)
		}
	}
}

// Somebody else was first in the directory where everybody may write.
func TestNothingThatWasLaidForUsInTmpIsFollowed(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to be somebody else")
	}
	for name, lay := range map[string]func(dir string) error{
		"a directory of his":      func(dir string) error { return errors.Join(os.Mkdir(dir, 0o777), os.Chown(dir, 4242, 4242)) },
		"a link of his":           func(dir string) error { return errors.Join(os.Symlink(t.TempDir(), dir), os.Lchown(dir, 4242, 4242)) },
		"a file of his":           func(dir string) error { return errors.Join(os.WriteFile(dir, nil, 0o666), os.Chown(dir, 4242, 4242)) },
		"a link, even of ours":    func(dir string) error { return os.Symlink(t.TempDir(), dir) },
		"ours, and open to all":   func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777)) },
		"ours, and our group's":   func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o770)) },
		"a link to nothing, ours": func(dir string) error { return os.Symlink(dir+"-absent", dir) },
	} {
		shared := t.TempDir()
		if err := os.Chmod(shared, 0o777|fs.ModeSticky); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(shared, "mcp-code-mode-1000")
		if err := lay(dir); err != nil {
			t.Fatal(err)
		}
		for _, cache := range []string{dir, filepath.Join(dir, "below")} {
			if cache != dir && strings.Contains(name, "ours") {
				continue // what is ours is followed on the way, and so is its link
			}
			t.Setenv(CacheDirEnv, cache)
			_, err := CacheDir()
			var hint interface{ Hint() string }
			if err == nil || !errors.As(err, &hint) || !strings.Contains(hint.Hint(), CacheDirEnv) {
				t.Errorf("%s: %q: %v", name, cache, err)
			}
		}
		if entries, _ := os.ReadDir(shared); len(entries) != 1 {
			t.Errorf("%s: made something: %v", name, entries)
		}
	}
}

func TestCacheWithoutAHomeOfOurOwn(t *testing.T) {
	t.Setenv(CacheDirEnv, "")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("TMPDIR", t.TempDir())
	other := t.TempDir()
	if os.Geteuid() == 0 {
		if err := os.Chown(other, 4242, 4242); err != nil {
			t.Fatal(err)
		}
	} else {
		other = "/root"
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, home := range map[string]string{"unset": "", "another user's": other, "not a directory": file, "missing below proc": "/proc/home", "relative": "."} {
		t.Setenv("HOME", home)
		dir, err := CacheDir()
		if err != nil || home != "" && strings.HasPrefix(dir, home) || ourdir.Make(dir, 0o755) != nil {
			t.Errorf("home %s: cache %q, %v", name, dir, err)
		}
	}
	if entries, _ := os.ReadDir(other); os.Geteuid() == 0 && len(entries) > 0 {
		t.Errorf("made %v in another user's home", entries)
	}
}
