package docker

import (
	"archive/tar"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker/internal/pid1"
)

const (
	// initPath is where the first process's program lies in an image.
	initPath = "/init"

	// imageUser is the user of an image that is started without us: nobody.
	imageUser = "65534:65534"

	// labelInit, on images, is the digest of the first process.
	labelInit = "mcp-code-mode.init"
)

// initDigest identifies the first process, for all architectures together.
var initDigest = sync.OnceValue(func() string {
	var all strings.Builder
	for _, arch := range []string{"amd64", "arm64"} {
		program, err := pid1.Program(arch, environment)
		if err != nil {
			panic(err) // cannot happen: both architectures are supported
		}
		all.Write(program)
	}
	return digestOf([]byte(all.String()))
})

// initLayer is an image layer that holds the first process.
func initLayer(arch string) ([]byte, error) {
	program, err := pid1.Program(arch, environment)
	if err != nil {
		return nil, err
	}
	var layer strings.Builder
	err = writeTar(&layer, []file{{strings.TrimPrefix(initPath, "/"), 0o755, program}})
	return []byte(layer.String()), err
}

type file struct {
	name    string
	mode    int64
	content []byte
}

// writeTar writes files as a tar archive, dated 1970.
func writeTar(w io.Writer, files []file) error {
	tw := tar.NewWriter(w)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), ModTime: time.Unix(0, 0)}
		if err := tw.WriteHeader(header); err != nil {
			return err
		}
		if _, err := tw.Write(f.content); err != nil {
			return err
		}
	}
	return tw.Close()
}
