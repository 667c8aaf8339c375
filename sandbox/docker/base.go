package docker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/distribution/reference"
	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker/internal/pid1"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

const (
	minPython      = 11               // as in 3.11, the oldest the runner works with
	maxAnswer      = 4 << 10          // bytes a base's Python may print about itself
	questionPeriod = 60 * time.Second // for a base's Python to answer
)

// buildOnBase builds an image of a registry image and the runner.
func (b builder) buildOnBase(ctx context.Context, base string) (sandboxImage, error) {
	base, err := pinned(base)
	if err != nil {
		return sandboxImage{}, err
	}
	if err := b.pull(ctx, base); err != nil {
		return sandboxImage{}, err
	}
	img, err := b.inspect(ctx, base)
	if err != nil {
		return sandboxImage{}, b.engine.explain("looking at "+base, err)
	}
	if img.volumes > 0 {
		return sandboxImage{}, img.declaresVolumes()
	}
	python, err := b.findPython(ctx, base)
	if err != nil {
		return sandboxImage{}, err
	}
	b.progress("building the sandbox image on " + base)
	dockerfile, err := b.dockerfile(base, python)
	if err != nil {
		return sandboxImage{}, err
	}
	ref := repository + ":" + digestOf([]byte(dockerfile))[:12]
	files, err := b.buildContext(ctx, dockerfile)
	if err != nil {
		return sandboxImage{}, err
	}
	resp, err := b.engine.ImageBuild(ctx, files, build.ImageBuildOptions{
		Tags: []string{ref}, Remove: true, ForceRemove: true, NetworkMode: "none", Version: build.BuilderV1,
	})
	if err != nil {
		return sandboxImage{}, b.engine.explain("building on "+base, err)
	}
	defer resp.Body.Close()
	if err := readMessages(resp.Body); err != nil {
		return sandboxImage{}, b.engine.explain("building on "+base, err)
	}
	return b.use(ctx, ref)
}

// pinned requires the digest of a registry image: a name alone may mean another
// image tomorrow.
func pinned(base string) (string, error) {
	named, err := reference.ParseNormalizedNamed(base)
	if err != nil {
		return "", fmt.Errorf("reading base image %q: %w", base, err)
	}
	if _, ok := named.(reference.Canonical); !ok {
		err := fmt.Errorf("reading base image %q: it is not pinned by digest", base)
		return "", hint.Error(err, fmt.Sprintf("docker pull %s prints the digest; then use %s@sha256:…", base, reference.TrimNamed(named)))
	}
	return named.String(), nil
}

// pull gets the base unless the engine has it.
func (b builder) pull(ctx context.Context, base string) error {
	if _, err := b.engine.ImageInspect(ctx, base); err == nil || !errdefs.IsNotFound(err) {
		return err
	}
	b.progress("pulling " + base)
	messages, err := b.engine.ImagePull(ctx, base, image.PullOptions{})
	if err == nil {
		defer messages.Close()
		err = readMessages(messages)
	}
	if err != nil {
		err = b.engine.explain("pulling base image "+strconv.Quote(base), err)
		return hint.Error(err, "if the registry needs a login, docker pull it first")
	}
	return nil
}

// noSuchProgram reports whether a container did not start because its program does not
// exist. It looks for the texts of runc and crun, because the engine has no error code
// for this.
func noSuchProgram(err error) bool {
	text := err.Error()
	return strings.Contains(text, "executable file") && strings.Contains(text, "not found")
}

// findPython asks the base where its python3 is, and refuses one that is too
// old. The base's program runs under the same confinement as a sandbox.
func (b builder) findPython(ctx context.Context, base string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, questionPeriod)
	defer cancel()
	answer, err := b.askPython(ctx, base)
	if err != nil {
		if noSuchProgram(err) {
			err = fmt.Errorf("base image %q has no python3", base)
		}
		return "", fmt.Errorf("asking for Python's version: %w", err)
	}
	var major, minor int
	var python string
	if _, err := fmt.Sscanf(answer, "%d %d %s", &major, &minor, &python); err != nil || !path.IsAbs(python) {
		return "", fmt.Errorf("asking for Python's version: base image %q answered %q", base, answer)
	}
	if major != 3 || minor < minPython {
		return "", fmt.Errorf("base image %q has Python %d.%d, and the runner needs 3.%d or newer", base, major, minor, minPython)
	}
	return python, nil
}

