package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAProgramIsFoundAsAShellWouldFindIt(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "notes-server")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "readme"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, tt := range []struct{ name, search, want, wantErr string }{
		{"notes-server", "/nowhere:" + dir, program, ""},
		{"./notes-server", "", program, ""},
		{program, "", program, ""},
		{"notes-server", "/nowhere", "", `"notes-server" is not in PATH`},
		{"notes-server", ".", "", `"notes-server" is not in PATH`}, // whoever can write here must not choose the program
		{"notes-server", "", "", `"notes-server" is not in PATH`},
		{"./readme", "", "", `"./readme": permission denied`},
		{"./none", "", "", `"./none": no such file or directory`},
	} {
		got, err := (&options{}).find(tt.name, tt.search)
		switch {
		case tt.wantErr == "" && (err != nil || got != tt.want):
			t.Errorf("find(%q, %q) = %q, %v; want %q", tt.name, tt.search, got, err, tt.want)
		case tt.wantErr != "" && (err == nil || err.Error() != tt.wantErr):
			t.Errorf("find(%q, %q) = %q, %v; want %s", tt.name, tt.search, got, err, tt.wantErr)
		}
	}
}

func TestSandboxesKeptWaitingFitTheMachine(t *testing.T) {
	const mib, gib = 1 << 20, 1 << 30
	for _, tt := range []struct {
		each, memory int64
		cores, want  int
	}{
		{256 * mib, 1 * gib, 8, 0},
		{256 * mib, 4 * gib, 8, 2},
		{256 * mib, 24 * gib, 2, 2},
		{256 * mib, 512 * gib, 64, 4},
		{4 * gib, 24 * gib, 8, 0},
		{256 * mib, 0, 8, 2}, // unknown
		{256 * mib, 0, 1, 1},
	} {
		if got := defaultWarm(tt.each, tt.memory, tt.cores); got != tt.want {
			t.Errorf("defaultWarm(%d, %d, %d) = %d, want %d", tt.each, tt.memory, tt.cores, got, tt.want)
		}
	}
}
