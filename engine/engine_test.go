package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
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
	for _, rego := range []string{`visible := "yes"`, `visible if input.call.args.never`, `visible := 1`, `visible contains true`} {
		e, err := New(t.Context(), Options{Policy: files("p.rego", "package codemode\ndecision := true\n"+rego)})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.Visible(t.Context(), []Tool{{ID: "a/b"}}); err == nil || got != nil || !strings.Contains(err.Error(), `"a/b"`) {
			t.Errorf("%s: %v %v", rego, got, err)
		}
	}
}

// taughtFamily is the family that the dispatcher's comment teaches to write.
func taughtFamily(t *testing.T) string {
	t.Helper()
	main, err := fs.ReadFile(policies.FS, "codemode/main.rego")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(main)) {
		code, ok := strings.CutPrefix(line, "#     ")
		switch {
		case ok && (len(lines) > 0 || strings.HasPrefix(code, "package ")):
			lines = append(lines, code)
		case len(lines) > 0 && line == "#\n":
			lines = append(lines, "\n")
		case len(lines) > 0:
			return strings.Join(lines, "")
		}
	}
	t.Fatal("the comment teaches nothing")
	return ""
}

// Somebody copies the pack and adds a directory with what its first comment teaches. Nothing
// else has to be touched.
func TestAFamilyOfOnesOwnIsPickedUp(t *testing.T) {
	pack := packWith(t, "codemode/rules/freeze/freeze.rego", taughtFamily(t))
	if err := Check(t.Context(), Source{FS: pack}); err != nil {
		t.Fatal(err)
	}
	e, err := New(t.Context(), Options{Policy: pack, Config: packConfig()})
	if err != nil {
		t.Fatal(err)
	}
	r := packRequest()
	if d := e.Decide(t.Context(), r); !slices.Equal(codes(d), []string{"frozen"}) {
		t.Errorf("%+v", d)
	}
	id := r.Tool.ID
	r.Tool.ID = "production/status" // which the family lists
	if d := e.Decide(t.Context(), r); !d.Allow {
		t.Errorf("%+v", d)
	}
	r.Tool.ID = id
	got, err := Eval(t.Context(), Source{FS: pack, Name: "mine"}, packConfig(), marshal(t, r))
	if err != nil {
		t.Fatal(err)
	}
	want := `refused
  frozen: production is frozen: only read from it
rules that held
  allowlist.grant (mine/codemode/rules/allowlist/allowlist.rego:10): A listed tool may be called
  freeze.deny (mine/codemode/rules/freeze/freeze.rego:6): Production is only read from
`
	if text := got.String(); !strings.HasPrefix(text, want) {
		t.Error(cmp.Diff(want, text))
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

// Data is kept between decisions; a rule that looks at it `with` something else sees that.
func TestDataCanBeReplacedWhileDeciding(t *testing.T) {
	e, err := New(t.Context(), Options{Policy: files("teams/data.json", `{"blocked": ["a"], "deep": {"x": [1, {"y": 2}]}}`, "p.rego", `package codemode
visible := true
default decision := {"allow": false, "denials": {{"code": "a", "message": "b"}}, "effects": {"labels_add": set()}}
decision := {"allow": true, "denials": set(), "effects": {"labels_add": set()}} if {
	data.teams.blocked == ["a"]
	_blocked == set() with data.teams.blocked as []
	_blocked == {"b"} with data.teams as {"blocked": ["b"]}
	_blocked == {"a"}
	data.teams.deep.x[1].y == 2
	not data.teams.deep.x[2]
	not data.nothing
	{k | data.teams[k]} == {"blocked", "deep"}
}
_blocked := {b | some b in data.teams.blocked}
`)})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if d := e.Decide(t.Context(), packRequest()); !d.Allow {
			t.Errorf("%+v", d)
		}
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
