package searchpath_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/internal/searchpath"
)

func TestAProgramIsFoundInTheFirstAbsoluteDirectoryThatHasIt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs end in .exe there")
	}
	first, second, none := t.TempDir(), t.TempDir(), t.TempDir()
	for path, mode := range map[string]os.FileMode{
		filepath.Join(first, "both"): 0o755, filepath.Join(second, "both"): 0o755,
		filepath.Join(first, "text"): 0o644, filepath.Join(second, "text"): 0o755,
	} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(first)
	list := none + ":.::" + first + ":" + second
	for name, want := range map[string]string{
		"both": filepath.Join(first, "both"),
		"text": filepath.Join(second, "text"),
		"gone": "",
		"..":   "",
		"":     "",
	} {
		got, err := searchpath.Find(name, list)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: got %q, %v; want %q", name, got, err, want)
		}
	}
	for _, list := range []string{"", ".", "./"} {
		if got, err := searchpath.Find("both", list); err == nil {
			t.Errorf("PATH=%s: got %q", list, got)
		}
	}
}

func TestWhatIsAPathIsToldFromWhatIsAName(t *testing.T) {
	for name, want := range map[string]bool{"server": false, "server.py": false, "./server": true, "bin/server": true, "/bin/server": true} {
		if got := searchpath.IsPath(name); got != want {
			t.Errorf("%q: got %v", name, got)
		}
	}
}
