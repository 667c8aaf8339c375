package bridge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// TestGate runs the cases in testdata/gate. Each guards one promise of the gate
// against one attack and is read like this:
//
//	prose that says what is guarded
//	-- config.json --    servers and options of the bridge
//	-- policy/….rego --  a policy that replaces the built-in pack (optional)
//	-- calls --          one call a line: tool id, space, arguments; "run" starts another run
//	-- replies --        what the code gets for each call
//	-- upstream --       the bytes that reached a server, in order
//	-- records --        the decision log, one line per decision
func TestGate(t *testing.T) {
	files, err := filepath.Glob("testdata/gate/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := checkGateCase(archive); err != nil {
				t.Fatal(err)
			}
			got := playGateCase(t, archive)
			if os.Getenv("UPDATE") != "" {
				writeGateCase(t, file, archive, got)
			}
			for _, f := range archive.Files {
				if want, ok := got[f.Name]; ok {
					if diff := cmp.Diff(string(f.Data), want); diff != "" {
						t.Errorf("%s (-want +got):\n%s", f.Name, diff)
					}
				}
			}
		})
	}
}

// gateSections are the sections of a case; each has all of them, in this order.
var gateSections = []string{"config.json", "calls", "replies", "upstream", "records"}

// checkGateCase refuses a case that would test less than it seems to: one with a
// section whose name is misspelt, that is there twice, or that is missing.
func checkGateCase(archive *txtar.Archive) error {
	var sections []string
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "policy/") {
			sections = append(sections, f.Name)
		}
	}
	if !slices.Equal(sections, gateSections) {
		return fmt.Errorf("the sections are %q, want %q and policy/… files", sections, gateSections)
	}
	if len(bytes.TrimSpace(archive.Comment)) == 0 {
		return errors.New("no prose says what the case guards")
	}
	return nil
}

func TestAGateCaseWithAMisspeltSectionIsRefused(t *testing.T) {
	whole := "why\n-- config.json --\n-- policy/a.rego --\n-- calls --\n-- replies --\n-- upstream --\n-- records --\n"
	if err := checkGateCase(txtar.Parse([]byte(whole))); err != nil {
		t.Error(err)
	}
	for _, broken := range []string{
		strings.Replace(whole, "-- upstream --", "-- upstreams --", 1),
		strings.Replace(whole, "-- records --\n", "", 1),
		strings.Replace(whole, "-- records --\n", "-- replies --\n-- records --\n", 1),
		strings.TrimPrefix(whole, "why\n"),
	} {
		if checkGateCase(txtar.Parse([]byte(broken))) == nil {
			t.Errorf("accepted:\n%s", broken)
		}
	}
}

func playGateCase(t *testing.T, archive *txtar.Archive) map[string]string {
	t.Helper()
	files := map[string][]byte{}
	policy := fstest.MapFS{}
	for _, f := range archive.Files {
		files[f.Name] = f.Data
		if name, ok := strings.CutPrefix(f.Name, "policy/"); ok {
			policy[name] = &fstest.MapFile{Data: f.Data}
		}
	}
	var log bytes.Buffer
	toy := newToy()
	opts := readGateConfig(t, files["config.json"], toy)
	opts.Record = record.New(&log)
	if len(policy) > 0 {
		opts.Policy = policy
	}
	b, err := bridge.New(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })

	var replies strings.Builder
	session := b.NewSession(engine.Principal{})
	run := session.NewRun(bridge.RunOptions{Code: "pass"})
	for line := range strings.Lines(string(files["calls"])) {
		line = strings.TrimSpace(line)
		if line == "run" {
			run = session.NewRun(bridge.RunOptions{Code: "pass"})
			continue
		}
		id, text, _ := strings.Cut(line, " ")
		args, err := strictjson.Decode([]byte(text), strictjson.Bounds{})
		if err != nil {
			fmt.Fprintf(&replies, "not a call: %v\n", err)
			continue
		}
		fmt.Fprintln(&replies, describeReply(run.Call(context.Background(), wire.Call{Tool: id, Args: args})))
	}
	return map[string]string{"replies": replies.String(), "upstream": toy.received(), "records": describeRecords(t, log.Bytes())}
}

func describeReply(r wire.Reply) string {
	if r.Err != nil {
		return fmt.Sprintf("%s: %s", strings.Join(r.Err.Codes, ","), r.Err.Message)
	}
	return "ok " + r.Text + string(r.Data)
}

// describeRecords shows of each line of the log what a gate case is about.
func describeRecords(t *testing.T, log []byte) string {
	t.Helper()
	var b strings.Builder
	for line := range bytes.Lines(log) {
		var entry struct {
			Path  string
			Input struct {
				Tool    struct{ ID string }
				Run     struct{ Calls int64 }
				Session struct{ Labels []string }
			}
			Result engine.Decision
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("decision log line %q: %v", line, err)
		}
		if entry.Path != record.Path {
			continue // the configuration, and what came of a call
		}
		verdict := "deny"
		if entry.Result.Allow {
			verdict = "allow"
		}
		fmt.Fprintf(&b, "%s %s call %d of run, session labels %v, adds %v", verdict,
			entry.Input.Tool.ID, entry.Input.Run.Calls, entry.Input.Session.Labels, entry.Result.Effects.LabelsAdd)
		for _, d := range entry.Result.Denials {
			fmt.Fprintf(&b, " %s", d.Code)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func readGateConfig(t *testing.T, data []byte, toy *toy) bridge.Options {
	t.Helper()
	var config struct {
		CallsPerRun int `json:"calls_per_run"`
		Servers     map[string]struct {
			Allow   []string
			Private any
			Rules   map[string][]string
		}
	}
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&config); err != nil {
		t.Fatalf("config.json: %v", err)
	}
	opts := bridge.Options{CallsPerRun: config.CallsPerRun}
	for name, s := range config.Servers {
		server := bridge.Server{Name: name, Transport: toy.connect(name), Allow: s.Allow, Rules: s.Rules}
		switch private := s.Private.(type) {
		case bool:
			server.Private.All = private
		case []any:
			for _, p := range private {
				server.Private.Tools = append(server.Private.Tools, p.(string))
			}
		}
		opts.Servers = append(opts.Servers, server)
	}
	return opts
}

func writeGateCase(t *testing.T, file string, archive *txtar.Archive, got map[string]string) {
	t.Helper()
	for i, f := range archive.Files {
		if text, ok := got[f.Name]; ok {
			archive.Files[i].Data = []byte(text)
		}
	}
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
