package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
)

// A policy that breaks its own cases does not load, and says which one.
func TestAPolicyThatBreaksItsCasesDoesNotLoad(t *testing.T) {
	const freeze = "package codemode.rules.freeze\n\ndeny contains {\"code\": \"frozen\", \"message\": \"no\"} if input.tool.server == \"production\"\n"
	for _, c := range []struct{ name, cases, want string }{
		{"kept", "refuse:\n  - {tool: production/x, code: frozen}\nallow:\n  - {tool: staging/x}\n", ""},
		{"what must be refused goes out", "refuse:\n  - {tool: staging/x}\n", "freeze.cases:2: staging/x must be refused, but goes out"},
		{"a second document", "refuse:\n  - {tool: production/x}\n---\nrefuse:\n  - {tool: staging/x}\n", "there is a second document in it"},
		{"what must go out is refused", "allow:\n  - {tool: staging/x}\n  - {tool: production/x}\n", "freeze.cases:3: production/x must go out, but is refused: frozen"},
		{"another reason", "refuse:\n  - {tool: production/x, code: late}\n", `production/x must be refused with "late", but is with frozen`},
		{"every part of a call", "servers: {staging: {private: [p], rules: {x: [args.a > 0]}, allow: [x, p]}}\nlimits: {calls_per_run: 2, argument_bytes: 9}\nrefuse:\n" +
			"  - {tool: staging/x, holds: false, code: rule_not_met}\n  - {tool: staging/x, fits: false, code: arguments_invalid}\n" +
			"  - {tool: staging/x, args: {a: 12345}, code: arguments_too_large}\n  - {tool: staging/x, calls: 3, code: budget_exhausted}\n" +
			"  - {tool: staging/x, labels: [private], code: private_data}\n  - {tool: staging/y, code: tool_not_allowed}\n  - {tool: staging/x, known: false}\n" +
			"allow:\n  - {tool: staging/x, args: {a: 1}, calls: 2}\n  - {tool: staging/p, labels: [private], client: c, time: 2026-01-01T00:00:00Z}\n", ""},
		{"a misspelt part", "refuse:\n  - {tool: a/b, arg: {}}\n", `line 2: a case has no "arg"; it has tool, args`},
		{"a misspelt list", "refused:\n  - {tool: a/b}\n", "refused not found"},
		{"no tool", "refuse:\n  - {args: {}}\n", "line 2: a case needs a tool, as server/name"},
		{"a code of what goes out", "allow:\n  - {tool: a/b, code: x}\n", "a call that goes out has no code"},
		{"nothing", "", "there is no case in it"},
		{"passes one family", "pass:\n  - {tool: production/x, code: budget_exhausted}\n", ""},
		{"does not pass", "pass:\n  - {tool: production/x, code: frozen}\n", `production/x must pass, but is refused with "frozen"`},
		{"passes what", "pass:\n  - {tool: production/x}\n", "needs the code that it is not refused with"},
		{"no YAML", "refuse: [", "did not find expected"},
		{"an alias that grows", "refuse: &a [*a]\n", "cases"},
	} {
		policy := packWith(t, "codemode/rules/freeze/freeze.rego", freeze, "codemode/rules/freeze/freeze.cases", c.cases)
		_, err := New(t.Context(), Options{Policy: policy, Name: "mine"})
		var load *LoadError
		switch {
		case c.want == "" && err != nil, c.want != "" && !errors.As(err, &load), err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		case err != nil && load.Findings[0].File == "":
			t.Errorf("%s: no file: %+v", c.name, load.Findings[0])
		}
	}
}

// The pack's own cases notice when one of its families is gone.
func TestThePacksCasesNoticeALostFamily(t *testing.T) {
	for _, family := range []string{"arguments", "budget", "private"} {
		policy := packWith(t)
		delete(policy, "codemode/rules/"+family+"/"+family+".rego")
		delete(policy, "codemode/rules/"+family+"/"+family+"_test.rego")
		found, err := Findings(t.Context(), CheckOptions{Source: Source{FS: policy}})
		if err != nil {
			t.Fatal(err)
		}
		if codes := codesOf(found); !strings.Contains(strings.Join(codes, " "), check.CasesFail) {
			t.Errorf("%s: %v", family, codes)
		}
	}
}
