//go:build linux && (amd64 || arm64)

package gvisor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
)

func TestADynamicExecutableIsRefusedWithTheRemedy(t *testing.T) {
	_, err := New(t.Context(), Options{Runsc: "/bin/sh"})
	if err == nil || !strings.Contains(err.Error(), "linked dynamically") || !strings.Contains(hint.Of(err), "CGO_ENABLED=0") {
		t.Errorf("got %v, hint %q", err, hint.Of(err))
	}
}

func TestAProgramThatDoesNotCallMainIsToldSo(t *testing.T) {
	if len(embeddedRunsc) > 0 || selfExe != "/proc/self/exe" {
		t.Skip("sentries are started from another program here")
	}
	mainCalled.Store(false)
	defer mainCalled.Store(true)
	err := Probe(t.Context())
	if err == nil || !strings.Contains(err.Error(), "did not call gvisor.Main") || !strings.Contains(hint.Of(err), "first line of main") {
		t.Errorf("got %v, hint %q", err, hint.Of(err))
	}
}

func TestAnExecutableThatNobodyCanExecuteIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("an ordinary user's sandboxes run as that user")
	}
	text, err := os.ReadFile(selfExe)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "runsc")
	if err := os.WriteFile(path, text, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = New(t.Context(), Options{Runsc: path})
	if err == nil || !strings.Contains(err.Error(), "mode 0700") || !strings.Contains(hint.Of(err), "chmod o+rx") {
		t.Errorf("got %v, hint %q", err, hint.Of(err))
	}
}

func TestAFileThatIsNoExecutableIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runsc")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, path + "-absent"} {
		if _, err := New(t.Context(), Options{Runsc: p}); err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("got %v, want an error that names %q", err, p)
		}
	}
}

// The cache notes the last use of an executable in its time; a snapshot must not
// be made anew for that.
func TestAnExecutableIsTheSameAfterItWasUsed(t *testing.T) {
	data, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "runsc")
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for range 2 {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		id, err := programID(f)
		f.Close()
		if err != nil || id == "" {
			t.Fatalf("id %q, error %v", id, err)
		}
		ids = append(ids, id)
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if ids[0] != ids[1] {
		t.Errorf("its id was %q and is %q", ids[0], ids[1])
	}
}

func TestOneRunscIsToldFromAnother(t *testing.T) {
	program := strings.Repeat("0123456789abcdef", 4096)
	ids := map[string]string{}
	for what, other := range map[string]string{
		"itself": program, "the start": "x" + program[1:], "the end": program[1:] + "x", "the length": program[:len(program)-1],
		"a short one": "x", "none": "",
	} {
		id := runscID(other)
		if was, ok := ids[id]; ok {
			t.Errorf("differing in %s and in %s they are the same", what, was)
		}
		ids[id] = what
	}
}
