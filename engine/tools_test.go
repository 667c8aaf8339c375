package engine

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

const testedPolicy = `package codemode

decision := {"allow": _allow, "denials": _no, "effects": {"labels_add": set()}}

visible := true

default _allow := false

_allow if input.run.calls < 3

_no contains {"code": "late", "message": "too late"} if not _allow
`

func TestTestsAreReportedAsOPADoes(t *testing.T) {
	const tests = `package codemode_test

import data.codemode

test_early if codemode.decision.allow with input as {"run": {"calls": 1}}

test_late if {
	print("calls so far", 5)
	codemode.decision.allow with input as {"run": {"calls": 5}}
}

test_cases[note] if {
	some note, calls in {"one": 1, "nine": 9}
	codemode.decision.allow with input as {"run": {"calls": calls}}
}

todo_test_later if false
`
	src := Source{FS: files("p.rego", testedPolicy, "p_test.rego", tests), Name: "mine"}
	var out bytes.Buffer
	result, err := Test(t.Context(), TestOptions{Source: src, Out: &out})
	if !errors.Is(err, ErrTests) || err.Error() != "testing the policy: 2 of 4 fail" {
		t.Errorf("%v", err)
	}
	if want := (TestResult{Passed: 2, Failed: 2, Skipped: 1, Coverage: -1}); result != want {
		t.Errorf("%+v", result)
	}
	for _, want := range []string{
		"mine/p_test.rego:7:\ndata.codemode_test.test_late: FAIL", "calls so far 5",
		"  mine/p_test.rego:9:\n    \tcodemode.decision.allow with input as", // the line that failed
		"data.codemode_test.test_cases: FAIL", "nine: FAIL", "todo_test_later: SKIPPED",
		"PASS: 2/5", "FAIL: 2/5", "SKIPPED: 1/5",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "test_early") {
		t.Errorf("it names what passes:\n%s", &out)
	}

	out.Reset()
	result, err = Test(t.Context(), TestOptions{Source: src, Run: "early", Verbose: true, Out: &out})
	if err != nil || result.Passed != 1 || !strings.Contains(out.String(), "data.codemode_test.test_early: PASS") {
		t.Errorf("%v %+v\n%s", err, result, &out)
	}
	if _, err = Test(t.Context(), TestOptions{Source: src, Run: "nothing"}); !errors.Is(err, ErrTests) || !strings.Contains(err.Error(), "no tests were run") {
		t.Errorf("%v", err)
	}
	if _, err = Test(t.Context(), TestOptions{Source: src, Run: "("}); err == nil {
		t.Error("a broken expression is taken")
	}
}

func TestCoverageIsMeasuredAgainstAThreshold(t *testing.T) {
	src := Source{Name: "mine", FS: files("p.rego", testedPolicy, "p_test.rego", `package codemode_test

test_early if data.codemode.decision.allow with input as {"run": {"calls": 1}}
`)}
	var out bytes.Buffer
	result, err := Test(t.Context(), TestOptions{Source: src, Threshold: 90, Out: &out})
	if !errors.Is(err, ErrTests) || !strings.Contains(err.Error(), "and 90.00% are asked for") || result.Coverage >= 90 || result.Coverage <= 0 {
		t.Errorf("%v %+v", err, result)
	}
	if !strings.Contains(out.String(), "not reached: mine/p.rego:5\n") {
		t.Errorf("%s", &out)
	}
	if result, err = Test(t.Context(), TestOptions{Source: src, Coverage: true}); err != nil || result.Coverage <= 0 {
		t.Errorf("%v %+v", err, result)
	}
}

