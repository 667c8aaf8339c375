//go:build linux && (amd64 || arm64)

package rootfs

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const testRunner = "import sys\nprint('ready', sys.flags.isolated)\n"

// TestMain gives all tests one cache, and is the other process that some of
// them need: one that gets the tree, says so, and stays until its stdin closes.
func TestMain(m *testing.M) {
	if runner, child := os.LookupEnv("ROOTFS_TEST_RUNNER"); child {
		_, digest, err := Tree(context.Background(), []byte(runner), func(s string) { fmt.Println("progress:", s) })
		fmt.Println("digest:", digest, "error:", err)
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	dir, err := os.MkdirTemp("", "rootfs-test-")
	if err != nil {
		panic(err)
	}
	os.Setenv(CacheDirEnv, dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// tree is Tree, and tells whether Python was unpacked.
func tree(t *testing.T) (dir, digest string, unpacked bool) {
	t.Helper()
	dir, digest, err := Tree(t.Context(), []byte(testRunner), func(s string) {
		unpacked = unpacked || strings.HasPrefix(s, "unpacking")
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir, digest, unpacked
}

func ownCache(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "cache")
	t.Setenv(CacheDirEnv, dir)
	return dir
}

// copiedCache is ownCache with a copy of the tree of all tests in it.
func copiedCache(t *testing.T) {
	t.Helper()
	shared := os.Getenv(CacheDirEnv)
	tree(t)
	dir := ownCache(t)
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", shared, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, _, unpacked := tree(t); unpacked {
		t.Fatal("a copy of the cache was not accepted")
	}
}

func TestTwoBuildsAreEqualByteForByte(t *testing.T) {
	var digests, archives []string
	for _, umask := range []int{0o022, 0o077} {
		ownCache(t)
		old := syscall.Umask(umask)
		dir, digest, unpacked := tree(t)
		syscall.Umask(old)
		if !unpacked {
			t.Error("nothing was unpacked into a new cache")
		}
		sum := sha256.New()
		if err := Tar(sum, dir); err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest)
		archives = append(archives, fmt.Sprintf("%x", sum.Sum(nil)))
	}
	if digests[0] != digests[1] || archives[0] != archives[1] {
		t.Errorf("two builds differ: digests %q, archives %q", digests, archives)
	}
}

func TestSecondStartUnpacksNothing(t *testing.T) {
	tree(t)
	if lines := otherProcess(t, testRunner); strings.Contains(lines, "progress") {
		t.Errorf("second start did work: %s", lines)
	}
}

func TestTreeHoldsPythonAndRunnerOnly(t *testing.T) {
	dir, _, _ := tree(t)
	var programs []string
	err := visit(dir, func(name string, info fs.FileInfo) error {
		if info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			programs = append(programs, name)
		}
		if info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 || info.Mode()&0o022 != 0 && name != "tmp" {
			t.Errorf("%q has mode %v", name, info.Mode())
		}
		for _, bad := range []string{"pip", "ensurepip", "site-packages", "tkinter", "idlelib", "test", "venv", "mcp", "busybox"} {
			if slices.Contains(strings.Split(name, "/"), bad) {
				t.Errorf("%q is in the tree", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	programs = slices.DeleteFunc(programs, func(name string) bool {
		return strings.Contains(filepath.Base(name), ".so")
	})
	if diff := cmp.Diff([]string{"usr/bin/python3"}, programs); diff != "" {
		t.Errorf("programs in the tree (-want +got):\n%s", diff)
	}
	top, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range top {
		top[i] = filepath.Base(top[i])
	}
	top = slices.DeleteFunc(top, func(name string) bool { return strings.HasPrefix(name, "lib") })
	want := []string{"dev", "proc", "runner.py", "runner.pyc", "sys", "tmp", "usr"}
	if diff := cmp.Diff(want, top); diff != "" {
		t.Errorf("top of the tree (-want +got):\n%s", diff)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, RunnerPath)); string(got) != testRunner {
		t.Errorf("runner is %q", got)
	}
	if info, err := os.Stat(filepath.Join(dir, "tmp")); err != nil || unixMode(info) != 0o1777 {
		t.Errorf("mode of /tmp: %v, %v", info.Mode(), err)
	}
}

func TestWholeLibraryIsCompiledAndNeverChecked(t *testing.T) {
	dir, _, _ := tree(t)
	compiled := 0
	err := visit(filepath.Join(dir, stdlibPath), func(name string, info fs.FileInfo) error {
		if !strings.HasSuffix(name, ".py") {
			return nil
		}
		where, base := filepath.Split(name)
		pyc := filepath.Join(dir, stdlibPath, where, "__pycache__", strings.TrimSuffix(base, ".py")+".cpython-314.pyc")
		head, err := os.ReadFile(pyc)
		if err != nil {
			return err
		}
		if !bytes.Equal(head[4:8], []byte{1, 0, 0, 0}) { // PEP 552: hash-based, unchecked
			t.Errorf("%q has flags % x", pyc, head[4:8])
		}
		if bytes.Contains(head, []byte(dir)) {
			t.Errorf("%q names the build's directory", pyc)
		}
		compiled++
		return nil
	})
	if err != nil || compiled < 400 {
		t.Errorf("compiled %d files, error %v", compiled, err)
	}
}

func TestInterpreterFindsItsLibrariesInsideTheTree(t *testing.T) {
	dir, _, _ := tree(t)
	f, err := elf.Open(filepath.Join(dir, pythonPath))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	path, err := f.DynString(elf.DT_RPATH)
	if err != nil || !slices.Contains(path, "$ORIGIN/../lib") {
		t.Errorf("search path %q, %v", path, err)
	}
	needed, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range needed {
		if _, err := os.Stat(filepath.Join(dir, "usr/lib", name)); err != nil {
			t.Error(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, pythonPath), "-I", "-S", "-B", filepath.Join(dir, "runner.pyc")).CombinedOutput()
	if err != nil || string(out) != "ready 1\n" {
		t.Errorf("compiled runner printed %q, %v", out, err)
	}
	modules := "asyncio,json,ssl,sqlite3,ctypes,zoneinfo,decimal,hashlib,lzma,bz2,zlib,uuid,xml.parsers.expat,pdb,unittest"
	out, err = exec.CommandContext(t.Context(), filepath.Join(dir, pythonPath), "-I", "-S", "-B", "-c", "import "+modules).CombinedOutput()
	if err != nil {
		t.Errorf("importing: %v: %s", err, out)
	}
}

func TestProcessesAtOnceUnpackOnce(t *testing.T) {
	ownCache(t)
	outputs := make(chan string)
	for range 6 {
		go func() { outputs <- otherProcess(t, testRunner) }()
	}
	var unpacked int
	digests := make(map[string]bool)
	for range 6 {
		text := <-outputs
		unpacked += strings.Count(text, "progress: unpacking")
		_, digest, _ := strings.Cut(text, "digest:")
		digests[digest] = true
	}
	if unpacked != 1 || len(digests) != 1 {
		t.Errorf("unpacked %d times, answers %v", unpacked, digests)
	}
}

func TestOrdinaryUserGetsTheSameTree(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the other tests run as an ordinary user")
	}
	_, digest, _ := tree(t)
	const uid = 54321
	home, err := os.MkdirTemp("/tmp", "rootfs-home-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	if err := os.Chown(home, uid, uid); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(home, "test")
	if out, err := exec.CommandContext(t.Context(), "cp", os.Args[0], binary).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = []string{"HOME=" + home, "ROOTFS_TEST_RUNNER=" + testRunner}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "digest: "+digest) {
		t.Errorf("want digest %s, got %s, %v", digest, out, err)
	}
	if _, err := os.Stat(filepath.Join(home, ".cache/mcp-code-mode/rootfs", digest)); err != nil {
		t.Error(err)
	}
}

// otherProcess gets the tree in a new process and returns what that printed.
func otherProcess(t *testing.T, runner string) string {
	out, err := childCommand(t, runner).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return string(out)
}

func childCommand(t *testing.T, runner string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "ROOTFS_TEST_RUNNER="+runner)
	return cmd
}

func TestUnusedTreesArePrunedUsedOnesKept(t *testing.T) {
	cache := ownCache(t)
	child := childCommand(t, "used = 1\n")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = child.Wait() }()
	lines := bufio.NewScanner(out)
	var used string
	for used == "" && lines.Scan() {
		_, used, _ = strings.Cut(lines.Text(), "digest: ")
	}
	used, _, _ = strings.Cut(used, " ")
	unused := strings.Fields(otherProcess(t, "unused = 1\n"))
	gone := unused[slices.Index(unused, "digest:")+1]
	leftover := filepath.Join(cache, "rootfs", staging+"123456")
	if err := os.MkdirAll(filepath.Join(leftover, "usr"), 0o755); err != nil {
		t.Fatal(err)
	}
	marks, err := filepath.Glob(filepath.Join(cache, "rootfs", "*.json"))
	if err != nil || len(marks) != 2 {
		t.Fatalf("marks %v, %v", marks, err)
	}
	long := time.Now().Add(-keepUnused - time.Hour)
	for _, m := range marks {
		if err := os.Chtimes(m, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if _, other, _ := tree(t); other == used {
		t.Error("another runner has the same digest")
	}
	for name, want := range map[string]bool{used: true, gone: false, filepath.Base(leftover): false} {
		_, err := os.Stat(filepath.Join(cache, "rootfs", name))
		if is := err == nil; is != want {
			t.Errorf("%s there: %v, want %v", name, is, want)
		}
	}
}

func TestWaitingForAnotherProcessCanBeCancelled(t *testing.T) {
	ownCache(t)
	c, err := openCache()
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := c.lock(t.Context(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err = Tree(ctx, []byte(testRunner), func(s string) {
		if strings.HasPrefix(s, "waiting") {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestMissingLibraryAndLoaderSayWhatToDo(t *testing.T) {
	_, _, err := findLibrary("libc.so.6", []string{t.TempDir()})
	checkUnsupported(t, err, `"libc.so.6"`)

	// A host without glibc: the same program, asking for a loader it has not.
	dir, _, _ := tree(t)
	program, err := os.ReadFile(filepath.Join(dir, pythonPath))
	if err != nil {
		t.Fatal(err)
	}
	old := []byte("/lib64/ld-linux-x86-64.so.2\x00")
	if runtime.GOARCH == "arm64" {
		old = []byte("/lib/ld-linux-aarch64.so.1\x00")
	}
	at := bytes.Index(program, old)
	program[at+1] = 'X'
	strange := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(strange, program, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = libraries(strange)
	checkUnsupported(t, err, "/Xib")
}

func checkUnsupported(t *testing.T, err error, text string) {
	t.Helper()
	var hint interface{ Hint() string }
	if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), text) ||
		!errors.As(err, &hint) || !strings.Contains(hint.Hint(), "--base") {
		t.Errorf("error %v", err)
	}
}

func TestVersionFollowsTheModule(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(mod), "go-embed-python v0.0.0-"+PythonVersion+"\n") {
		t.Errorf("go.mod has another version than %s", PythonVersion)
	}
}

func TestOtherSystemsEmbedNoPython(t *testing.T) {
	for _, target := range []string{"darwin/arm64", "windows/amd64"} {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", ".")
		system, machine, _ := strings.Cut(target, "/")
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+machine, "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), "embed-python") {
			t.Errorf("%s: %v: %s", target, err, out)
		}
	}
}
