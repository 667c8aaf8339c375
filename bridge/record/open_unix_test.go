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

// In a directory where everybody may write, somebody else was first.
func TestRefusesALogThatAStrangerLaid(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to be somebody else")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.Chmod(dir, 0o777|os.ModeSticky),
		os.WriteFile(at("file"), nil, 0o644), os.Lchown(at("file"), 4242, 4242),
		os.Mkdir(at("logs"), 0o755), os.Lchown(at("logs"), 4242, 4242),
		os.Symlink(t.TempDir(), at("link")), os.Lchown(at("link"), 4242, 4242),
	); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{at("file"), at("logs/log"), at("link/log")} {
		log, err := Open(path)
		if err == nil {
			log.Close()
			t.Errorf("%s was opened", path)
		} else if !strings.Contains(err.Error(), "user") {
			t.Errorf("%s: %v", path, err)
		}
	}
	log, err := Open(at("ours"))
	if err != nil {
		t.Fatal(err)
	}
	log.Close()
}
