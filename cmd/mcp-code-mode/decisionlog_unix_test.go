//go:build unix

package main

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
)

// logrotate renames the file and sends SIGHUP.
func TestAHangupOpensTheDecisionLogAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "decisions.jsonl")
	log, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	defer reopenOnHangup(log, slog.New(slog.DiscardHandler))()
	if err := errors.Join(log.Write(&record.Entry{}), os.Rename(path, path+".1"), syscall.Kill(os.Getpid(), syscall.SIGHUP)); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatal("the file was not opened anew")
		}
	}
	if err := log.Write(&record.Entry{}); err != nil {
		t.Fatal(err)
	}
	v := &record.Verifier{}
	if err := addFiles(v, []string{path, path + ".1"}); err != nil {
		t.Fatal(err)
	}
	if findings, _ := v.Findings(); len(findings) > 0 || v.Lines() != 2 {
		t.Errorf("%d lines, %q", v.Lines(), findings)
	}
}

func TestATokenIsReadAnewAndIsOneWord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	for text, want := range map[string]string{"abc": "abc", "  abc.def-1\n": "abc.def-1", "": "", "\n": "", "a b": "", "a\nb": "", "ä": "", strings.Repeat("x", maxToken+1): ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readToken(path); got != want || (err == nil) != (want != "") {
			t.Errorf("%.20q: %q, %v", text, got, err)
		}
	}
}
