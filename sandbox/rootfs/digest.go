package rootfs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// visit calls fn for everything below dir, in lexical order, with
// slash-separated paths relative to dir. The tree holds directories and regular
// files only; anything else is an error.
func visit(dir string, fn func(name string, info fs.FileInfo) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name := filepath.ToSlash(path[len(dir)+1:])
		if !info.IsDir() && !info.Mode().IsRegular() {
			return fmt.Errorf("reading tree: %q is neither a file nor a directory", name)
		}
		return fn(name, info)
	})
}

// digestOf is the content digest of a tree: SHA-256 over path, mode, size and
// content of all its entries, in hexadecimal.
func digestOf(dir string) (string, error) {
	sum := sha256.New()
	err := visit(dir, func(name string, info fs.FileInfo) error {
		if info.IsDir() {
			_, err := fmt.Fprintf(sum, "%s/\x00%o\x00", name, unixMode(info))
			return err
		}
		if _, err := fmt.Fprintf(sum, "%s\x00%o\x00%d\x00", name, unixMode(info), info.Size()); err != nil {
			return err
		}
		return copyFile(sum, filepath.Join(dir, name), info.Size())
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// copyFile copies the file, which must have exactly the size given.
func copyFile(w io.Writer, path string, size int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(w, io.LimitReader(f, size+1))
	if err == nil && n != size {
		err = fmt.Errorf("reading %q: size changed from %d", path, size)
	}
	return err
}

// unixMode is the permission bits and the sticky bit as chmod(1) numbers them.
func unixMode(info fs.FileInfo) int64 {
	mode := int64(info.Mode().Perm())
	if info.Mode()&fs.ModeSticky != 0 {
		mode |= 0o1000
	}
	return mode
}
