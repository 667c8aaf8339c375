//go:build linux && (amd64 || arm64)

package rootfs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	format      = "1"                // of tree and mark; a change makes all old trees stale
	keepUnused  = 7 * 24 * time.Hour // how long a tree that nobody uses is kept
	touchAfter  = 24 * time.Hour     // how old the time of last use may get
	lockRetry   = 20 * time.Millisecond
	maxMarkSize = 64 << 10
	staging     = ".staging-" // prefix of trees being built and of trees being removed
)

// The shapes of all names in the cache. What has another name, or is of another type
// than what we make under it, is not ours, and is never removed.
var (
	treeName    = regexp.MustCompile(`^[0-9a-f]{64}$`)
	markName    = regexp.MustCompile(`^[0-9a-f]{16}\.json$`)
	stagingTree = regexp.MustCompile(`^\.staging-(?:[0-9]+|old-[0-9a-f]{64})$`)
	stagingMark = regexp.MustCompile(`^\.staging-[0-9a-f]{16}\.json$`)
)

// A cache holds trees, each in a directory named by its digest, and for each
// combination of program and runner a mark that says which tree is its own.
// Only the holder of the lock builds, replaces or removes anything.
type cache struct{ dir string }

// mark is what is known about a tree without reading it.
type mark struct {
	Digest      string    `json:"digest"`
	Fingerprint string    `json:"fingerprint"`
	Libraries   []library `json:"libraries"`
}

func openCache() (cache, error) {
	dir, err := CachePart("rootfs")
	return cache{dir}, err
}

// markPath is where the mark for this program and runner lies.
func (c cache) markPath(runner []byte) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s\x00%s\x00%s\x00", format, PythonVersion, runtime.GOARCH, zoneDigest)
	sum.Write(runner)
	sum.Write([]byte(compileScript)) // it decides what the byte code says
	return filepath.Join(c.dir, hex.EncodeToString(sum.Sum(nil))[:16]+".json")
}

func readMark(path string) (mark, error) {
	var m mark
	info, err := os.Lstat(path)
	if err != nil {
		return m, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxMarkSize {
		return m, fmt.Errorf("reading %q: not a mark", path)
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil && !treeName.MatchString(m.Digest) {
		err = fmt.Errorf("reading %q: not a mark", path)
	}
	return m, err
}

func (c cache) writeMark(path string, m mark) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	temp := filepath.Join(c.dir, staging+filepath.Base(path))
	if err := os.WriteFile(temp, text, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// find returns the tree the mark names, if it and the host's libraries are as
// they were. It reads no contents: a file that was written to since has another
// change time, which is part of the fingerprint.
func (c cache) find(markPath string) (dir, digest string, ok bool) {
	m, err := readMark(markPath)
	if err != nil {
		return "", "", false
	}
	for _, lib := range m.Libraries {
		if !lib.unchanged() {
			return "", "", false
		}
	}
	dir = filepath.Join(c.dir, m.Digest)
	if err := hold(dir); err != nil {
		return "", "", false
	}
	if now, err := fingerprintOf(dir); err != nil || now != m.Fingerprint {
		return "", "", false
	}
	if info, err := os.Stat(markPath); err == nil && time.Since(info.ModTime()) > touchAfter {
		_ = os.Chtimes(markPath, time.Time{}, time.Now()) // best effort: at worst the tree is rebuilt some day
	}
	return dir, m.Digest, true
}

// fingerprintOf is a hash over the metadata of a tree, content aside. All of it
// must belong to this user.
func fingerprintOf(dir string) (string, error) {
	sum := sha256.New()
	uid := uint32(os.Geteuid())
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() || statOf(info).Uid != uid || info.Mode().Perm() != 0o755 {
		return "", fmt.Errorf("checking tree: %q is not a directory as we make it", dir)
	}
	line := make([]byte, 0, 256)
	err = visit(dir, func(name string, info fs.FileInfo) error {
		st := statOf(info)
		if st.Uid != uid {
			return fmt.Errorf("checking tree: %q belongs to user %d", name, st.Uid)
		}
		line = fmt.Appendf(line[:0], "%s\x00%o %d %d %d\n", name, st.Mode, st.Size, st.Mtim.Nano(), st.Ctim.Nano())
		_, err := sum.Write(line)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// lock waits for the cache's lock, which other processes may hold for the
// seconds that building a tree takes. It ends with the process at the latest.
func (c cache) lock(ctx context.Context, progress func(string)) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(c.dir, ".lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, cacheError(fmt.Errorf("locking cache: %w", err))
	}
	for waited := false; ; {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, cacheError(fmt.Errorf("locking cache: %w", err))
		}
		if !waited {
			progress("waiting for another process that unpacks Python")
			waited = true
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("locking cache: %w", ctx.Err())
		case <-time.After(lockRetry):
		}
	}
}

// held keeps a shared lock on every tree this process uses, until it ends, so
// that no other process prunes it. Trees have no other lifetime.
var held struct {
	sync.Mutex
	dirs map[string]*os.File
}

// hold takes the shared lock on a tree.
func hold(dir string) error {
	held.Lock()
	defer held.Unlock()
	now, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if f := held.dirs[dir]; f != nil {
		if then, err := f.Stat(); err == nil && os.SameFile(now, then) {
			return nil
		}
		f.Close() // the tree was replaced
		delete(held.dirs, dir)
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != nil {
		f.Close()
		return err
	}
	if held.dirs == nil {
		held.dirs = make(map[string]*os.File)
	}
	held.dirs[dir] = f
	return nil
}

// prune removes what builders left when they were killed, and trees nobody
// has used for a while. The caller holds the lock.
func (c cache) prune(current string) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	used := map[string]bool{current: true}
	for _, e := range entries {
		path := filepath.Join(c.dir, e.Name())
		switch {
		case e.IsDir() && stagingTree.MatchString(e.Name()):
			_ = os.RemoveAll(path)
		case e.Type().IsRegular() && stagingMark.MatchString(e.Name()):
			_ = os.Remove(path)
		case e.Type().IsRegular() && markName.MatchString(e.Name()):
			if m, err := readMark(path); err == nil && usedLately(e) {
				used[m.Digest] = true
			} else {
				_ = os.Remove(path)
			}
		}
	}
	for _, e := range entries {
		if e.IsDir() && treeName.MatchString(e.Name()) && !used[e.Name()] {
			c.discardUnheld(filepath.Join(c.dir, e.Name()))
		}
	}
}

func usedLately(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) < keepUnused
}

// discardUnheld removes a tree that no living process holds. Its own lock keeps
// others from taking hold until the tree has lost its name.
func (c cache) discardUnheld(dir string) {
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		c.discard(dir)
	}
}

// discard removes a tree; a reader sees all of it or nothing.
func (c cache) discard(dir string) {
	trash := filepath.Join(c.dir, staging+"old-"+filepath.Base(dir))
	_ = os.RemoveAll(trash)
	if os.Rename(dir, trash) == nil {
		_ = os.RemoveAll(trash)
	}
}
