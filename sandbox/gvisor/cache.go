//go:build linux && (amd64 || arm64)

package gvisor

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// Prefixes of names in the cache.
const (
	rootPrefix     = "root-"     // images of root file systems
	snapshotPrefix = "snapshot-" // directories of snapshots
	runscPrefix    = "runsc-"    // embedded executables
	stagingPrefix  = ".new-"     // files and directories that are not complete yet
)

// How much is kept of each kind. A file may be removed while it is in use, because its
// users have it open.
const (
	keepMost    = 6                  // of one kind, those used last
	keepUnused  = 7 * 24 * time.Hour // since its last use
	keepStaging = time.Hour          // since a dead process began it
)

// The shapes of all names in the cache. An entry with another name, or of another type
// than we make under that name, is not ours and is never removed.
var shapes = []struct {
	name *regexp.Regexp
	dir  bool
	keep int           // the last used
	age  time.Duration // since its last use
}{
	{regexp.MustCompile(`^` + rootPrefix + `[0-9]+-[0-9a-f]{64}$`), false, keepMost, keepUnused},
	{regexp.MustCompile(`^` + snapshotPrefix + `[0-9a-f]{32}$`), true, keepMost, keepUnused},
	{regexp.MustCompile(`^` + runscPrefix + `[0-9a-f]{32}$`), false, keepMost, keepUnused},
	{regexp.MustCompile(`^\` + stagingPrefix + `[0-9]+$`), true, math.MaxInt, keepStaging},
	{regexp.MustCompile(`^\` + stagingPrefix + `[0-9]+$`), false, math.MaxInt, keepStaging},
}

// cacheDir is this driver's part of the program's cache directory.
func cacheDir() (string, error) { return rootfs.CachePart("gvisor") }

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
		return // the next driver tries again
	}
	for _, shape := range shapes {
		var infos []fs.FileInfo
		for _, e := range entries {
			if info, err := e.Info(); err == nil && shape.name.MatchString(e.Name()) && info.IsDir() == shape.dir && (shape.dir || info.Mode().IsRegular()) {
				infos = append(infos, info)
			}
		}
		slices.SortFunc(infos, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
		for i, info := range infos {
			if time.Since(info.ModTime()) > shape.age || i >= shape.keep {
				_ = os.RemoveAll(filepath.Join(dir, info.Name())) // best effort, as above
			}
		}
	}
}
