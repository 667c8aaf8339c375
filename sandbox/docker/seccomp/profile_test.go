package seccomp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files")

// kernelCalls are the system calls that Linux has on an architecture, as the
// system package of Go knows them.
func kernelCalls(t *testing.T, architecture string) map[string]bool {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	file := filepath.Join(strings.TrimSpace(string(dir)), "unix", "zsysnum_linux_"+architecture+".go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\s+SYS_(\w+)\s+=`).FindAllSubmatch(text, -1) {
		calls[strings.ToLower(string(m[1]))] = true
	}
	delete(calls, "arch_specific_syscall") // a number, and no call
	if len(calls) < 300 {
		t.Fatalf("only %d calls are read from %s", len(calls), file)
	}
	return calls
}

func TestEveryCallOfTheKernelIsDecidedOnce(t *testing.T) {
	decided := slices.Concat(names(allowed), names(refused))
	for _, c := range checked {
		decided = append(decided, c.call)
	}
	slices.Sort(decided)
	for i := 1; i < len(decided); i++ {
		if decided[i] == decided[i-1] {
			t.Errorf("%s stands in the tables twice", decided[i])
		}
	}
	known := map[string]bool{}
	for architecture := range architectures {
		for call := range kernelCalls(t, architecture) {
			known[call] = true
		}
	}
	for call := range known {
		if !slices.Contains(decided, call) {
			t.Errorf("%s stands in no table: let it through, or refuse it, and say why", call)
		}
	}
	for _, call := range decided {
		if !known[call] {
			t.Errorf("%s is no system call", call)
		}
	}
}

func TestEveryEntrySaysWhy(t *testing.T) {
	for _, e := range slices.Concat(allowed, refused) {
		if e.calls == "" || e.why == "" {
			t.Errorf("entry %+v is not whole", e)
		}
	}
	for _, c := range checked {
		if c.why == "" || len(c.values) == 0 || c.otherwise != 0 && len(c.values) != 1 {
			t.Errorf("%s is not whole", c.call)
		}
		seen := map[uint64]bool{}
		for _, v := range c.values {
			if v.why == "" || seen[v.is] {
				t.Errorf("%s: value %#x does not say why, or stands there twice", c.call, v.is)
			}
			seen[v.is] = true
		}
	}
}

// The profile, as engines get it, is looked at before it changes.
func TestProfileIsTheOneThatWasLookedAt(t *testing.T) {
	for architecture := range architectures {
		profile, err := Profile(architecture)
		if err != nil {
			t.Fatal(err)
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, profile, "", " "); err != nil {
			t.Fatal(err)
		}
		pretty.WriteByte('\n')
		golden := filepath.Join("testdata", architecture+".json")
		if *update {
			if err := os.WriteFile(golden, pretty.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), pretty.String()); diff != "" {
			t.Errorf("%s (-golden +now; -update writes it anew):\n%s", golden, diff)
		}
	}
}

func TestProfileIsOnlyForArchitecturesOfTheTables(t *testing.T) {
	for _, architecture := range []string{"riscv64", "386", ""} {
		if p, err := Profile(architecture); err == nil {
			t.Errorf("%q has a profile: %s", architecture, p)
		}
	}
}
