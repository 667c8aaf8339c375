//go:build linux && (amd64 || arm64)

package gvisor

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcp-code-mode/mcp-code-mode/internal/ourdir"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor/erofs"
)

// imageFormat changes with the bytes erofs.Write makes of a tree.
const imageFormat = "1"

// mountPoints are directories every root needs.
var mountPoints = []string{"dev", "proc", "sys", "tmp"}

// rootImage opens the EROFS image of the tree with the digest given, and makes
// it first if it is not there or not whole.
func rootImage(tree, digest string) (*os.File, error) {
	dir, err := cacheDir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, rootPrefix+imageFormat+"-"+digest)
	if f, err := openImage(path); err == nil {
		touch(path)
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
	f, err := ourdir.Open(path)
	if err != nil {
		return nil, err
	}
	if err := erofs.Check(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("checking %q: %w", path, err)
	}
	return f, nil
}
