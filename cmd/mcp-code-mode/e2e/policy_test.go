//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// record is what a test looks at in a line of the decision log.
type record struct {
	DecisionID string `json:"decision_id"`
	Timestamp  string `json:"timestamp"`
	Path       string `json:"path"`
	Bundles    map[string]struct{ Revision string }
	Input      struct {
		Tool    struct{ ID string }
		Call    struct{ Args json.RawMessage }
		Session struct{ Labels []string }
	}
	Result struct {
		Allow   bool
		Denials []struct{ Code string }
	}
}

func recordsOf(t *testing.T, path string) (all []record) {
	t.Helper()
	for _, line := range linesOf(t, path) {
		var r record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("the decision log holds %q: %v", line, err)
		}
		if r.DecisionID == "" || r.Timestamp == "" || !strings.HasPrefix(r.Bundles["codemode"].Revision, "sha256:") {
			t.Errorf("an incomplete line: %s", line)
		}
		if r.Path == "codemode/decision" { // and not the configuration, or what came of a call
			all = append(all, r)
		}
	}
	return all
}

// said is a decision on one line: the tool, its arguments, and what became of it.
func (r record) said() string {
	what := "allowed"
	for i, denial := range r.Result.Denials {
		if what = denial.Code; i > 0 {
			break
		}
	}
	return fmt.Sprintf("%s %s %s %s", r.Input.Tool.ID, r.Input.Call.Args, r.Input.Session.Labels, what)
}

// TestEveryDecisionIsOnRecord: allowed and denied, with the arguments as they went
// out and the labels the decision was made with.
func TestEveryDecisionIsOnRecord(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		log, calls := filepath.Join(p.work, "decisions.jsonl"), filepath.Join(p.work, "calls")
		c := p.serve(driver, "--decision-log", log, "--private", "note", "--", built.toyserver, "-log", calls)
		c.hello(current)
		c.run(`
await mirror(value=123456789012345678901234567890)
for call in add(a=1), add(a=1, b=2), note(), echo(text="x"):
    try: await call
    except ToolError: pass`)
		var said []string
		for _, r := range recordsOf(t, log) {
			said = append(said, r.said())
		}
		want := []string{
			`server/mirror {"value":123456789012345678901234567890} [] allowed`,
			`server/add {"a":1} [] arguments_invalid`,
			`server/add {"a":1,"b":2} [] allowed`,
			`server/note {} [] allowed`,
			`server/echo {"text":"x"} [private] private_data`,
		}
		if diff := cmp.Diff(want, said); diff != "" {
			t.Errorf("the decision log (-want +got):\n%s", diff)
		}
		sent := []string{
			`{"tool":"mirror","arguments":{"value":123456789012345678901234567890}}`,
			`{"tool":"add","arguments":{"a":1,"b":2}}`,
			`{"tool":"note","arguments":{}}`,
		}
		if diff := cmp.Diff(sent, linesOf(t, calls)); diff != "" {
			t.Errorf("what reached the server (-want +got):\n%s", diff)
		}
		if info, err := os.Stat(log); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the log's mode: %v, %v", info.Mode(), err)
		}
	})
}

// TestADecisionIsOnRecordBeforeItsServerHearsOfIt: the server's answer is the log
// as it was when the call arrived.
func TestADecisionIsOnRecordBeforeItsServerHearsOfIt(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		log := filepath.Join(p.work, "decisions.jsonl")
		files := realServer(t, "filesystem", p.work)
		c := p.serve(driver, append([]string{"--decision-log", log, "--allow", "read_text_file", "--"}, files...)...)
		c.hello(current)
		c.prints(fmt.Sprintf(`
import json
for n in 1, 2:
    lines = str(await read_text_file(path=%q)).count("codemode/decision")
    print(lines)`, log), "1\n2\n")
	})
}

// TestACallThatCannotBeRecordedIsNotMade: on a full disk nothing goes out.
func TestACallThatCannotBeRecordedIsNotMade(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		calls := filepath.Join(p.work, "calls")
		c := p.serve(driver, "--decision-log", "/dev/full", "--", built.toyserver, "-log", calls)
		c.hello(current)
		wantOutcome(t, c.run(`
for call in add(a=1, b=2), note():
    try: await call
    except ToolError as e: print(e.code, "recorded" in str(e), "/dev" in str(e))`), outcome{
			Stdout:  "policy_error True False\npolicy_error True False\n",
			Refused: []refusal{{"server/add", "policy_error", 1}, {"server/note", "policy_error", 1}},
		})
		c.works()
		if text, _ := os.ReadFile(calls); len(text) > 0 {
			t.Errorf("the server was sent %s", text)
		}
	})
}

// TestTheBudgetHoldsForEachRun: refused calls count, calls at the same time count,
// and the next run has a budget of its own.
func TestTheBudgetHoldsForEachRun(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		c := serve(t, driver, "--max-calls", "5", "--", built.toyserver)
		code := `
async def call(**args):
    try: await add(**args)
    except ToolError as e: return e.code
    return "done"
print(await call(a=1), await call(a=1, b=2))
print(sorted(await asyncio.gather(*[call(a=i, b=i) for i in range(10)])))`
		want := outcome{
			Stdout: "arguments_invalid done\n['budget_exhausted', 'budget_exhausted', 'budget_exhausted', 'budget_exhausted', " +
				"'budget_exhausted', 'budget_exhausted', 'budget_exhausted', 'done', 'done', 'done']\n",
			Refused: []refusal{{"server/add", "arguments_invalid", 1}, {"server/add", "budget_exhausted", 7}},
		}
		wantOutcome(t, c.run(code), want)
		wantOutcome(t, c.run(code), want)
	})
}

// TestAPolicyOfOnesOwnDecides: a copy of the pack with a rule more, through the
// commands that a person types.
func TestAPolicyOfOnesOwnDecides(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		if _, stderr, code := p.execute(command{args: []string{"policy", "init", "policies"}}); code != 0 {
			t.Fatalf("policy init: %d\n%s", code, stderr)
		}
		rule := filepath.Join(p.work, "policies", "codemode", "rules", "freeze")
		if err := os.Mkdir(rule, 0o700); err != nil {
			t.Fatal(err)
		}
		text := `package codemode.rules.freeze

# METADATA
# title: Nothing is deleted
# custom: {code: frozen}
deny contains {"code": "frozen", "message": "nothing is deleted"} if not _harmless

_harmless if input.tool.annotations.readOnlyHint == true
`
		if err := os.WriteFile(filepath.Join(rule, "freeze.rego"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := p.serve(driver, "--policy", "policies", "--", built.toyserver)
		c.hello(current)
		wantOutcome(t, c.run(`
print((await add(a=1, b=2)).data["sum"])
try: await delete_issue(id=1)
except ToolError as e: print(e.code, e)`), outcome{
			Stdout: "3\nfrozen nothing is deleted\n", Refused: []refusal{{"server/delete_issue", "frozen", 1}},
		})
	})
}
