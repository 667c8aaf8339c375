//go:build unix

package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// CacheDirEnv names the environment variable that moves the cache.
const CacheDirEnv = "MCP_CODE_MODE_CACHE_DIR"

// CacheDir returns the program's cache directory and makes it if need be. It
// belongs to this user and nobody else can write in it. It is the directory
// that MCP_CODE_MODE_CACHE_DIR names, else mcp-code-mode in the user's cache
// directory. Without a home of our own (HOME unset, read-only, or another
// user's as under sudo) it is /var/cache/mcp-code-mode for root and
// mcp-code-mode-UID in the temporary directory for others.
func CacheDir() (string, error) {
	if dir := os.Getenv(CacheDirEnv); dir != "" {
		abs, err := filepath.Abs(dir)
		if err == nil {
			err = privateDir(abs)
		}
		return abs, err
	}
	if base, err := os.UserCacheDir(); err == nil {
		dir := filepath.Join(base, "mcp-code-mode")
		if below, err := oursBelow(dir); err == nil && below {
			if err := privateDir(dir); !fallsBack(err) {
				return dir, err
			}
		}
	}
	dir := "/var/cache/mcp-code-mode"
	if uid := os.Geteuid(); uid != 0 {
		dir = filepath.Join(os.TempDir(), "mcp-code-mode-"+strconv.Itoa(uid))
	}
	return dir, privateDir(dir)
}

// fallsBack reports whether the error means that the directory cannot be made,
// as opposed to one that is there and must not be trusted.
func fallsBack(err error) bool {
	for _, reason := range []error{fs.ErrPermission, fs.ErrNotExist, syscall.EROFS, syscall.ENOTDIR} {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}

// oursBelow reports whether the nearest directory that exists, dir or one above
// it, belongs to this user: nothing is made in another user's home.
func oursBelow(dir string) (bool, error) {
	for {
		info, err := os.Stat(dir)
		if err == nil {
			return statOf(info).Uid == uint32(os.Geteuid()), nil
		}
		parent := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || parent == dir {
			return false, err
		}
		dir = parent
	}
}

// privateDir makes the directory, or checks one that is there: whoever else
// could write in it could put code into every sandbox.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cacheError(fmt.Errorf("making cache directory: %w", err))
	}
	info, err := os.Stat(dir)
	if err != nil {
		return cacheError(fmt.Errorf("checking cache directory: %w", err))
	}
	if uid := statOf(info).Uid; uid != uint32(os.Geteuid()) {
		return cacheError(fmt.Errorf("checking cache directory: %q belongs to user %d, not to us (%d)", dir, uid, os.Geteuid()))
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		err := fmt.Errorf("checking cache directory: %q can be written by others (mode %04o)", dir, mode)
		return &hinted{err, "chmod go-w " + strconv.Quote(dir)}
	}
	return nil
}

func cacheError(err error) error {
	return &hinted{err, "set " + CacheDirEnv + " to a directory of yours"}
}

func statOf(info fs.FileInfo) *syscall.Stat_t {
	return info.Sys().(*syscall.Stat_t)
}
