//go:build linux && (amd64 || arm64)

package gvisor

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

var update = flag.Bool("update", false, "write golden files")

func TestSpecIsExactlyWhatWasReviewed(t *testing.T) {
	spec := machineSpec(sandbox.Limits{}.WithDefaults(), []string{"/usr/bin/python3", "/runner.pyc"})
	text, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "spec.json", string(text)+"\n")
}

func TestArgvIsExactlyWhatWasReviewed(t *testing.T) {
	argv := bootArgv(bootOptions{id: "ID", cpus: 1, memory: 256 << 20})
	golden(t, "argv.txt", strings.Join(argv, "\n")+"\n")
}

func TestLimitsReachTheSpec(t *testing.T) {
	spec := machineSpec(sandbox.Limits{Memory: 1 << 20, Pids: 7, Files: 9, TmpBytes: 11 << 10}, nil)
	got := map[string]uint64{}
	for _, l := range spec.Process.Rlimits {
		if l.Soft != l.Hard {
			t.Errorf("%s: soft limit %d, hard limit %d: code could raise it", l.Type, l.Soft, l.Hard)
		}
		got[l.Type] = l.Hard
	}
	for name, want := range map[string]uint64{
		"RLIMIT_AS": 1 << 20, "RLIMIT_NPROC": 7, "RLIMIT_NOFILE": 9, "RLIMIT_FSIZE": 11 << 10, "RLIMIT_CORE": 0,
		"RLIMIT_MEMLOCK": 64 << 10,
	} {
		if got[name] != want {
			t.Errorf("%s is %d, want %d", name, got[name], want)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