// A test that errs, and one that never ends, are no passes.
func TestTestsThatErrFail(t *testing.T) {
	src := Source{FS: files("p.rego", testedPolicy, "p_test.rego", `package codemode_test

test_conflict if f(1)

f(x) := true if x > 0

f(x) := false if x < 2
`)}
	var out bytes.Buffer
	result, err := Test(t.Context(), TestOptions{Source: src, Out: &out})
	if !errors.Is(err, ErrTests) || result.Errors != 1 || !strings.Contains(out.String(), "test_conflict: ERROR") {
		t.Errorf("%v %+v\n%s", err, result, &out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Test(ctx, TestOptions{Source: src}); err == nil {
		t.Error("a context that is gone is not noticed")
	}
}

func TestPoliciesThatDoNotLoadAreNotTested(t *testing.T) {
	for _, src := range []Source{
		{FS: files("p.rego", "package p\nx := [")},
		{FS: files("p.rego", "package p", "p_test.rego", "package p_test\ntest_x if nope(1)")},
		{FS: files("p.rego", "package p", "p_test.rego", "package p_test\ntest_x if http.send({})")},
		{Bundle: "none.tar.gz"},
	} {
		var load *LoadError
		if _, err := Test(t.Context(), TestOptions{Source: src}); !errors.As(err, &load) {
			t.Errorf("%v", err)
		}
	}
}

func TestCheckLooksAtTestsToo(t *testing.T) {
	for _, c := range []struct {
		test, want string
	}{
		{"package codemode_test\n\ntest_x if { y := 1 }", "mine/codemode/x_test.rego:3: rego_compile_error: assigned var y unused"},
		{"package codemode_test\n\ntest_x if http.send({})", "undefined function http.send"},
	} {
		err := Check(t.Context(), Source{FS: packWith(t, "codemode/x_test.rego", c.test), Name: "mine"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v", err)
		}
	}
	// What is served must not lean on a test.
	err := Check(t.Context(), Source{FS: packWith(t, "codemode/x_test.rego", "package codemode.lib\n\nf(x) := x", "codemode/y.rego", "package codemode.y\n\nx := data.codemode.lib.f(1)")})
	if err == nil || !strings.Contains(err.Error(), "undefined function data.codemode.lib.f") {
		t.Errorf("%v", err)
	}
}

func TestEvalTellsWhy(t *testing.T) {
	r := packRequest()
	r.Tool.Private = true
	r.Run.Calls = 500
	pack := packWith(t, "codemode/rules/mine/mine.rego", `package codemode.rules.mine

labels_add contains "seen" if print("asked about", input.tool.id)
`)
	got, err := Eval(t.Context(), Source{FS: pack}, packConfig(), marshal(t, r))
	if err != nil {
		t.Fatal(err)
	}
	want := []PolicyRule{
		{Name: "allowlist.grant", Title: "A listed tool may be called", Location: "codemode/rules/allowlist/allowlist.rego:10"},
		{
			Name: "budget.deny", Title: "The run has calls left", Code: "budget_exhausted", Location: "codemode/rules/budget/budget.rego:13",
			Description: "Stops loops that never end and programs that walk through everything.",
		},
	}
	if diff := cmp.Diff(want, got.Rules); diff != "" {
		t.Error(diff)
	}
	r.Run.Calls = 5
	if got, err = Eval(t.Context(), Source{FS: pack}, packConfig(), marshal(t, r)); err != nil {
		t.Fatal(err)
	}
	text := got.String()
	for _, want := range []string{"allowed\n", `the session earns the label "private"`, `the session earns the label "seen"`, "private.labels_add", "printed\nasked about tracker/create_issue\n", "revision sha256:"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	broken := Source{FS: files("p.rego", "package codemode\ndecision := 5\nvisible := true")}
	if got, err = Eval(t.Context(), broken, Config{}, marshal(t, r)); err != nil || got.Decision.Allow || !strings.Contains(got.String(), "because the decision is not an object but number") {
		t.Errorf("%v %v", got, err)
	}
	for _, input := range []string{``, `{`, `[]`, `5`, `{} {}`, strings.Repeat(" ", maxInput) + "{}"} {
		if _, err := Eval(t.Context(), Source{FS: policies.FS}, Config{}, []byte(input)); err == nil {
			t.Errorf("the input %.20q is taken", input)
		}
	}
	if _, err := Eval(t.Context(), Source{FS: files()}, Config{}, []byte(`{}`)); err == nil {
		t.Error("a policy that does not load is evaluated")
	}
}
