package docker

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"runtime"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// architecture is the one the embedded Python is for.
const architecture = runtime.GOARCH

// imageConfig is the part of the OCI image configuration that matters here. An
// image's id is the digest of this text, so nothing in it depends on time or
// place.
type imageConfig struct {
	Architecture string        `json:"architecture"`
	Config       imageDefaults `json:"config"`
	Created      string        `json:"created"`
	History      []history     `json:"history,omitempty"`
	OS           string        `json:"os"`
	RootFS       layerList     `json:"rootfs"`
}

type imageDefaults struct {
	Entrypoint []string          `json:"Entrypoint"`
	Env        []string          `json:"Env"`
	Labels     map[string]string `json:"Labels"`
	User       string            `json:"User"`
	WorkingDir string            `json:"WorkingDir"`
}

type history struct {
	Created   string `json:"created"`
	CreatedBy string `json:"created_by"`
}

type layerList struct {
	DiffIDs []string `json:"diff_ids"`
	Type    string   `json:"type"`
}

const epoch = "1970-01-01T00:00:00Z"

// config is the configuration of the image of a tree, with the digests of its
// layers.
func (b builder) config(t tree, layers ...string) imageConfig {
	return imageConfig{
		Architecture: architecture,
		Config: imageDefaults{
			Entrypoint: append([]string{initPath}, rootfs.Command()...),
			Env:        environment,
			Labels:     map[string]string{labelOurs: "1", labelRunner: digestOf(b.runner), labelTree: t.digest, labelInit: initDigest()},
			User:       imageUser,
			WorkingDir: sandboxHome,
		},
		Created: epoch,
		OS:      "linux",
		RootFS:  layerList{Type: "layers", DiffIDs: layers},
		History: []history{{epoch, "mcp-code-mode: CPython " + rootfs.PythonVersion + " and runner.py"}, {epoch, "mcp-code-mode: the first process"}},
	}
}

// An archive is an image in the format of docker save: a layer of the tree, and one
// of the first process.
type archive struct {
	tree     tree
	treeSize int64
	init     []byte
	config   []byte
}

// archive reads the tree once, to learn the digest of its layer.
func (b builder) archive(t tree) (*archive, error) {
	sum := sha256.New()
	var size counter
	if err := rootfs.Tar(io.MultiWriter(sum, &size), t.dir); err != nil {
		return nil, err
	}
	init, err := initLayer(architecture)
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(b.config(t, "sha256:"+hex.EncodeToString(sum.Sum(nil)), "sha256:"+digestOf(init)))
	if err != nil {
		return nil, err
	}
	return &archive{tree: t, treeSize: int64(size), init: init, config: config}, nil
}

// writeTo writes the archive, reading the tree a second time.
func (a *archive) writeTo(w io.Writer) error {
	configName := digestOf(a.config) + ".json"
	manifest, err := json.Marshal([]map[string]any{{
		"Config": configName, "RepoTags": []string{a.tree.ref}, "Layers": []string{"tree.tar", "init.tar"},
	}})
	if err != nil {
		return err
	}
	tw := tar.NewWriter(w)
	for _, file := range []struct {
		name    string
		content io.WriterTo
		size    int64
	}{
		{configName, bytes.NewReader(a.config), int64(len(a.config))},
		{"tree.tar", treeTar(a.tree.dir), a.treeSize},
		{"init.tar", bytes.NewReader(a.init), int64(len(a.init))},
		{"manifest.json", bytes.NewReader(manifest), int64(len(manifest))},
	} {
		header := &tar.Header{Name: file.name, Mode: 0o644, Size: file.size, ModTime: time.Unix(0, 0)}
		if err := tw.WriteHeader(header); err != nil {
			return err
		}
		if _, err := file.content.WriteTo(tw); err != nil {
			return err
		}
	}
	return tw.Close()
}

type treeTar string

func (dir treeTar) WriteTo(w io.Writer) (int64, error) { return 0, rootfs.Tar(w, string(dir)) }

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
