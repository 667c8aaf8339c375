//go:build linux && (amd64 || arm64)

package rootfs_test

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// The tree as a tar archive, as an image or a root file system needs it.
func Example() {
	dir, digest, err := rootfs.Tree(context.Background(), []byte("print('ready')\n"), nil)
	if err != nil {
		log.Fatal(err)
	}
	r, w := io.Pipe()
	go func() { w.CloseWithError(rootfs.Tar(w, dir)) }()
	archive := tar.NewReader(r)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		if h.Name == "runner.py" || h.Name == "usr/bin/python3" {
			fmt.Printf("%o %s\n", h.Mode, h.Name)
		}
	}
	fmt.Println(len(digest), "digits of digest")
	// Output:
	// 644 runner.py
	// 755 usr/bin/python3
	// 64 digits of digest
}
