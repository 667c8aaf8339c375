//go:build linux

package erofs_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor/erofs"
	reader "gvisor.dev/gvisor/pkg/erofs"
)

// TestGVisorReadsBackTheTree writes an image and reads it with the very reader
// the sandbox's kernel uses.
func TestGVisorReadsBackTheTree(t *testing.T) {
	dir := t.TempDir()
	want := map[string]string{
		"usr/bin/python3":     "#!" + strings.Repeat("x", 4096*3+17),
		"usr/lib/empty":       "",
		"usr/lib/exact":       strings.Repeat("b", 4096),
		"runner.py":           "print(1)\n",
		"usr/lib/libc.so":     "link:libc.so.6",
		"usr/lib/libc.so.6":   "elf",
		"Ünïcode/näme":        "x",
		"many/\x01first":      "sorted bytewise",
		"many/~last":          "sorted bytewise",
		"many/with.dot":       "1",
		"many/with-dash":      "2",
		"deep/1/2/3/4/5/file": "6",
	}
	for i := range 900 { // a directory of many blocks
		want[fmt.Sprintf("many/%04d-%s", i, strings.Repeat("n", i%200))] = fmt.Sprint(i)
	}
	for path, content := range want {
		write(t, filepath.Join(dir, path), content)
	}
	img := open(t, dir, "proc", "usr")

	got := map[string]string{}
	walk(t, img, img.RootNid(), "", got)
	want["proc"] = "dir"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tree read back from the image (-want +got):\n%s", diff)
	}
}

func TestEveryNameIsFoundByLookup(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for i := range 600 {
		names = append(names, fmt.Sprintf("%03d%s", i, strings.Repeat("z", i%90)))
		write(t, filepath.Join(dir, names[i]), "x")
	}
	img := open(t, dir)
	root, err := img.Inode(img.RootNid())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, ".", "..") {
		if _, err := root.Lookup(name); err != nil {
			t.Errorf("looking up %q: %v", name, err)
		}
	}
	if _, err := root.Lookup("absent"); err == nil {
		t.Error("a name that is not there was found")
	}
}

func TestSameTreeGivesSameBytes(t *testing.T) {
	var images [2]bytes.Buffer
	for i := range images {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "b/file"), "1")
		write(t, filepath.Join(dir, "a"), "2")
		if err := os.Chmod(filepath.Join(dir, "a"), fs.FileMode(0o600|0o44*i)); err != nil {
			t.Fatal(err)
		}
		if err := erofs.Write(&images[i], dir, "proc"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(images[0].Bytes(), images[1].Bytes()) {
		t.Error("two images of equal trees differ")
	}
}

func TestOnlyFilesDirectoriesAndLinksAreWritten(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := erofs.Write(&bytes.Buffer{}, dir)
	if err == nil || !strings.Contains(err.Error(), `"pipe"`) {
		t.Errorf("writing a tree with a named pipe: got %v, want an error that names it", err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if target, ok := strings.CutPrefix(content, "link:"); ok {
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		return
	}
	mode := fs.FileMode(0o644)
	if strings.HasPrefix(content, "#!") {
		mode = 0o755
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string, mountPoints ...string) *reader.Image {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "image"))
	if err != nil {
		t.Fatal(err)
	}
	if err := erofs.Write(f, dir, mountPoints...); err != nil {
		t.Fatal(err)
	}
	img, err := reader.OpenImage(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(img.Close)
	if st, err := f.Stat(); err != nil || st.Size() != int64(img.Blocks())*4096 {
		t.Errorf("image has %d bytes, its superblock says %d blocks of 4096 (%v)", st.Size(), img.Blocks(), err)
	}
	return img
}

func walk(t *testing.T, img *reader.Image, nid uint64, path string, got map[string]string) {
	t.Helper()
	inode, err := img.Inode(nid)
	if err != nil {
		t.Fatalf("reading inode of %q: %v", path, err)
	}
	if inode.IsDir() {
		n := 0
		err := inode.IterDirents(func(name string, _ uint8, child uint64) error {
			if n++; name != "." && name != ".." {
				walk(t, img, child, filepath.Join(path, name), got)
			}
			return nil
		})
		if err != nil {
			t.Fatalf("listing %q: %v", path, err)
		}
		if n == 2 {
			got[path] = "dir"
		}
		return
	}
	var content []byte
	ranges, err := inode.DataRanges()
	if err != nil {
		t.Fatalf("reading %q: %v", path, err)
	}
	for _, r := range ranges {
		content = append(content, r.Bytes...)
	}
	if executable := inode.Mode()&0o111 != 0; inode.IsRegular() && executable != bytes.HasPrefix(content, []byte("#!")) {
		t.Errorf("%q has mode %o", path, inode.Mode())
	}
	if inode.IsSymlink() {
		content = append([]byte("link:"), content...)
	}
	got[path] = string(content)
}
