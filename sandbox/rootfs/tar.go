package rootfs

import (
	"archive/tar"
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"
)

// Tar writes the tree at dir as a tar archive. Equal trees give equal bytes:
// entries are sorted, owned by root and dated 1970.
func Tar(w io.Writer, dir string) error {
	buf := bufio.NewWriterSize(w, 1<<18)
	tw := tar.NewWriter(buf)
	err := visit(dir, func(name string, info fs.FileInfo) error {
		h := &tar.Header{
			Format:   tar.FormatUSTAR,
			Typeflag: tar.TypeReg,
			Name:     name,
			Mode:     unixMode(info),
			ModTime:  time.Unix(0, 0),
		}
		if info.IsDir() {
			h.Typeflag, h.Name = tar.TypeDir, name+"/"
			return tw.WriteHeader(h)
		}
		h.Size = info.Size()
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
		return copyFile(tw, filepath.Join(dir, name), h.Size)
	})
	if err == nil {
		err = tw.Close()
	}
	if err == nil {
		err = buf.Flush()
	}
	if err != nil {
		return fmt.Errorf("archiving tree %q: %w", dir, err)
	}
	return nil
}