func (b builder) askPython(ctx context.Context, base string) (answer string, err error) {
	version, info, err := b.engine.describe(ctx)
	if err != nil {
		return "", err
	}
	l := launch{labels: ownLabels(), crun: isRuntime(info, info.DefaultRuntime, "crun"), podman: isPodman(version)}
	// Where there is none, whether that is accepted is decided when a sandbox starts.
	l.filter, _ = b.engine.filterFor(version, info)
	err = newIDChoice(version, info).try(func(ids userIDs) error {
		return l.claimFrom(ids, func() error {
			host, err := l.confined()
			if err != nil {
				return err
			}
			config := l.config()
			config.Image = base
			config.Env = nil // the base's own PATH says where its Python is
			config.Healthcheck = &container.HealthConfig{Test: []string{"NONE"}}
			config.Entrypoint = []string{"python3", "-I", "-S", "-c", "import sys; print(sys.version_info[0], sys.version_info[1], sys.executable)"}
			answer, err = b.engine.run(ctx, l.claim, config, host)
			return err
		})
	})
	return answer, err
}

// run runs a container to its end and returns what it printed. Its exit status
// must be 0.
func (en *engine) run(ctx context.Context, c claim, config *container.Config, host *container.HostConfig) (string, error) {
	created, err := en.ContainerCreate(ctx, config, host, nil, nil, c.name())
	if err != nil {
		return "", err
	}
	defer func() { // needed if it did not end by itself
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
		defer cancel()
		en.remove(ctx, created.ID)
	}()
	s, err := en.attach(ctx, created.ID)
	if err != nil {
		return "", err
	}
	defer s.close()
	defer context.AfterFunc(ctx, s.close)()
	results, failures := en.ContainerWait(ctx, created.ID, container.WaitConditionRemoved)
	if err := en.ContainerStart(ctx, created.ID, container.StartOptions{}); err != nil {
		return "", err
	}
	output, err := io.ReadAll(io.LimitReader(s, maxAnswer))
	if err != nil {
		return "", err
	}
	select {
	case result := <-results:
		if result.StatusCode != 0 {
			return "", fmt.Errorf("exit status %d: %s", result.StatusCode, s.stderr.String())
		}
		return string(output), nil
	case err := <-failures:
		return "", err
	}
}

func (b builder) dockerfile(base, python string) (string, error) {
	entrypoint, err := json.Marshal([]string{initPath, python, "-I", "-S", "-B", rootfs.RunnerPath})
	if err != nil {
		return "", err
	}
	return strings.Join([]string{
		"FROM " + base,
		"COPY init " + initPath,
		"COPY runner.py " + rootfs.RunnerPath,
		fmt.Sprintf("LABEL %s=1 %s=%s %s=%s %s=%q", labelOurs, labelRunner, digestOf(b.runner), labelInit, initDigest(), labelBase, base),
		"HEALTHCHECK NONE",
		"USER " + imageUser,
		"WORKDIR " + sandboxHome,
		"ENTRYPOINT " + string(entrypoint),
		"",
	}, "\n"), nil
}

// buildContext is what the engine builds from. The first process is a program for the
// engine's own processor, even if the base is for another one and is emulated.
func (b builder) buildContext(ctx context.Context, dockerfile string) (io.Reader, error) {
	v, err := b.engine.ServerVersion(ctx)
	if err != nil {
		return nil, b.engine.explain("asking for its version", err)
	}
	program, err := pid1.Program(v.Arch, environment)
	if err != nil {
		return nil, fmt.Errorf("the engine at %s runs %s/%s: %w", b.engine.host, v.Os, v.Arch, err)
	}
	var buf bytes.Buffer
	err = writeTar(&buf, []file{
		{"Dockerfile", 0o644, []byte(dockerfile)}, {"runner.py", 0o644, b.runner}, {"init", 0o755, program},
	})
	return &buf, err
}
