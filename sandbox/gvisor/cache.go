//go:build linux && (amd64 || arm64)

package gvisor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// Prefixes of names in the cache.
const (
	rootPrefix     = "root-"     // images of root file systems
	snapshotPrefix = "snapshot-" // directories of snapshots
	runscPrefix    = "runsc-"    // embedded executables
	stagingPrefix  = ".new-"     // what is not whole yet
)

// What is kept of each kind. It may be removed while it is in use: whoever uses
// it has it open.
const (
	keepMost    = 6                  // of one kind, the last used
	keepUnused  = 7 * 24 * time.Hour // since its last use
	keepStaging = time.Hour          // since a dead process began it
)

// cacheDir is this driver's part of the program's cache directory.
func cacheDir() (string, error) {
	base, err := rootfs.CacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(base, "gvisor")
	return dir, privateDir(dir)
}

// privateDir makes a directory that only this user can enter, or checks one
// that is there.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making directory: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("checking directory: %w", err)
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || !ours(info) {
		return fmt.Errorf("checking directory: %q is not a directory that only we can enter", dir)
	}
	return nil
}

func ours(info fs.FileInfo) bool {
	return info.Sys().(*syscall.Stat_t).Uid == uint32(os.Geteuid())
}

// openOurs opens a file that nobody else can write to.
func openOurs(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || !ours(info) || info.Mode().Perm()&0o022 != 0) {
		err = fmt.Errorf("checking %q: not a file that only we can write", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// replaceFile writes a file beside its place and moves it there when it is whole
// and on disk. Processes that write the same file at once do not disturb each
// other.
func replaceFile(path string, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), stagingPrefix+"*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // no longer there if all went well
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// touch notes that something in the cache is used.
func touch(path string) {
	_ = os.Chtimes(path, time.Time{}, time.Now()) // best effort: at worst it is made again some day
}

// prune removes from the cache what nobody has used for a while.
func prune(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the next one will
	}
	for _, prefix := range []string{rootPrefix, snapshotPrefix, runscPrefix, stagingPrefix} {
		var infos []fs.FileInfo
		for _, e := range entries {
			if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), prefix) {
				infos = append(infos, info)
			}
		}
		slices.SortFunc(infos, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
		for i, info := range infos {
			age := time.Since(info.ModTime())
			if prefix == stagingPrefix && age > keepStaging || prefix != stagingPrefix && (age > keepUnused || i >= keepMost) {
				_ = os.RemoveAll(filepath.Join(dir, info.Name())) // best effort, as above
			}
		}
	}
}
