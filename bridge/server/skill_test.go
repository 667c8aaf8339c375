package server_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// TestSkillNumbersAreTheCodesNumbers keeps the limits in SKILL.md true.
func TestSkillNumbersAreTheCodesNumbers(t *testing.T) {
	text, err := os.ReadFile("../../skills/mcp-code-mode/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	limits := sandbox.Limits{}.WithDefaults()
	want := map[string]string{
		"time of a run":             seconds(limits.Deadline),
		"calls of a run":            fmt.Sprint(engine.DefaultCallsPerRun),
		"calls at the same time":    fmt.Sprint(limits.InFlight),
		"refused calls of a run":    fmt.Sprint(bridge.MaxRefused),
		"time of a call":            seconds(bridge.DefaultTimeout),
		"arguments of a call":       size(engine.DefaultArgumentBytes),
		"result of a call":          size(bridge.DefaultResult),
		"output returned":           size(limits.OutputKept),
		"output that stops the run": size(limits.OutputFlood),
		"memory":                    size(int(limits.Memory)),
		"processes":                 fmt.Sprint(limits.Pids),
		"`/tmp`":                    size(int(limits.TmpBytes)),
		"code":                      size(server.MaxCode),
	}
	got := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \| (\d[^|]*) \|$`).FindAllStringSubmatch(string(text), -1) {
		got[row[1]] = row[2]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("limits in SKILL.md (-code +skill):\n%s", diff)
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%d s", int(d.Seconds())) }

func size(bytes int) string {
	if bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}
