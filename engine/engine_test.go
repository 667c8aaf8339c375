package engine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

// files makes a tree of name, content, name, content …
func files(pairs ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return m
}

// packWith is the built-in pack with files added or replaced.
func packWith(t testing.TB, pairs ...string) fstest.MapFS {
	t.Helper()
	m := files(pairs...)
	err := fs.WalkDir(policies.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || m[name] != nil {
			return err
		}
		data, err := fs.ReadFile(policies.FS, name)
		m[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

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
		{`decision := ` + yes + ` if input.never`, "undefined for this input"},
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
		var log bytes.Buffer
		e, err := New(t.Context(), Options{
			Policy: files("p.rego", "package codemode\nvisible := true\n"+c.rego),
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Errorf("%s: %v", c.rego, err)
			continue
		}
		d := e.Decide(t.Context(), packRequest())
		if diff := cmp.Diff(refuse(e.Revision()), d); diff != "" {
			t.Errorf("%s: %s", c.rego, diff)
		}
		if text := strings.ReplaceAll(log.String(), `\"`, `"`); !strings.Contains(text, c.want) || !strings.Contains(text, "tracker/create_issue") {
			t.Errorf("%s: the log does not say %q:\n%s", c.rego, c.want, text)
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
	{"code": "arguments_too_large", "message": concat("", ["ü" | some _ in numbers.range(1, 600)])},
]}`)})
	if err != nil {
		t.Fatal(err)
	}
	d := e.Decide(t.Context(), packRequest())
	want := []Denial{
		{"tool_not_allowed", "t"}, {"arguments_too_large", strings.Repeat("ü", 499) + "…"}, {"arguments_invalid", "i"},
		{"rule_not_met", "r"}, {"budget_exhausted", "u"}, {"private_data", "p"}, {"alpha", "a"}, {"alpha", "b"}, {"zeta", "z"},
	}
	if diff := cmp.Diff(want, d.Denials); diff != "" {
		t.Error(diff)
	}
}

func TestTheZeroDecisionDenies(t *testing.T) {
	if (Decision{}).Allow {
		t.Error("it allows")
	}
	if d := newPack(t).Decide(t.Context(), nil); d.Allow || codes(d)[0] != CodePolicyError {
		t.Errorf("no request: %+v", d)
	}
	if d := newPack(t).Decide(t.Context(), &Request{}); d.Allow {
		t.Errorf("an empty request: %+v", d)
	}
}

func TestArgumentsThatAreNoJSONDeny(t *testing.T) {
	deep := any("x")
	for range maxArgsDepth + 1 {
		deep = []any{deep}
	}
	for name, args := range map[string]any{
		"a Go int": 5, "a float": 1.5, "a struct": struct{}{}, "a typed map": map[string]string{}, "bytes": []byte("x"),
		"too deep": deep, "a number that is none": map[string]any{"n": json.Number("0x10")}, "an empty number": json.Number(""),
		"a channel in a list": []any{make(chan int)},
	} {
		r := packRequest()
		r.Call.Args = args
		if d := newPack(t).Decide(t.Context(), r); d.Allow || codes(d)[0] != CodePolicyError {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestNumbersAreNumbersAsJSONWritesThem(t *testing.T) {
	for _, text := range []string{"0", "-0", "1", "10", "-1.5", "0.10", "1e5", "1E+5", "1.5e-10", "123456789012345678901234567890"} {
		if !isNumber(text) || !json.Valid([]byte(text)) {
			t.Errorf("%s is refused", text)
		}
	}
	for _, text := range []string{"", "-", "01", "1.", ".5", "1e", "1e+", "+1", "1 ", " 1", "0x1", "NaN", "Infinity", "1_000", "--1", "1.5.5"} {
		if isNumber(text) || json.Valid([]byte(text)) && text != "1 " && text != " 1" {
			t.Errorf("%q is taken", text)
		}
	}
}

// The deadline holds against a policy that would go on for ever.
func TestADecisionThatTakesTooLongDenies(t *testing.T) {
	e, err := New(t.Context(), Options{Timeout: 50 * time.Millisecond, Policy: files("p.rego", `package codemode
visible := true
decision := {"allow": true, "denials": set(), "effects": {"labels_add": set()}} if {
	every x in numbers.range(1, 20000) { every y in numbers.range(1, 20000) { x * y > 0 } }
}`)})
	if err != nil {
		t.Fatal(err)
	}
	if d := e.Decide(t.Context(), packRequest()); d.Allow || codes(d)[0] != CodePolicyError {
		t.Errorf("%+v", d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if d := newPack(t).Decide(ctx, packRequest()); d.Allow || codes(d)[0] != CodePolicyError {
		t.Errorf("with its context gone: %+v", d)
	}
	if _, err := newPack(t).Visible(ctx, []Tool{{ID: "a/b"}}); err == nil {
		t.Error("visible: no error with its context gone")
	}
}

func TestManyDecideAtOnce(t *testing.T) {
	e := newPack(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 100 {
				r := packRequest()
				r.Run.Calls = int64(i*3 + 1)
				if d := e.Decide(t.Context(), r); d.Allow != (r.Run.Calls <= 200) {
					t.Errorf("call %d: %+v", r.Run.Calls, d)
				}
			}
		})
	}
	wg.Wait()
}

func TestVisibleWantsTrueOrFalse(t *testing.T) {
	for _, rego := range []string{`visible := "yes"`, `visible if input.never`, `visible := 1`, `visible contains true`} {
		e, err := New(t.Context(), Options{Policy: files("p.rego", "package codemode\ndecision := true\n"+rego)})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.Visible(t.Context(), []Tool{{ID: "a/b"}}); err == nil || got != nil || !strings.Contains(err.Error(), `"a/b"`) {
			t.Errorf("%s: %v %v", rego, got, err)
		}
	}
}

// Somebody copies the pack and adds a directory. Nothing else has to be touched.
func TestAFamilyOfOnesOwnIsPickedUp(t *testing.T) {
	const freeze = `package codemode.rules.freeze

# METADATA
# title: Nothing is deleted on production
# custom:
#   code: frozen
deny contains {"code": "frozen", "message": "production is frozen: only read from it"} if not _proved_harmless

_proved_harmless if input.tool.annotations.readOnlyHint == true
`
	pack := packWith(t, "codemode/rules/freeze/freeze.rego", freeze)
	e, err := New(t.Context(), Options{Policy: pack, Config: packConfig()})
	if err != nil {
		t.Fatal(err)
	}
	r := packRequest()
	if d := e.Decide(t.Context(), r); !slices.Equal(codes(d), []string{"frozen"}) {
		t.Errorf("%+v", d)
	}
	r.Tool.Annotations["readOnlyHint"] = true
	if d := e.Decide(t.Context(), r); !d.Allow {
		t.Errorf("%+v", d)
	}
	r.Tool.Annotations = nil
	got, err := Eval(t.Context(), Source{FS: pack, Name: "mine"}, packConfig(), marshal(t, r))
	if err != nil {
		t.Fatal(err)
	}
	want := `refused
  frozen: production is frozen: only read from it
rules that held
  allowlist.grant (mine/codemode/rules/allowlist/allowlist.rego:10): A listed tool may be called
  freeze.deny (mine/codemode/rules/freeze/freeze.rego:7): Nothing is deleted on production
  private.labels_add`
	if text := got.String(); !strings.HasPrefix(text, want[:strings.LastIndex(want, "\n")]) {
		t.Error(cmp.Diff(want, text))
	}
	if !slices.Equal(got.Decision.Rules, []string{"allowlist.grant", "freeze.deny"}) {
		t.Errorf("%v", got.Decision.Rules)
	}
}

func TestPoliciesThatDoNotLoadSayWhere(t *testing.T) {
	const ok = "package codemode\ndecision := {}\nvisible := true\n"
	for _, c := range []struct {
		name   string
		policy fs.FS
		want   []string
	}{
		{"nothing in it", files(), []string{"no .rego file in it"}},
		{"only tests", files("a_test.rego", "package a_test"), []string{"no .rego file in it"}},
		{"no entrypoints", files("a.rego", "package codemode\nallow := true"), []string{"does not define the entrypoint data.codemode.decision"}},
		{"one entrypoint", files("a.rego", "package codemode\ndecision := {}"), []string{"does not define the entrypoint data.codemode.visible"}},
		{"misspelt entrypoint", files("a.rego", "package codemode\ndecison := {}\nvisible := true"), []string{"data.codemode.decision"}},
		{"syntax", files("a.rego", ok, "b/c.rego", "package b\n\nx := ["), []string{"mine/b/c.rego:3: rego_parse_error"}},
		{"Rego v0", files("a.rego", "package codemode\ndecision = {}\nvisible { true }"), []string{"mine/a.rego:3: rego_parse_error", "`if` keyword is required"}},
		{"Rego v0 by manifest", files(".manifest", `{"rego_version": 0}`, "a.rego", "package codemode\ndecision = {}\nvisible = true"), []string{"a.rego: written in Rego v0"}},
		{"two errors", files("a.rego", ok+"x := nada(1)\nz := nope(1)"), []string{"loading the policy \"mine\":\n  mine/a.rego:4: rego_type_error: undefined function nada\n  mine/a.rego:5: rego_type_error: undefined function nope"}},
		{"strict", files("a.rego", ok+"f(x) if { y := 1 }"), []string{"mine/a.rego:4: rego_compile_error: assigned var y unused"}},
		{"http.send", files("a.rego", ok+`x := http.send({"method": "get", "url": "http://localhost"})`), []string{"mine/a.rego:4: rego_type_error: undefined function http.send"}},
		{"opa.runtime", files("a.rego", ok+`x := opa.runtime().env`), []string{"undefined function opa.runtime"}},
		{"the clock", files("a.rego", ok+`x := time.now_ns()`), []string{"undefined function time.now_ns"}},
		{"two packages meet", files("a.rego", ok, "b.rego", "package codemode.decision\nx := 1"), []string{"conflicts with"}},
		{"data meets a rule", files("a.rego", ok, "codemode/data.json", `{"visible": true}`), []string{"conflicting rule for data path codemode/visible"}},
		{"data that is no JSON", files("a.rego", ok, "x/data.json", `{`), []string{"x/data.json"}},
		{"data twice", files("a.rego", ok, "x/data.json", `{"a": 1}`, "x/data.yaml", `a: 2`), []string{"x/data.yaml"}},
		{"a root that is left", files(".manifest", `{"roots": ["other"]}`, "a.rego", ok), []string{"manifest roots [other] do not permit"}},
		{"rules for the config", files("a.rego", ok, "b.rego", "package codemode.config\nlimits := {}"), []string{"mine/b.rego:2", "data.codemode.config comes from the flags"}},
		{"a rule named config", files("a.rego", ok+`config := {"limits": {"calls_per_run": 1000000}}`), []string{"mine/a.rego:4", "data.codemode.config comes from the flags"}},
		{"a rule below config", files("a.rego", ok+`config.limits.calls_per_run := 1000000`), []string{"mine/a.rego:4", "data.codemode.config comes from the flags"}},
		{"a family from outside", files("a.rego", ok+`rules.mine.grant := true`), []string{"mine/a.rego:4: a family's rules are in a package of its own"}},
		{"a misspelt deny", files("a.rego", ok, "b.rego", "package codemode.rules.mine\n\ndenny contains {} if true"), []string{`mine/b.rego:3: rule "denny": a family says deny, grant, labels_add, visible; start the name with _ if it is your own`}},
		{"a deny that is no set", files("a.rego", ok, "b.rego", "package codemode.rules.mine\n\ndeny if true"), []string{"mine/b.rego:3: rule \"deny\": write it as `deny contains … if …`"}},
		{"a deny that is an object", files("a.rego", ok, "b.rego", "package codemode.rules.mine\n\ndeny[\"x\"] := 1 if true"), []string{"write it as `deny contains … if …`"}},
		{"a deny below deny", files("a.rego", ok, "b.rego", "package codemode.rules.mine\n\ndeny.x contains 1"), []string{"write it as `deny contains … if …`"}},
		{"a grant that is a set", files("a.rego", ok, "b.rego", "package codemode.rules.mine\n\ngrant contains true"), []string{"write it as `grant if …`"}},
		{"a grant that is a function", files("a.rego", ok, "b.rego", "package codemode.rules.mine\n\ngrant(x) if x"), []string{"write it as `grant if …`"}},
		{"a family too deep", files("a.rego", ok, "b.rego", "package codemode.rules.team.mine\n\ndeny contains 1"), []string{"mine/b.rego:1", "one level below codemode.rules"}},
		{"a family too high", files("a.rego", ok, "b.rego", "package codemode.rules\n\ndeny contains 1"), []string{"one level below codemode.rules"}},
		{"data that grants", files("a.rego", ok, "codemode/rules/mine/data.json", `{"grant": true}`), []string{"data.codemode.rules.mine.grant: data can not say grant"}},
		{"a family that is data", files("a.rego", ok, "codemode/rules/data.json", `{"mine": 5}`), []string{"data.codemode.rules.mine"}},
		{"a schema that is none", files("a.rego", ok, "schemas/input.json", `{`), []string{"schemas/input.json"}},
		{"a field the schema has not", packWith(t, "codemode/rules/mine/mine.rego", "package codemode.rules.mine\n\ngrant if input.tool.nmae == \"x\""), []string{"mine/codemode/rules/mine/mine.rego:3: rego_type_error: undefined ref: input.tool.nmae"}},
		{"a limit the config has not", packWith(t, "codemode/rules/mine/mine.rego", "package codemode.rules.mine\n\ngrant if data.codemode.config.limits.calls > 1"), []string{"undefined ref: data.codemode.config.limits.calls"}},
		{"capabilities that are none", files("a.rego", ok, "capabilities.json", `[`), []string{"capabilities.json"}},
		{"capabilities for any host", files("a.rego", ok, "capabilities.json", `{"builtins": []}`), []string{`capabilities.json must say "allow_net": []`}},
		{"capabilities for a host", files("a.rego", ok, "capabilities.json", `{"allow_net": ["a.test"]}`), []string{`"allow_net": []`}},
		{"capabilities with null", files("a.rego", ok, "capabilities.json", `{"builtins": [null], "allow_net": []}`), []string{`allows the builtin "null"`}},
		{"capabilities with http.send", files("a.rego", ok, "capabilities.json", `{"builtins": [{"name": "http.send"}], "allow_net": []}`), []string{`allows the builtin "http.send"`}},
		{"capabilities that redefine", files("a.rego", ok, "capabilities.json", `{"builtins": [{"name": "plus", "decl": {"type": "function"}}], "allow_net": []}`), []string{`allows the builtin "plus"`}},
		{"capabilities with a feature", files("a.rego", ok, "capabilities.json", `{"features": ["rego_v9"], "allow_net": []}`), []string{`unknown feature "rego_v9"`}},
		{"capabilities with a keyword", files("a.rego", ok, "capabilities.json", `{"future_keywords": ["soon"], "allow_net": []}`), []string{`unknown keyword "soon"`}},
		{"capabilities narrower than the rules", files("a.rego", ok+`x := upper("a")`, "capabilities.json", `{"features": ["rego_v1"], "allow_net": []}`), []string{"undefined function upper"}},
		{"a file too large", files("a.rego", ok, "x/data.json", strings.Repeat(" ", maxPolicyFile+1)), []string{`"x/data.json" is larger than`}},
	} {
		_, err := New(t.Context(), Options{Policy: c.policy, Name: "mine"})
		var load *LoadError
		if !errors.As(err, &load) {
			t.Errorf("%s: got %v, want a LoadError", c.name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s:\n got %v\nwant …%s…", c.name, err, want)
			}
		}
	}
}

func TestNeitherOrBothSourcesIsAnError(t *testing.T) {
	for _, opts := range []Options{{}, {Policy: policies.FS, Bundle: "x.tar.gz"}} {
		if _, err := New(t.Context(), opts); err == nil {
			t.Errorf("%v loads", opts)
		}
	}
}

func TestTheConfigWinsOverThePolicysOwn(t *testing.T) {
	var log bytes.Buffer
	pack := packWith(t, "codemode/config/data.json", `{"servers": {"tracker": {"allow": "*", "private": {}, "rules": {}}}, "limits": {"calls_per_run": 9999, "argument_bytes": 9999}}`)
	e, err := New(t.Context(), Options{Policy: pack, Config: Config{}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if d := e.Decide(t.Context(), packRequest()); d.Allow {
		t.Errorf("%+v", d)
	}
	if !strings.Contains(log.String(), "data.codemode.config is not used") {
		t.Errorf("nobody is told: %s", &log)
	}
}

func TestDataOfOnesOwnIsRead(t *testing.T) {
	e, err := New(t.Context(), Options{Config: packConfig(), Policy: packWith(t,
		"teams/data.yaml", "blocked: [tracker]",
		"codemode/rules/teams/data.json", `{"why": "teams says no"}`,
		"codemode/rules/teams/teams.rego", "package codemode.rules.teams\n\ndeny contains {\"code\": \"team\", \"message\": data.codemode.rules.teams.why} if input.tool.server in data.teams.blocked",
		"notes/other.json", `{"not": "data"}`, "README.md", "hello", ".git/data.json", `{"visible": 1}`,
	)})
	if err != nil {
		t.Fatal(err)
	}
	if d := e.Decide(t.Context(), packRequest()); !cmp.Equal(d.Denials, []Denial{{"team", "teams says no"}}) {
		t.Errorf("%+v", d)
	}
}

func TestTheRevisionNamesWhatDecides(t *testing.T) {
	revision := func(config Config, pairs ...string) string {
		e, err := New(t.Context(), Options{Policy: packWith(t, pairs...), Config: config})
		if err != nil {
			t.Fatal(err)
		}
		return e.Revision()
	}
	base := revision(packConfig())
	if base != revision(packConfig()) {
		t.Error("it changes by itself")
	}
	if base != revision(packConfig(), "codemode/more_test.rego", "package codemode_test", "x.txt", "x") {
		t.Error("it changes with what decides nothing")
	}
	other := packConfig()
	other.Limits.CallsPerRun = 7
	seen := []string{base, revision(other), revision(packConfig(), "x/data.json", "{}"), revision(packConfig(), "x.rego", "package x"), revision(packConfig(), ".manifest", `{"revision": "v1"}`)}
	if len(slices.Compact(slices.Sorted(slices.Values(seen)))) != len(seen) {
		t.Errorf("two policies have one revision: %v", seen)
	}
	if !strings.HasPrefix(seen[4], "v1@sha256:") {
		t.Errorf("%s does not say v1", seen[4])
	}
}

// archive makes a .tar.gz of headers and contents.
func archive(t *testing.T, entries ...tar.Header) string {
	t.Helper()
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	tw := tar.NewWriter(zw)
	for _, h := range entries {
		body := h.Linkname
		h.Size, h.Mode = int64(len(body)), 0o600
		if h.Typeflag != tar.TypeSymlink {
			h.Linkname = ""
		} else {
			h.Size = 0
		}
		if err := tw.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := tw.Write([]byte(body)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(tw.Close(), zw.Close()); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "bundle.tar.gz")
	if err := os.WriteFile(name, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestBundlesAreBoundedAndHoldOnlyFiles(t *testing.T) {
	const ok = "package codemode\ndecision := {\"allow\": true, \"denials\": [], \"effects\": {\"labels_add\": []}}\nvisible := true\n"
	file := func(name, body string) tar.Header {
		return tar.Header{Typeflag: tar.TypeReg, Name: name, Linkname: body}
	}
	good := archive(t, file("/policies/a.rego", ok), file("../../x/data.json", `{"a": 1}`), tar.Header{Typeflag: tar.TypeSymlink, Name: "b.rego", Linkname: "/etc/passwd"})
	e, err := New(t.Context(), Options{Bundle: good})
	if err != nil {
		t.Fatal(err)
	}
	if d := e.Decide(t.Context(), packRequest()); !d.Allow {
		t.Errorf("%+v", d)
	}
	tooMany := make([]tar.Header, maxPolicyFiles+1)
	for i := range tooMany {
		tooMany[i] = file(fmt.Sprintf("%d.rego", i), "package x")
	}
	bomb := make([]tar.Header, 2*maxPolicyBytes/maxPolicyFile+1)
	for i := range bomb {
		bomb[i] = file(fmt.Sprintf("%d.txt", i), strings.Repeat(" ", maxPolicyFile))
	}
	large := make([]tar.Header, maxPolicyBytes/maxPolicyFile+1)
	for i := range large {
		large[i] = file(fmt.Sprintf("%d/data.json", i), strings.Repeat(" ", maxPolicyFile))
	}
	notGzip := filepath.Join(t.TempDir(), "x.tar.gz")
	if err := os.WriteFile(notGzip, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ bundle, want string }{
		{notGzip, "reading it as .tar.gz"},
		{filepath.Join(t.TempDir(), "none.tar.gz"), "no such file"},
		{archive(t, file("a.rego", ok), file("./a.rego", ok)), `"a.rego" is in it twice`},
		{archive(t, file("a.rego", strings.Repeat(" ", maxPolicyFile+1))), "larger than"},
		{archive(t, tooMany...), "more than 4096 files"},
		{archive(t, large...), "all files together are larger than"},
		{archive(t, bomb...), "reading it as .tar.gz"},
	} {
		var load *LoadError
		if _, err := New(t.Context(), Options{Bundle: c.bundle}); !errors.As(err, &load) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestOpenTellsDirectoriesFromBundles(t *testing.T) {
	dir := t.TempDir()
	bundle := filepath.Join(dir, "b.tar.gz")
	if err := os.WriteFile(bundle, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(dir); err != nil || s.FS == nil || s.Bundle != "" || s.Name != dir {
		t.Errorf("%+v %v", s, err)
	}
	if s, err := Open(bundle); err != nil || s.FS != nil || s.Bundle != bundle {
		t.Errorf("%+v %v", s, err)
	}
	for _, name := range []string{filepath.Join(dir, "none"), os.DevNull} {
		if _, err := Open(name); err == nil {
			t.Errorf("%s opens", name)
		}
	}
}
