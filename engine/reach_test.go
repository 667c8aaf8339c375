package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

// Every field a rule may look at is there, however the rule gets at it. If one were left out that
// is looked at, a denial could be missed.
func TestARuleSeesWhatItMayLookAt(t *testing.T) {
	for body, want := range map[string]bool{
		`input.session.calls_by_tool["a/b"] < 3`:         true,
		`input.session.calls_by_tool[input.tool.id] < 3`: true,
		`count(input.session) > 0`:                       true,
		`count(input) > 0`:                               true,
		`x := input; x.session.calls_by_tool`:            true,
		`x := input.session; x.calls_by_tool`:            true,
		`some x; input.session[x] == {}`:                 true,
		`some x, y; input[x][y] == {}`:                   true,
		`input[input.call.args.of].calls_by_tool`:        true,
		`_of(input)`:                                         true,
		`_of(0) with input as input`:                         true,
		`not input.session.calls_by_tool`:                    true,
		`count([x | some x in input.session.calls_by_tool])`: true,
		`every x in input.session { x != 0 }`:                true,
		`true in [false | input.session.calls_by_tool.x]`:    true,
		`walk(input, [["session"], _])`:                      true,
		`input.session.labels == []`:                         false,
		`input.session.calls < 3`:                            false,
		`input.tool.calls_by_tool.x`:                         false,
		`some x in input.call.args; x == 1`:                  false,
		`input.tool[input.call.args.of] == 1`:                false,
		`data.session.calls_by_tool.x`:                       false,
		`input == 1; input.session`:                          true,
	} {
		module := "package look\n\n_of(_) := 1\n\nlook if { " + body + " }\n"
		compiler, err := ast.CompileModules(map[string]string{"look.rego": module})
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if got := madeFields(compiler.Modules)["session.calls_by_tool"]; got != want {
			t.Errorf("%s: %v", body, got)
		}
	}
	if compiler := ast.MustCompileModules(map[string]string{"p.rego": "package p\n\nallow := true\n"}); !madeFields(compiler.Modules)["call.args"] {
		t.Error("the arguments are not made, and so not checked, where no rule looks at them")
	}
	for _, module := range []string{
		"package p\n\nlook := 1 if false else := input.session if true\n",
		"package p\n\nlook contains input.session.calls_by_tool\n",
		"package p\n\ndefault look := 1\n\nlook := input\n",
		"package p\n\nlook[input.session.calls_by_tool.x] := 1\n",
		"package p\n\nimport input.session as s\n\nlook := s.calls_by_tool\n",
	} {
		compiler, err := ast.CompileModules(map[string]string{"look.rego": module})
		if err != nil {
			t.Fatalf("%s: %v", module, err)
		}
		if !madeFields(compiler.Modules)["session.calls_by_tool"] {
			t.Errorf("not seen in %s", module)
		}
	}
}

// madeFields lists the fields of the document that is made for these modules.
func madeFields(modules map[string]*ast.Module) map[string]bool {
	d := wholeDocument.seenBy(modules)
	made := map[string]bool{}
	addNames(made, "", d.request)
	addNames(made, "tool.", d.tool)
	addNames(made, "call.", d.call)
	addNames(made, "run.", d.run)
	addNames(made, "session.", d.session)
	addNames(made, "principal.", d.principal)
	return made
}

func addNames[T any](made map[string]bool, of string, fields []field[T]) {
	for _, f := range fields {
		made[of+strings.Trim(f.name.String(), `"`)] = true
	}
}

// A decision with the built-in pack makes what the pack looks at and nothing else: not the calls
// by tool, of which there may be thousands.
func TestOfTheDocumentThatIsMadeWhichRulesLookAt(t *testing.T) {
	p, err := load(t.Context(), Source{FS: policies.FS}, loadOptions{config: &Config{}})
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(maps.Keys(madeFields(p.compiler.Modules)))
	want := []string{
		"call", "call.args", "call.args_bytes", "call.rules", "call.violations", "run", "run.calls",
		"session", "session.label_sources", "session.labels",
		"tool", "tool.id", "tool.known", "tool.name", "tool.private", "tool.server",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
