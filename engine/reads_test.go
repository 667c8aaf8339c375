package engine

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
)

// What is left out of the input because no rule looks at it must not be missed by a
// rule that does, however it goes about it.
func TestRulesSeeTheCountsHoweverTheyLook(t *testing.T) {
	for name, test := range map[string]struct{ body, more string }{
		"by name":             {body: `input.session.calls_by_tool["a/b"] == 3`},
		"through the tool":    {body: `input.session.calls_by_tool[input.tool.id] == 3`},
		"with brackets":       {body: `input["session"]["calls_by_tool"]["a/b"] == 3`},
		"through the session": {body: `s := input.session; s.calls_by_tool["a/b"] == 3`},
		"through the input":   {body: `i := input; i.session.calls_by_tool["a/b"] == 3`},
		"a key found late":    {body: `some key in ["calls_by_tool"]; input.session[key]["a/b"] == 3`},
		"any key":             {body: `some key; input.session[key]["a/b"] == 3`},
		"any first key":       {body: `some key; input[key].calls_by_tool["a/b"] == 3`},
		"by going over all":   {body: `walk(input, [["session", "calls_by_tool", "a/b"], 3])`},
		"as one object":       {body: `object.get(input, ["session", "calls_by_tool", "a/b"], 0) == 3`},
		"in a comprehension":  {body: `sum([n | some n in input.session.calls_by_tool]) == 3`},
		"in every":            {body: `every n in input.session.calls_by_tool { n == 3 }; count(input.session.calls_by_tool) == 1`},
		"as a key":            {body: `{3: true}[input.session.calls_by_tool["a/b"]]`},
		"in a function":       {`_count(input) == 3`, `_count(i) := i.session.calls_by_tool["a/b"]`},
		"behind an import":    {`session.calls_by_tool["a/b"] == 3`, `import input.session`},
		"behind a name":       {`s.calls_by_tool["a/b"] == 3`, `import input.session as s`},
		"with another tool":   {`_count == 3 with input.tool as "x"`, `_count := input.session.calls_by_tool["a/b"]`},
		"in a document":       {`_seen.session.calls_by_tool["a/b"] == 3`, `_seen := input`},
	} {
		e, err := New(t.Context(), Options{Policy: files("p.rego", "package codemode\n"+test.more+`
visible := true
default decision := {"allow": false, "denials": {{"code": "no", "message": "no"}}, "effects": {"labels_add": set()}}
decision := {"allow": true, "denials": set(), "effects": {"labels_add": set()}} if { `+test.body+` }
`)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := packRequest()
		r.Tool.ID, r.Session.CallsByTool = "a/b", map[string]int64{"a/b": 3}
		if d := e.Decide(t.Context(), r); !d.Allow {
			t.Errorf("%s: %+v", name, d)
		}
		if r.Session.CallsByTool["a/b"] != 3 {
			t.Errorf("%s: the request was changed", name)
		}
	}
}

func TestThePackDoesNotReadTheCounts(t *testing.T) {
	if newPack(t).counts {
		t.Error("every decision pays for every tool that was ever called")
	}
}

func TestReadsInputTellsPathsApart(t *testing.T) {
	for body, want := range map[string]bool{
		`input.session.calls == 1`:           false,
		`input.tool.calls_by_tool == 1`:      false,
		`data.session.calls_by_tool`:         false,
		`input.tool[input.session.id]`:       false,
		`input.tool[input.session[_]]`:       true,
		`input.session`:                      true,
		`input.session.calls_by_tool.x == 1`: true,
	} {
		c := ast.MustCompileModules(map[string]string{"p.rego": "package p\nx if { " + body + " }"})
		if got := readsInput(c.Modules, callsByToolPath); got != want {
			t.Errorf("%s: %v", body, got)
		}
	}
}
