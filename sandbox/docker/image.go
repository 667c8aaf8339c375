package docker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

const (
	repository = "mcp-code-mode"

	labelOurs   = "mcp-code-mode"        // on every image and container of ours: 1
	labelRunner = "mcp-code-mode.runner" // on images: digest of the runner inside
	labelTree   = "mcp-code-mode.tree"   // on images of the embedded Python: digest of the tree
	labelBase   = "mcp-code-mode.base"   // on images built with --base: the base
)

// A sandboxImage is an image and how to start the runner in it.
type sandboxImage struct {
	ref        string
	id         string
	entrypoint []string
	serial     int // how many times it has been built again
}

// BuildOptions say what image to build.
type BuildOptions struct {
	// Base is a registry image pinned by digest, NAME@sha256:…, that has Python
	// 3.11 or newer. Empty: the Python embedded in this program, on Linux.
	Base string
	// Runner is the runner's source.
	Runner []byte
	// Progress is told about work that takes long; nil: nobody.
	Progress func(string)
}

// BuildImage builds the image, also when it is there already, and returns its
// name and its id. Two builds from the embedded Python give the same id.
func BuildImage(ctx context.Context, o BuildOptions) (ref, id string, err error) {
	en, _, err := connect(ctx)
	if err != nil {
		return "", "", err
	}
	defer en.close()
	b := builder{en, o.Runner, o.Progress}
	if b.progress == nil {
		b.progress = func(string) {}
	}
	var img sandboxImage
	if o.Base != "" {
		img, err = b.buildOnBase(ctx, o.Base)
	} else {
		var t tree
		if t, err = b.tree(ctx); err == nil {
			img, err = b.load(ctx, t)
		}
	}
	if err != nil {
		return "", "", fmt.Errorf("building image: %w", err)
	}
	return img.ref, img.id, nil
}

// A builder brings images to one engine.
type builder struct {
	engine   *engine
	runner   []byte
	progress func(string)
}

// ensure returns the image of the embedded Python, building it if the engine
// does not have it. Where the embedded Python does not run, it is an image built
// earlier on a base.
func (b builder) ensure(ctx context.Context) (sandboxImage, error) {
	t, err := b.tree(ctx)
	if err != nil {
		if img, ok := b.findBuilt(ctx); ok && errors.Is(err, rootfs.ErrUnsupported) {
			return img, nil
		}
		return sandboxImage{}, err
	}
	img, err := b.inspect(ctx, t.ref)
	if err == nil && img.labels[labelTree] == t.digest {
		return img.sandboxImage, nil
	}
	if err != nil && !errdefs.IsNotFound(err) {
		return sandboxImage{}, b.engine.explain("looking for the image", err)
	}
	if err := b.checkPlatform(ctx); err != nil {
		if img, ok := b.findBuilt(ctx); ok {
			return img, nil
		}
		return sandboxImage{}, err
	}
	return b.load(ctx, t)
}

// use returns an image that the operator has named.
func (b builder) use(ctx context.Context, ref string) (sandboxImage, error) {
	img, err := b.inspect(ctx, ref)
	if errdefs.IsNotFound(err) {
		err = fmt.Errorf("looking for image %q: the engine does not have it", ref)
		return sandboxImage{}, hint.Error(err, "docker pull it, or leave out --image to have one built")
	}
	if err != nil {
		return sandboxImage{}, b.engine.explain(fmt.Sprintf("looking for image %q", ref), err)
	}
	if err := img.check(b.runner); err != nil {
		return sandboxImage{}, err
	}
	return img.sandboxImage, nil
}

// findBuilt looks for an image with our runner that was built on a base.
func (b builder) findBuilt(ctx context.Context) (sandboxImage, bool) {
	list, err := b.engine.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(
		filters.Arg("label", labelOurs+"=1"),
		filters.Arg("label", labelRunner+"="+digestOf(b.runner)),
		filters.Arg("label", labelInit+"="+initDigest()),
		filters.Arg("label", labelBase),
		filters.Arg("dangling", "false"),
	)})
	if err != nil {
		return sandboxImage{}, false
	}
	for _, entry := range list {
		for _, ref := range entry.RepoTags {
			if img, err := b.use(ctx, ref); err == nil {
				return img, true
			}
		}
	}
	return sandboxImage{}, false
}

// An inspected image is an image with what the engine says about it.
type inspected struct {
	sandboxImage
	labels  map[string]string
	volumes int
}

func (b builder) inspect(ctx context.Context, ref string) (inspected, error) {
	resp, err := b.engine.ImageInspect(ctx, ref)
	if err != nil {
		return inspected{}, err
	}
	if resp.Config == nil {
		return inspected{}, fmt.Errorf("image %q has no configuration", ref)
	}
	img := inspected{labels: resp.Config.Labels, volumes: len(resp.Config.Volumes)}
	img.ref, img.id, img.entrypoint = ref, resp.ID, resp.Config.Entrypoint
	return img, nil
}

