//go:build linux && (amd64 || arm64)

package rootfs

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kluctl/go-embed-python/python"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
)

// Tree returns the directory of the tree that holds the runner given, and the
// digest of its content (hexadecimal SHA-256). The first call on a machine
// unpacks it, which takes seconds and is told to progress (nil: nobody); later
// ones only check it and take milliseconds. The tree must not be written to. It
// stays in place as long as this process lives. A damaged tree is rebuilt.
//
// Any number of goroutines and processes may call Tree at the same time.
func Tree(ctx context.Context, runner []byte, progress func(string)) (dir, digest string, err error) {
	if progress == nil {
		progress = func(string) {}
	}
	c, err := openCache()
	if err != nil {
		return "", "", err
	}
	markPath := c.markPath(runner)
	if dir, digest, ok := c.find(markPath); ok {
		return dir, digest, nil
	}
	unlock, err := c.lock(ctx, progress)
	if err != nil {
		return "", "", err
	}
	defer unlock()
	if dir, digest, ok := c.find(markPath); ok { // another process was faster
		return dir, digest, nil
	}
	if dir, digest, ok := c.recover(markPath); ok {
		return dir, digest, nil
	}
	progress("unpacking Python (first time only)")
	return c.build(ctx, runner, markPath)
}

// recover accepts a tree whose metadata changed but whose content did not: the
// cache was copied or restored from a backup.
func (c cache) recover(markPath string) (dir, digest string, ok bool) {
	m, err := readMark(markPath)
	if err != nil {
		return "", "", false
	}
	for _, lib := range m.Libraries {
		if !lib.unchanged() {
			return "", "", false
		}
	}
	dir = filepath.Join(c.dir, m.Digest)
	if m.Fingerprint, err = fingerprintIfWhole(dir, m.Digest); err != nil {
		return "", "", false
	}
	if c.writeMark(markPath, m) != nil || hold(dir) != nil {
		return "", "", false
	}
	return dir, m.Digest, true
}

// fingerprintIfWhole is the fingerprint of a tree that has been read and found
// to be what its digest says.
func fingerprintIfWhole(dir, digest string) (string, error) {
	fingerprint, err := fingerprintOf(dir) // first: what changes from here on shows next time
	if err != nil {
		return "", err
	}
	now, err := digestOf(dir)
	if err == nil && now != digest {
		err = fmt.Errorf("checking tree %q: content has digest %s", dir, now)
	}
	return fingerprint, err
}

// build makes the tree beside its place and moves it there when it is whole.
// The caller holds the lock.
func (c cache) build(ctx context.Context, runner []byte, markPath string) (dir, digest string, err error) {
	temp, err := os.MkdirTemp(c.dir, staging)
	if err != nil {
		return "", "", cacheError(fmt.Errorf("unpacking Python: %w", err))
	}
	defer func() { _ = os.RemoveAll(temp) }()
	root := filepath.Join(temp, "root")
	libs, err := assemble(ctx, root, runner)
	if err != nil {
		return "", "", fmt.Errorf("unpacking Python into %q: %w", c.dir, err)
	}
	if digest, err = digestOf(root); err != nil {
		return "", "", fmt.Errorf("unpacking Python: %w", err)
	}
	dir = filepath.Join(c.dir, digest)
	m := mark{Digest: digest, Libraries: libs}
	if m.Fingerprint, err = fingerprintIfWhole(dir, digest); err != nil {
		c.discard(dir)
		if err := os.Rename(root, dir); err != nil {
			return "", "", fmt.Errorf("unpacking Python: %w", err)
		}
		if m.Fingerprint, err = fingerprintOf(dir); err != nil {
			return "", "", fmt.Errorf("unpacking Python: %w", err)
		}
	}
	if err := c.writeMark(markPath, m); err != nil {
		return "", "", fmt.Errorf("unpacking Python: %w", err)
	}
	if err := hold(dir); err != nil {
		return "", "", fmt.Errorf("unpacking Python: %w", err)
	}
	c.prune(digest)
	return dir, digest, nil
}

// assemble makes a complete tree at root and returns the host's part in it.
func assemble(ctx context.Context, root string, runner []byte) ([]library, error) {
	if err := unpack(root); err != nil {
		return nil, err
	}
	if err := unpackZones(root); err != nil {
		return nil, err
	}
	libs, err := libraries(filepath.Join(root, pythonPath))
	if err != nil {
		return nil, err
	}
	for _, lib := range libs {
		if err := copyLibrary(lib, root); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"dev", "proc", "sys", "tmp"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o755); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(root, RunnerPath), runner, 0o644); err != nil {
		return nil, err
	}
	if err := setModes(root, libs); err != nil {
		return nil, err
	}
	if err := compile(ctx, root); err != nil {
		return nil, err
	}
	if err := setModes(root, libs); err != nil { // of the compiled files
		return nil, err
	}
	return libs, flush(root)
}

