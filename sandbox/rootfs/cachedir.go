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

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
	"github.com/mcp-code-mode/mcp-code-mode/internal/ourdir"
)

// CacheDirEnv names the environment variable that moves the cache.
const CacheDirEnv = "MCP_CODE_MODE_CACHE_DIR"

// CacheDir returns the program's cache directory and makes it if need be. It
// belongs to this user and nobody else can write in it; one that is there and is not
// so is an error. It is the directory
// that MCP_CODE_MODE_CACHE_DIR names, else mcp-code-mode in the user's cache
// directory. Without a home of our own (HOME unset, read-only, or another
// user's as under sudo) it is /var/cache/mcp-code-mode for root and
// mcp-code-mode-UID in the temporary directory for others.
func CacheDir() (string, error) {
	if dir := os.Getenv(CacheDirEnv); dir != "" {
		return usable(dir)
	}
	if base, err := os.UserCacheDir(); err == nil && filepath.IsAbs(base) {
		dir := filepath.Join(base, "mcp-code-mode")
		if below, err := oursBelow(dir); err == nil && below {
			if dir, err := usable(dir); !fallsBack(err) {
				return dir, err
			}
		}
	}
	if uid := os.Geteuid(); uid != 0 {
		return usable(filepath.Join(os.TempDir(), "mcp-code-mode-"+strconv.Itoa(uid)))
	}
	return usable("/var/cache/mcp-code-mode")
}

// usable makes the cache directory, or checks one that is there: whoever else could
// write in it could put code into every sandbox.
func usable(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		err = ourdir.Make(abs, 0o755) // the user may have made it, so others may look into it
	}
	if err != nil {
		return "", cacheError(fmt.Errorf("preparing the cache: %w", err))
	}
	return abs, nil
}

// CachePart returns one directory of the cache, which nobody else can enter, and
// makes it if need be.
func CachePart(name string) (string, error) {
	base, err := CacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(base, name)
	if err := ourdir.Make(dir, 0o700); err != nil {
		return "", cacheError(fmt.Errorf("preparing the cache: %w", err))
	}
	return dir, nil
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

// cacheError adds the next step to an error that has none that is nearer.
func cacheError(err error) error {
	next := "set " + CacheDirEnv + " to a directory of yours"
	if nearer := hint.Of(err); nearer != "" {
		next = nearer + ", or " + next
	}
	return hint.Error(err, next)
}

func statOf(info fs.FileInfo) *syscall.Stat_t {
	return info.Sys().(*syscall.Stat_t)
}
