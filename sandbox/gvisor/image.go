//go:build linux && (amd64 || arm64)

package gvisor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor/erofs"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// imageFormat changes with the bytes erofs.Write makes of a tree.
const imageFormat = "1"

// mountPoints are directories every root needs.
var mountPoints = []string{"dev", "proc", "sys", "tmp"}

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

// rootImage opens the EROFS image of the tree with the digest given, and makes
// it first if it is not there or not whole.
func rootImage(tree, digest string) (*os.File, error) {
	dir, err := cacheDir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "root-"+imageFormat+"-"+digest)
	if f, err := openImage(path); err == nil {
		return f, nil
	}
	if err := replaceFile(path, func(f *os.File) error { return erofs.Write(f, tree, mountPoints...) }); err != nil {
		return nil, fmt.Errorf("making root image: %w", err)
	}
	f, err := openImage(path)
	if err != nil {
		return nil, fmt.Errorf("opening root image: %w", err)
	}
	return f, nil
}

// openImage opens an image that is ours and as long as it says it is.
func openImage(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || !ours(info) || info.Mode().Perm()&0o022 != 0) {
		err = errors.New("not a file that only we can write")
	}
	if err == nil {
		err = erofs.Check(f)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("checking %q: %w", path, err)
	}
	return f, nil
}

// replaceFile writes a file beside its place and moves it there when it is whole
// and on disk. Processes that write the same file at once do not disturb each
// other.
func replaceFile(path string, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
