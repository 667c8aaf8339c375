// Package mcpcodemode_test keeps the rules that hold for the whole tree.
package mcpcodemode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/mcp-code-mode/mcp-code-mode/"

// law lists, for each package of ours, the packages of ours it may import.
// Imports run one way, so whoever reads a package reads no more than these.
// What tests import is not asked. Packages under internal/ may be imported by all,
// so only they name them, and import nothing of ours but each other.
var law = parseLaw(`
	bridge:                             bridge/record bridge/schema bridge/stub bridge/upstream engine engine/celrule
	bridge:                             policies sandbox/wire
	bridge/record:
	bridge/replay:                      bridge bridge/record engine engine/celrule
	bridge/schema:
	bridge/server:                      bridge engine sandbox sandbox/wire
	bridge/stub:                        sandbox/wire
	bridge/upstream:                    bridge/upstream/internal/keep bridge/upstream/internal/keeper sandbox/rawio
	bridge/upstream/internal/keep:
	bridge/upstream/internal/keeper:    bridge/upstream/internal/keep
	cmd/mcp-code-mode:                  bridge bridge/record bridge/replay bridge/server bridge/upstream
	cmd/mcp-code-mode:                  cmd/mcp-code-mode/internal/config engine policies sandbox sandbox/docker
	cmd/mcp-code-mode:                  bridge bridge/record bridge/server bridge/upstream
	cmd/mcp-code-mode:                  cmd/mcp-code-mode/internal/config engine engine/check policies sandbox sandbox/docker
	cmd/mcp-code-mode:                  sandbox/gvisor sandbox/rootfs
	cmd/mcp-code-mode/e2e:
	cmd/mcp-code-mode/internal/config:
	engine:                             engine/check policies
	engine/celrule:                     engine
	engine/check:
	internal/cputime:
	internal/cut:
	internal/hint:
	internal/nearest:
	internal/ourdir:
	internal/schemaview:                internal/strictjson
	internal/searchpath:
	internal/strictjson:
	policies:
	sandbox:                            sandbox/internal/protocol sandbox/wire
	sandbox/docker:                     sandbox sandbox/docker/internal/pid1 sandbox/docker/seccomp sandbox/rawio
	sandbox/docker:                     sandbox/rootfs
	sandbox/docker/internal/pid1:       sandbox/internal/tinyelf
	sandbox/docker/seccomp:
	sandbox/gvisor:                     sandbox sandbox/gvisor/erofs sandbox/gvisor/internal/runsc
	sandbox/gvisor:                     sandbox/internal/tinyelf sandbox/rawio sandbox/rootfs
	sandbox/gvisor/erofs:
	sandbox/gvisor/internal/runsc:      sandbox/internal/tinyelf
	sandbox/gvisor/runsc:               sandbox/gvisor/internal/runsc
	sandbox/internal/protocol:          sandbox/wire
	sandbox/internal/tinyelf:
	sandbox/rawio:
	sandbox/rootfs:
	sandbox/sandboxtest:                sandbox sandbox/wire
	sandbox/wire:
	testdata/bench:                     engine policies
	testdata/demo:
	testdata/hostile:
	testdata/toyserver:
`)

func parseLaw(text string) map[string][]string {
	law := map[string][]string{}
	for line := range strings.Lines(text) {
		name, imports, ok := strings.Cut(strings.TrimSpace(line), ":")
		if ok {
			law[name] = append(law[name], strings.Fields(imports)...)
		}
	}
	return law
}

// sole lists who alone, with what lies below it, may import what is big or
// dangerous.
var sole = map[string]string{
	"github.com/open-policy-agent/opa":      "engine",
	"github.com/google/cel-go":              "engine/celrule",
	"github.com/docker/docker":              "sandbox/docker",
	"gvisor.dev/gvisor":                     "sandbox/gvisor",
	"github.com/kluctl/go-embed-python":     "sandbox/rootfs",
	"github.com/santhosh-tekuri/jsonschema": "bridge/schema",
	"github.com/go-json-experiment/json":    "internal/strictjson",
	"github.com/spf13/cobra":                "cmd/mcp-code-mode",
}

type pkg struct {
	ImportPath string
	Imports    []string
}

// packages lists what is built into the program, for one system: tests may
// import more.
func packages(t *testing.T, env ...string) []pkg {
	t.Helper()
	args := []string{"list", "-json=ImportPath,Imports", "./..."}
	beside, err := filepath.Glob("testdata/*/main.go") // not in ./...
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range beside {
		args = append(args, "./"+filepath.ToSlash(filepath.Dir(file)))
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImportsRunOneWay(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, p := range packages(t, "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED=0") {
			name := strings.TrimPrefix(p.ImportPath, module)
			if name+"/" == module {
				continue // this file's own package
			}
			allowed, known := law[name]
			if !known {
				t.Errorf("%s: package %s has no entry in the import law", goos, name)
				continue
			}
			for _, imported := range p.Imports {
				ours, is := strings.CutPrefix(imported, module)
				if is && !slices.Contains(allowed, ours) && !strings.HasPrefix(ours, "internal/") {
					t.Errorf("%s: %s may not import %s", goos, name, ours)
				}
				if owner := owner(imported); owner != "" && owner != name && !strings.HasPrefix(name, owner+"/") {
					t.Errorf("%s: %s may not import %s: only %s may", goos, name, imported, owner)
				}
			}
		}
	}
}

func owner(imported string) string {
	for prefix, owner := range sole {
		if imported == prefix || strings.HasPrefix(imported, prefix+"/") {
			return owner
		}
	}
	return ""
}

// TestTheLawLiesInNoCircle: what the law allows can be ordered, so no package
// can ever come to need itself.
func TestTheLawLiesInNoCircle(t *testing.T) {
	var visit func(name string, path []string)
	visit = func(name string, path []string) {
		if slices.Contains(path, name) {
			t.Fatalf("a circle: %s", strings.Join(append(path, name), " -> "))
		}
		for _, next := range law[name] {
			if _, ok := law[next]; !ok {
				t.Errorf("%s may import %s, which has no entry", name, next)
			}
			visit(next, append(path, name))
		}
	}
	for name := range law {
		visit(name, nil)
	}
}

// elsewhere are places on the machine of whoever wrote a file, which mean
// nothing on another. Made-up homes, as in examples, are not among them.
var elsewhere = regexp.MustCompile(`(?:^|[^A-Za-z0-9_.])/(?:root|work|tmp/[a-z]+)/[A-Za-z0-9_.]`)

func TestNoFileNamesAPathOfOneMachine(t *testing.T) {
	for _, file := range tracked(t) {
		data, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed, and the removal not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(data, 0) >= 0 {
			continue // not text
		}
		for i, line := range strings.Split(string(data), "\n") {
			if m := elsewhere.FindString(line); m != "" {
				t.Errorf("%s:%d names %q", file, i+1, strings.TrimSpace(m))
			}
		}
	}
}

// tracked lists the files of the repository, or, where there is no repository,
// every file but what is built or installed.
func tracked(t *testing.T) []string {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "git", "ls-files", "-z").Output(); err == nil {
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	}
	var files []string
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "bin", "dist", "node_modules"}, d.Name()) {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
