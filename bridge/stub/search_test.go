//go:build linux

package stub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// session is a runner that knows the tools.
func session(t *testing.T, tools []Tool) (*sandbox.Sandbox, []string) {
	t.Helper()
	path, err := cpython()
	if errors.Is(err, rootfs.ErrUnsupported) {
		t.Skip("SKIPPED: no Python is embedded for this system")
	}
	if err != nil {
		t.Fatal(err)
	}
	names, _, err := Names(tools, true)
	if err != nil {
		t.Fatal(err)
	}
	known := make([]wire.Tool, len(tools))
	for i, tool := range tools {
		text, err := Render(tool, names[i])
		if err != nil {
			t.Fatal(err)
		}
		known[i] = wire.Tool{Name: names[i], ID: tool.Server + "/" + tool.Name, Stub: text, Summary: Summary(tool, names[i]), Facts: Facts(tool)}
	}
	driver, err := sandboxtest.NewProcess(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { driver.Close() })
	s, err := sandbox.Open(t.Context(), driver)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Init(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	return s, names
}

func run(t *testing.T, s *sandbox.Sandbox, code string) string {
	t.Helper()
	o, err := s.Exec(t.Context(), code, func(context.Context, wire.Call) wire.Reply { return wire.Reply{Text: "called"} })
	if err != nil || o.Error != "" {
		t.Fatalf("%v: %s", err, o.Error)
	}
	return o.Stdout
}

// The question of somebody who names neither a tool nor a server, over five servers.
func TestTheTimeToolIsFoundByWhoWantsTheTime(t *testing.T) {
	var tools []Tool
	for _, l := range realTools(t) {
		if slices.Contains([]string{"filesystem", "github-ts", "grafana", "memory"}, l.server) {
			tools = append(tools, l.tools...)
		}
	}
	for name, description := range map[string]string{
		"get_current_time": "Get current time in a specific timezones", "convert_time": "Convert time between timezones",
	} {
		tools = append(tools, Tool{Server: "time", Name: name, Description: description, Input: json.RawMessage(
			`{"type":"object","properties":{"timezone":{"type":"string","description":"IANA timezone name (e.g., 'America/New_York', 'Europe/London')"}},"required":["timezone"]}`)})
	}
	s, _ := session(t, tools)
	for _, question := range []string{"what time is it in tokyo", "What time is it in Tokyo?", "current time", "time zone conversion"} {
		if got := run(t, s, fmt.Sprintf("print(search_tools(%q)[0].server)", question)); got != "time\n" {
			t.Errorf("%s: found one of %s", question, got)
		}
	}
}

// Each line of the questions is a question and the tools that answer it. Odd lines
// were for tuning the ranking; what is promised is about the even ones.
func TestTheRightToolIsAmongTheFirstThreeFound(t *testing.T) {
	text, err := os.ReadFile("../../testdata/questions/questions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var tools []Tool
	for _, l := range realTools(t) {
		tools = append(tools, l.tools...)
	}
	s, names := session(t, tools)
	ids := map[string]string{}
	for i, tool := range tools {
		ids[names[i]] = tool.Server + "/" + tool.Name
	}
	var total, first, three [2]int
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		question, answers, _ := strings.Cut(line, "\t")
		code, _ := json.Marshal(question)
		var found []string
		if err := json.Unmarshal([]byte(run(t, s, "print(json.dumps(search_tools("+string(code)+")[:3]))")), &found); err != nil {
			t.Fatal(err)
		}
		right := func(name string) bool { return slices.Contains(strings.Fields(answers), ids[name]) }
		half := i % 2 // of lines counted from one, the even ones
		total[half]++
		if len(found) > 0 && right(found[0]) {
			first[half]++
		}
		if slices.ContainsFunc(found, right) {
			three[half]++
		} else if half == 0 || testing.Verbose() {
			t.Logf("half %d: %q found %q, not %s", half, question, found, answers)
		}
	}
	t.Logf("tuned on: first %d, in three %d of %d; held out: first %d, in three %d of %d", first[0], three[0], total[0], first[1], three[1], total[1])
	if total[1] < 30 || three[1]*10 < total[1]*9 {
		t.Errorf("of the questions held out %d of %d are answered in the first three", three[1], total[1])
	}
}