const (
	pythonPath = "usr/bin/python3"
	stdlibPath = "usr/lib/python3.14"
)

// pruned are the parts of the standard library that stay out, as patterns
// below stdlibPath. All of lib-dynload is tests, Tk and Berkeley DB: the modules
// that matter are inside the interpreter.
var pruned = []string{
	"__pycache__", "*/__pycache__", "*/*/__pycache__", "*/*/*/__pycache__",
	"config-*", "ensurepip", "idlelib", "lib-dynload/*", "pydoc_data", "site-packages",
	"test", "*/test", "*/tests", "tkinter", "turtle.py", "turtledemo", "venv", "EXTERNALLY-MANAGED",
}

// unpack brings the interpreter and its library, and nothing else of what is
// embedded, to their places.
func unpack(root string) error {
	all := root + ".embedded"
	if _, err := python.NewEmbeddedPythonWithTmpDir(all, false); err != nil {
		return err
	}
	for _, dir := range []string{"usr/bin", "usr/lib"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return err
		}
	}
	moves := [][2]string{{"bin/python3.14", pythonPath}, {"lib/python3.14", stdlibPath}}
	for _, m := range moves {
		if err := os.Rename(filepath.Join(all, m[0]), filepath.Join(root, m[1])); err != nil {
			return err
		}
	}
	for _, pattern := range pruned {
		names, err := filepath.Glob(filepath.Join(root, stdlibPath, pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := os.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	// The interpreter complains at every start when this one is missing.
	if err := os.MkdirAll(filepath.Join(root, stdlibPath, "lib-dynload"), 0o755); err != nil {
		return err
	}
	return os.RemoveAll(all)
}

func copyLibrary(lib library, root string) error {
	target := filepath.Join(root, lib.Tree)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	out, err := os.Create(target)
	if err != nil {
		return err
	}
	err = copyFile(out, lib.Host, lib.Size)
	return errors.Join(err, out.Close())
}

// setModes makes modes independent of umask and origin.
func setModes(root string, libs []library) error {
	if err := os.Chmod(root, 0o755); err != nil {
		return err
	}
	executable := map[string]bool{pythonPath: true}
	for _, lib := range libs {
		executable[lib.Tree] = true
	}
	return visit(root, func(name string, info fs.FileInfo) error {
		mode := fs.FileMode(0o644)
		switch {
		case name == "tmp":
			mode = 0o777 | fs.ModeSticky
		case info.IsDir() || executable[name]:
			mode = 0o755
		}
		return os.Chmod(filepath.Join(root, name), mode)
	})
}

//go:embed compile.py
var compileScript string

// compileParts is fixed, not the number of processors: which files one
// process compiles together must be the same everywhere.
const compileParts = 4

// compile byte-compiles library and runner with the tree's own interpreter,
// which shows on the way that it works on this host.
func compile(ctx context.Context, root string) error {
	group, ctx := errgroup.WithContext(ctx)
	for part := range compileParts {
		group.Go(func() error {
			cmd := exec.CommandContext(ctx, filepath.Join(root, pythonPath), "-S", "-s", "-B", "-c", compileScript,
				root, strconv.Itoa(part), strconv.Itoa(compileParts))
			cmd.Env = []string{"PYTHONHASHSEED=0", "SOURCE_DATE_EPOCH=0", "LANG=C.UTF-8", "PYTHONSAFEPATH=1"}
			out, err := cmd.CombinedOutput()
			if err == nil {
				return nil
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return compileError(err, string(out))
		})
	}
	return group.Wait()
}

// maxCompilerText bounds how much of what the compiler said is repeated.
const maxCompilerText = 2000

func compileError(err error, output string) error {
	output = strings.TrimSpace(output)
	if len(output) > maxCompilerText {
		output = "…" + output[len(output)-maxCompilerText:]
	}
	err = fmt.Errorf("running the embedded Python: %w: %s", err, output)
	if errors.Is(err, fs.ErrPermission) {
		return hint.Error(err, "the cache may be on a file system mounted noexec: set "+CacheDirEnv+" to another directory")
	}
	return hint.Error(err, baseHint)
}

// flush writes the tree to disk before it gets its name, so that a power
// failure leaves no empty files under it.
func flush(root string) error {
	f, err := os.Open(root)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}