// check refuses images that would start something other than our runner, or
// that would get a volume, a place to write to that no limit covers.
func (img inspected) check(runner []byte) error {
	const rebuild = "build it with this version of the program: mcp-code-mode build-image"
	switch {
	case img.labels[labelRunner] == "" || len(img.entrypoint) == 0:
		return hint.Error(fmt.Errorf("using image %q: it was not built by mcp-code-mode", img.ref), rebuild)
	case img.labels[labelRunner] != digestOf(runner):
		return hint.Error(fmt.Errorf("using image %q: it holds the runner of another version", img.ref), rebuild)
	case img.labels[labelInit] != initDigest():
		return hint.Error(fmt.Errorf("using image %q: it holds the first process of another version", img.ref), rebuild)
	case img.volumes > 0:
		return img.declaresVolumes()
	}
	return nil
}

func (img inspected) declaresVolumes() error {
	return fmt.Errorf("using image %q: it declares volumes, which a sandbox must not have", img.ref)
}

// A tree is the embedded Python and the name of the image it becomes.
type tree struct{ dir, digest, ref string }

func (b builder) tree(ctx context.Context) (tree, error) {
	dir, digest, err := rootfs.Tree(ctx, b.runner, b.progress)
	if err != nil {
		return tree{}, err
	}
	t := tree{dir: dir, digest: digest}
	// The name stands for content and configuration.
	config, err := json.Marshal(b.config(t))
	if err != nil {
		return tree{}, err
	}
	t.ref = repository + ":" + digestOf(config)[:12]
	return t, nil
}

// checkPlatform makes sure the engine can run what this program embeds.
func (b builder) checkPlatform(ctx context.Context) error {
	v, err := b.engine.ServerVersion(ctx)
	if err != nil {
		return b.engine.explain("asking for its version", err)
	}
	if v.Os == "linux" && v.Arch == architecture {
		return nil
	}
	err = fmt.Errorf("the engine at %s runs %s/%s, this program embeds Python for linux/%s",
		b.engine.host, v.Os, v.Arch, architecture)
	return hint.Error(err, "build an image for that engine: mcp-code-mode build-image --base IMAGE@sha256:…")
}

// load sends the image to the engine, which keeps only one of two equal ones.
func (b builder) load(ctx context.Context, t tree) (sandboxImage, error) {
	if err := b.checkPlatform(ctx); err != nil {
		return sandboxImage{}, err
	}
	b.progress("building the sandbox image (first time only)")
	archive, err := b.archive(t)
	if err != nil {
		return sandboxImage{}, err
	}
	r, w := io.Pipe()
	go func() { w.CloseWithError(archive.writeTo(w)) }()
	defer func() { _ = r.Close() }() // ends the writer in every case
	resp, err := b.engine.ImageLoad(ctx, r, client.ImageLoadWithQuiet(true))
	if err != nil {
		return sandboxImage{}, b.engine.explain("loading the image", err)
	}
	defer resp.Body.Close()
	if err := readMessages(resp.Body); err != nil {
		return sandboxImage{}, b.engine.explain("loading the image", err)
	}
	img, err := b.inspect(ctx, t.ref)
	if err != nil {
		return sandboxImage{}, b.engine.explain("looking for the image just loaded", err)
	}
	_ = b.engine.ImageTag(ctx, img.id, t.ref) // sets the time of last use, which loading does not do
	b.prune(ctx, t.ref, keepImages)
	return img.sandboxImage, nil
}

// keepImages is how long the image of another version of the program is kept.
const keepImages = 7 * 24 * time.Hour

// prune removes images of the embedded Python that are older than that, unless
// a container uses them. Another version that still wants one builds it again.
// Nothing depends on it, so errors do not matter.
func (b builder) prune(ctx context.Context, current string, age time.Duration) {
	list, err := b.engine.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(
		filters.Arg("label", labelOurs+"=1"), filters.Arg("label", labelTree),
	)})
	if err != nil {
		return
	}
	for _, entry := range list {
		resp, err := b.engine.ImageInspect(ctx, entry.ID)
		loaded := resp.Metadata.LastTagTime
		if err != nil || slices.Contains(entry.RepoTags, current) || loaded.IsZero() || time.Since(loaded) < age {
			continue
		}
		for _, ref := range entry.RepoTags {
			if strings.HasPrefix(ref, repository+":") { // a tag that others have given stays
				_, _ = b.engine.ImageRemove(ctx, ref, image.RemoveOptions{PruneChildren: true})
			}
		}
	}
}

// maxMessages bounds the output of an engine that builds or loads.
const maxMessages = 16 << 20

// readMessages reads the engine's messages until it is done, and returns the error that
// they report.
func readMessages(r io.Reader) error {
	decoder := json.NewDecoder(io.LimitReader(r, maxMessages))
	for {
		var m struct {
			Error string `json:"error"`
		}
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if m.Error != "" {
			return errors.New(m.Error)
		}
	}
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
