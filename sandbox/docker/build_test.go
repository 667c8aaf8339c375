//go:build linux

package docker

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/image"
	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

func buildRole() {
	ref, id, err := BuildImage(context.Background(), BuildOptions{Runner: []byte(os.Getenv("DOCKER_TEST_RUNNER"))})
	fmt.Println(ref, id, err)
}

func TestTwoBuildsGiveTheSameImage(t *testing.T) {
	needEngine(t)
	en, _, err := connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer en.close()
	runner := []byte("# built twice\n")
	first, id, err := BuildImage(t.Context(), BuildOptions{Runner: runner})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := en.ImageRemove(t.Context(), first, image.RemoveOptions{Force: true, PruneChildren: true}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MCP_CODE_MODE_CACHE_DIR", filepath.Join(t.TempDir(), "another-cache"))
	var said []string
	second, again, err := BuildImage(t.Context(), BuildOptions{Runner: runner, Progress: func(s string) { said = append(said, s) }})
	if err != nil || first != second || id != again {
		t.Errorf("first %s %s, then %s %s, %v", first, id, second, again, err)
	}
	removeImage(t, en, first)
	if len(said) != 2 || !strings.HasPrefix(said[0], "unpacking Python") || !strings.HasPrefix(said[1], "building the sandbox image") {
		t.Errorf("progress: %q", said)
	}
	// The id is the digest of a configuration with nothing of time or place.
	archive, err := builder{en, runner, nil}.archiveOf(t)
	if err != nil || id != "sha256:"+digestOf(archive.config) {
		t.Errorf("id %s, want that of %s, %v", id, archive.config, err)
	}
}

func (b builder) archiveOf(t *testing.T) (*archive, error) {
	b.progress = func(string) {}
	tr, err := b.tree(t.Context())
	if err != nil {
		return nil, err
	}
	return b.archive(tr)
}

func TestProcessesAtOnceBuildOneImage(t *testing.T) {
	needEngine(t)
	en, _, err := connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer en.close()
	answers := make(chan string)
	for range 3 {
		go func() {
			cmd := asRole(t, "build", "DOCKER_TEST_RUNNER=# built at once\n")
			out, err := cmd.Output()
			answers <- fmt.Sprint(string(out), err)
		}()
	}
	first := <-answers
	for range 2 {
		if other := <-answers; other != first {
			t.Errorf("%s and %s", first, other)
		}
	}
	ref, _, _ := strings.Cut(first, " ")
	if !strings.HasSuffix(first, " <nil>\n<nil>") || !strings.HasPrefix(ref, repository+":") {
		t.Fatalf("got %s", first)
	}
	removeImage(t, en, ref)
}

func TestImagesOfOtherVersionsArePruned(t *testing.T) {
	ownEngine(t, "{}")
	used := newDriver(t, Options{Runner: []byte("# used\nimport time\ntime.sleep(1000)\n")})
	i := start(t, used)
	old := newDriver(t, Options{Runner: []byte("# old\n")})
	current := newDriver(t, Options{Runner: []byte("# current\n")})
	b := current.builder
	there := func() (refs []string) {
		for _, d := range []*Driver{used, old, current} {
			if _, err := b.inspect(t.Context(), d.image.ref); err == nil {
				refs = append(refs, d.image.ref)
			}
		}
		return refs
	}
	b.prune(t.Context(), current.image.ref, time.Hour)
	if got := there(); len(got) != 3 {
		t.Errorf("young images were removed, there are %v", got)
	}
	b.prune(t.Context(), current.image.ref, 0)
	if diff := cmp.Diff([]string{used.image.ref, current.image.ref}, there()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	i.Kill()
	i.Wait()
}

func TestImageThatIsNotOurs(t *testing.T) {
	needEngine(t)
	_, err := New(t.Context(), Options{Runner: sandbox.RunnerSource, Image: "no-such-image:1"})
	wantError(t, err, `image "no-such-image:1"`, "does not have it", "docker pull")

	d := newDriver(t, Options{Runner: []byte("# another version\n")})
	removeImage(t, d.engine, d.image.ref)
	_, err = New(t.Context(), Options{Runner: sandbox.RunnerSource, Image: d.image.ref})
	wantError(t, err, d.image.ref, "the runner of another version", "build-image")

	r := newRegistry(t)
	plain := r.add("plain", imageSpec{layer: layerOf(t, map[string]string{"file": "text"}), config: map[string]any{"Cmd": []string{"/file"}}})
	pull(t, d.engine, plain)
	_, err = New(t.Context(), Options{Runner: sandbox.RunnerSource, Image: plain})
	wantError(t, err, "was not built by mcp-code-mode")
}

func TestImageOnABaseRunsTheRunner(t *testing.T) {
	needEngine(t)
	en, _, err := connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer en.close()
	r := newRegistry(t)
	base := r.add("python", imageSpec{
		layer: pythonLayer(t),
		config: map[string]any{
			"Env": []string{"PATH=/usr/bin", "BASE_SECRET=1", "PYTHONPATH=/evil"}, "Entrypoint": []string{"/entry"}, "Cmd": []string{"argument"},
			"User": "root", "WorkingDir": "/usr", "Healthcheck": map[string]any{"Test": []string{"CMD", "/x"}},
		},
	})
	removeImage(t, en, base)
	var said []string
	ref, id, err := BuildImage(t.Context(), BuildOptions{Base: base, Runner: sandbox.RunnerSource, Progress: func(s string) { said = append(said, s) }})
	if err != nil {
		t.Fatal(err)
	}
	removeImage(t, en, ref)
	if len(said) != 2 || said[0] != "pulling "+base || !strings.HasPrefix(id, "sha256:") {
		t.Errorf("id %s, progress %q", id, said)
	}
	d := newDriver(t, Options{Image: ref})
	works(t, d)
	o, err := open(t, d).Exec(t.Context(), "import os, sys\nprint(sorted(os.environ), os.getuid() > 65534, os.getcwd(), sys.argv)", nil)
	if err != nil || o.Stdout != "['HOME', 'LANG', 'PATH'] True /tmp ['/runner.py']\n" {
		t.Errorf("got %+v, %v", o, err)
	}
	// It stands in where the embedded Python does not run.
	found, ok := builder{en, sandbox.RunnerSource, nil}.findBuilt(t.Context())
	if !ok || found.id != id {
		t.Errorf("found %+v, %v", found, ok)
	}
	if _, ok := (builder{en, []byte("# another version\n"), nil}).findBuilt(t.Context()); ok {
		t.Error("found the image for another runner")
	}
}

func TestBaseThatCannotBeUsed(t *testing.T) {
	needEngine(t)
	en, _, err := connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer en.close()
	r := newRegistry(t)
	pinnedBase := r.host + "/python@sha256:" + strings.Repeat("0", 64)
	for _, test := range []struct {
		what, base string
		want       []string
	}{
		{"a tag", "python:3.14-slim", []string{`"python:3.14-slim"`, "not pinned by digest", "python@sha256:"}},
		{"a name", "python", []string{"not pinned by digest"}},
		{"a short digest", "python@sha256:1234", []string{"reading base image"}},
		{"no reference at all", "Not A Reference", []string{"reading base image"}},
		{"one the registry lacks", pinnedBase, []string{"pulling base image", pinnedBase, "needs a login"}},
		{"one without Python", r.add("empty", imageSpec{layer: layerOf(t, map[string]string{"file": "text"}), config: map[string]any{}}),
			[]string{"has no python3"}},
		{"one with an old Python", r.add("old", imageSpec{layer: fakePython(t, "3 9 /usr/bin/python3"), config: map[string]any{}}),
			[]string{"has Python 3.9", "3.11 or newer"}},
		{"one with a strange Python", r.add("odd", imageSpec{layer: fakePython(t, "hello"), config: map[string]any{}}),
			[]string{`answered "hello"`}},
		{"one with a volume", r.add("volume", imageSpec{layer: pythonLayer(t), config: map[string]any{"Volumes": map[string]any{"/data": map[string]any{}}}}),
			[]string{"declares volumes"}},
	} {
		t.Run(test.what, func(t *testing.T) {
			removeImage(t, en, test.base)
			_, _, err := BuildImage(t.Context(), BuildOptions{Base: test.base, Runner: sandbox.RunnerSource})
			wantError(t, err, test.want...)
		})
	}
	if left := ownedBy(t, en, ownLabels()[labelOwner]); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A registry serves images on loopback, as any registry would.
type registry struct {
	t     *testing.T
	host  string
	blobs map[string][]byte // by digest
}

type imageSpec struct {
	layer  []byte
	config map[string]any
}

func newRegistry(t *testing.T) *registry {
	r := &registry{t: t, blobs: make(map[string][]byte)}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.host = strings.TrimPrefix(server.URL, "http://")
	return r
}

func (r *registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path == "/v2/" {
		return
	}
	blob, ok := r.blobs[filepath.Base(req.URL.Path)]
	if !ok {
		http.Error(w, `{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}`, http.StatusNotFound)
		return
	}
	if strings.Contains(req.URL.Path, "/manifests/") {
		w.Header().Set("Content-Type", manifestType)
	}
	w.Header().Set("Docker-Content-Digest", filepath.Base(req.URL.Path))
	_, _ = w.Write(blob)
}

const manifestType = "application/vnd.docker.distribution.manifest.v2+json"

func (r *registry) put(blob []byte) map[string]any {
	sum := sha256.Sum256(blob)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	r.blobs[digest] = blob
	return map[string]any{"digest": digest, "size": len(blob)}
}

// add makes an image and returns its name with its digest.
func (r *registry) add(name string, spec imageSpec) string {
	layer := r.put(spec.layer)
	layer["mediaType"] = "application/vnd.docker.image.rootfs.diff.tar.gzip"
	encode := func(v any) []byte {
		text, err := json.Marshal(v)
		if err != nil {
			r.t.Fatal(err)
		}
		return text
	}
	config := r.put(encode(map[string]any{
		"architecture": architecture, "os": "linux", "config": spec.config,
		"rootfs": map[string]any{"type": "layers", "diff_ids": []any{layer["digest"]}},
	}))
	config["mediaType"] = "application/vnd.docker.container.image.v1+json"
	manifest := r.put(encode(map[string]any{
		"schemaVersion": 2, "mediaType": manifestType, "config": config, "layers": []any{layer},
	}))
	return fmt.Sprintf("%s/%s@%s", r.host, name, manifest["digest"])
}

func pull(t *testing.T, en *engine, ref string) {
	t.Helper()
	b := builder{en, nil, func(string) {}}
	if err := b.pull(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	removeImage(t, en, ref)
}

func pythonLayer(t *testing.T) []byte {
	t.Helper()
	dir, _, err := rootfs.Tree(t.Context(), []byte("# the base's own\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := rootfs.Tar(&buf, dir); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func layerOf(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	tw := tar.NewWriter(&buf)
	for name, text := range files {
		if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(tw, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// fakePython is a layer with a python3 that gives the answer.
func fakePython(t *testing.T, answer string) []byte {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "python3")
	text := fmt.Sprintf("package main\n\nimport \"os\"\n\nfunc main() { os.Stdout.WriteString(%q) }\n", answer)
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	return layerOf(t, map[string]string{"usr/bin/python3": string(binary)})
}

func TestAMissingProgramIsKnownByTheWordsOfEitherRuntime(t *testing.T) {
	for text, want := range map[string]bool{
		"OCI runtime create failed: runc create failed: exec: \"python3\": executable file not found in $PATH: unknown":                true,
		"OCI runtime create failed: executable file `python3` not found in $PATH: No such file or directory: unknown":                  true,
		"OCI runtime create failed: cgroups in hybrid mode not supported, drop all controllers from cgroupv2: unknown":                 false,
		"failed to create shim task: OCI runtime create failed: container_linux.go:380: starting container process: permission denied": false,
	} {
		if got := noSuchProgram(errors.New(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
