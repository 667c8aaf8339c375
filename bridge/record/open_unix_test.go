//go:build unix

package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestRefusesWhatMustNotBeALog(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(at("target"), nil, 0o600))
	must(os.Symlink(at("target"), at("link")))
	must(os.Symlink(at("missing"), at("dangling")))
	must(os.WriteFile(at("open"), nil, 0o600))
	must(os.Chmod(at("open"), 0o666))
	must(syscall.Mkfifo(at("pipe"), 0o600))
	for _, path := range []string{dir, at("link"), at("dangling"), at("open"), at("pipe"), at("no/such/directory")} {
		log, err := Open(path)
		if err == nil {
			log.Close()
			t.Errorf("%s was opened", path)
		} else if !strings.Contains(err.Error(), fmt.Sprintf("%q", path)) {
			t.Errorf("%v does not name %q", err, path)
		}
	}
	if _, err := os.Lstat(at("missing")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the target of a link was created")
	}
}
