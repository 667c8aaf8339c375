package erofs_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor/erofs"
)

// Make an image of a directory that a kernel can mount, with an empty /tmp.
func Example() {
	dir, err := os.MkdirTemp("", "erofs-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := writeImage(dir); err != nil {
		log.Print(err)
	}
	// Output: the image is whole
}

func writeImage(dir string) error {
	tree := filepath.Join(dir, "tree")
	if err := os.Mkdir(tree, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tree, "hello"), []byte("hello\n"), 0o644); err != nil {
		return err
	}
	image, err := os.Create(filepath.Join(dir, "image"))
	if err != nil {
		return err
	}
	defer image.Close()
	if err := erofs.Write(image, tree, "tmp"); err != nil {
		return err
	}
	if err := erofs.Check(image); err != nil {
		return err
	}
	fmt.Println("the image is whole")
	return nil
}
