package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The library's user writes `decision := X` for each X here; none of them may allow.
func TestWhatIsNotExactlyOneDecisionDenies(t *testing.T) {
	const yes = `{"allow": true, "denials": set(), "effects": {"labels_add": set()}}`
	many := make([]string, maxDenials+1)
	labels := make([]string, maxLabels+1)
	for i := range many {
		many[i] = fmt.Sprintf(`{"code": "c", "message": "%d"}`, i)
	}
	for i := range labels {
		labels[i] = fmt.Sprintf(`"l%d"`, i)
	}
	no := func(denials string) string {
		return `{"allow": false, "denials": ` + denials + `, "effects": {"labels_add": set()}}`
	}
	effects := func(effects string) string {
		return `{"allow": true, "denials": set(), "effects": ` + effects + `}`
	}
	for _, c := range []struct{ rego, want string }{
		{`decision := ` + yes + ` if input.call.args.never`, "undefined for this input"},
		{`decision contains ` + yes, "not an object but set"},
		{"decision := " + yes + "\ndecision := " + no(`{{"code": "a", "message": "b"}}`), "produced conflicting values"},
		{`decision := true`, "not an object but boolean"},
		{`decision := "allow"`, "not an object but string"},
		{`decision := null`, "not an object but null"},
		{`decision := [` + yes + `]`, "not an object but array"},
		{`decision := {}`, "lacks one of the keys"},
		{`decision := {"allow": true}`, "lacks one of the keys"},
		{`decision := {"allow": true, "denials": set(), "effects": {"labels_add": set()}, "allowed": true}`, `unknown key "allowed"`},
		{`decision := {"allow": true, "denials": set(), "effects": {"labels_add": set()}, 1: 2}`, "unknown key 1"},
		{`decision := {"allow": "true", "denials": set(), "effects": {"labels_add": set()}}`, "allow is not true or false but string"},
		{`decision := {"allow": 1, "denials": set(), "effects": {"labels_add": set()}}`, "allow is not true or false but number"},
		{`decision := {"allow": null, "denials": set(), "effects": {"labels_add": set()}}`, "allow is not true or false but null"},
		{`decision := {"allow": true, "denials": {{"code": "a", "message": "b"}}, "effects": {"labels_add": set()}}`, "allows and denies at once (a)"},
		{`decision := ` + no(`set()`), "neither allows nor says why not"},
		{`decision := ` + no(`[]`), "neither allows nor says why not"},
		{`decision := ` + no(`null`), "denials is not a set but null"},
		{`decision := ` + no(`"a"`), "denials is not a set but string"},
		{`decision := ` + no(`{"a": "b"}`), "denials is not a set but object"},
		{`decision := ` + no(`["a"]`), "a denial is not an object but string"},
		{`decision := ` + no(`[{"code": "a"}]`), "a denial lacks one of the keys"},
		{`decision := ` + no(`[{"code": "a", "message": "b", "allow": true}]`), "unknown key"},
		{`decision := ` + no(`[{"code": "A", "message": "b"}]`), "a code that is not"},
		{`decision := ` + no(`[{"code": "", "message": "b"}]`), "a code that is not"},
		{`decision := ` + no(`[{"code": 1, "message": "b"}]`), "a code that is not"},
		{`decision := ` + no(`[{"code": "`+strings.Repeat("a", maxCode+1)+`", "message": "b"}]`), "a code that is not"},
		{`decision := ` + no(`[{"code": "a", "message": ""}]`), "has no message"},
		{`decision := ` + no(`[{"code": "a", "message": ["b"]}]`), "has no message"},
		{`decision := ` + no(`[`+strings.Join(many, ",")+`]`), "denials has more than 64 elements"},
		{`decision := ` + effects(`{}`), "effects lacks one of the keys"},
		{`decision := ` + effects(`[]`), "effects is not an object but array"},
		{`decision := ` + effects(`{"labels_add": set(), "labels_remove": {"private"}}`), `unknown key "labels_remove"`},
		{`decision := ` + effects(`{"labels_add": "private"}`), "labels_add is not a set but string"},
		{`decision := ` + effects(`{"labels_add": {"a b"}}`), "a label is not"},
		{`decision := ` + effects(`{"labels_add": {""}}`), "a label is not"},
		{`decision := ` + effects(`{"labels_add": {1}}`), "a label is not"},
		{`decision := ` + effects(`{"labels_add": {`+strings.Join(labels, ",")+`}}`), "labels_add has more than 16 elements"},
		{`decision := {"allow": false, "denials": {{"code": "a", "message": "b"}}, "effects": {"labels_add": {"private"}}}`, "effects although it denies"},
		{"decision := " + yes + ` if to_number(input.tool.id) > 5`, "to_number"},
		{"decision := " + yes + ` if not to_number(input.tool.id) > 5`, "to_number"},
		{"decision := " + yes + ` if 1 / (input.run.calls - input.run.calls) > 0`, "divide by zero"},
	} {
		e, err := New(t.Context(), Options{Policy: files("p.rego", "package codemode\nvisible := true\n"+c.rego)})
		if err != nil {
			t.Errorf("%s: %v", c.rego, err)
			continue
		}
		d := e.Decide(t.Context(), packRequest())
		if !strings.Contains(d.Problem, c.want) {
			t.Errorf("%s: the problem is not %q:\n%s", c.rego, c.want, d.Problem)
		}
		d.Problem = ""
		if diff := cmp.Diff(refuse(e.Revision()), d); diff != "" {
			t.Errorf("%s: %s", c.rego, diff)
		}
	}
}

func TestDenialsAreToldInTheOrderOfTheTableAndCutToSize(t *testing.T) {
	e, err := New(t.Context(), Options{Policy: files("p.rego", `package codemode
visible := true
decision := {"allow": false, "effects": {"labels_add": []}, "denials": [
	{"code": "zeta", "message": "z"}, {"code": "private_data", "message": "p"}, {"code": "alpha", "message": "b"},
	{"code": "tool_not_allowed", "message": "t"}, {"code": "budget_exhausted", "message": "u"}, {"code": "alpha", "message": "a"},
	{"code": "rule_not_met", "message": "r"}, {"code": "arguments_invalid", "message": "i"}, {"code": "alpha", "message": "a"},
	{"code": "arguments_too_large", "message": concat("", ["ü" | some _ in numbers.range(1, 2600)])},
]}`)})
	if err != nil {
		t.Fatal(err)
	}
	d := e.Decide(t.Context(), packRequest())
	want := []Denial{
		{"tool_not_allowed", "t"}, {"arguments_too_large", strings.Repeat("ü", 2499) + "…"}, {"arguments_invalid", "i"},
		{"rule_not_met", "r"}, {"budget_exhausted", "u"}, {"private_data", "p"}, {"alpha", "a"}, {"alpha", "b"}, {"zeta", "z"},
	}
	if diff := cmp.Diff(want, d.Denials); diff != "" {
		t.Error(diff)
	}
}
