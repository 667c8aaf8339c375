package record

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// filesOf returns what a log's files hold, the one in use last.
func filesOf(t *testing.T, path string) [][]string {
	t.Helper()
	names, err := filepath.Glob(path + ".*")
	if err != nil {
		t.Fatal(err)
	}
	var files [][]string
	for _, name := range append(names, path) {
		files = append(files, strings.Split(strings.TrimSuffix(string(read(t, name)), "\n"), "\n"))
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	return files
}

// Several processes share a file that is rotated all the time: every line is in one of the
// files, once and in order, and every file starts with what the log began with.
func TestRotationBySizeLosesNothing(t *testing.T) {
	const logs, each, size = 4, 50, 4 << 10
	path := filepath.Join(t.TempDir(), "decisions.log")
	var wg sync.WaitGroup
	heads := make([]Head, logs)
	for i := range logs {
		log, err := Start(Options{Path: path, MaxSize: size})
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		if err := log.Begin(&Entry{Path: ConfigPath, Input: map[string]any{"limits": 1}}); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for range each {
				if err := log.Write(entry()); err != nil {
					t.Error(err)
				}
			}
			heads[i], _ = log.Head()
		})
	}
	wg.Wait()
	files := filesOf(t, path)
	if len(files) < logs*each*400/size/2 {
		t.Errorf("only %d files", len(files))
	}
	decisions := 0
	for i, lines := range files {
		text := strings.Join(lines, "\n")
		decisions += strings.Count(text, `"path":"codemode/decision"`)
		if len(text) > size+logs*1024 {
			t.Errorf("file %d has %d bytes", i, len(text))
		}
		if !strings.Contains(lines[0], ConfigPath) {
			t.Errorf("file %d starts with %s", i, lines[0])
		}
	}
	if decisions != logs*each {
		t.Errorf("%d decisions of %d", decisions, logs*each)
	}
	if findings := verify(t, &Verifier{Heads: heads}, files...); len(findings) > 0 {
		t.Errorf("%q", findings)
	}
}

func TestRotationByAgeGoesByTheFirstLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "decisions.log")
	old := entry()
	old.Timestamp = time.Now().Add(-time.Hour)
	for i, e := range []*Entry{old, entry(), entry()} { // a process each
		log, err := Start(Options{Path: path, MaxAge: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(log.Write(e), log.Close()); err != nil {
			t.Fatal(err)
		}
		if n := len(filesOf(t, path)); n != min(i+1, 2) {
			t.Errorf("after %d lines there are %d files", i+1, n)
		}
	}
}

// What can not be rotated goes on: the decision is recorded, and the operator is told.
func TestARotationThatFailsKeepsRecording(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may rename everywhere")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "decisions.log")
	var told bytes.Buffer
	log, err := Start(Options{Path: path, MaxSize: 10, Logger: slog.New(slog.NewTextHandler(&told, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := log.Write(entry()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(lines(t, read(t, path))); n != 2 || !strings.Contains(told.String(), "not rotated") {
		t.Errorf("%d lines, told %s", n, told.String())
	}
}
