package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/util"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

// indifferent lists what the built-in pack does not look at when it allows a call: it tells
// more to policies of one's own, and to the log.
var indifferent = []string{
	"/hook", "/tool/id", "/tool/labels", "/tool/annotations", "/tool/definition_sha256",
	"/call/id", "/call/seq",
	"/run/id", "/run/code_sha256", "/run/in_flight", "/run/elapsed_ms",
	"/session/id", "/session/label_sources", "/session/calls", "/session/calls_by_tool",
	"/principal", "/time_ns",
}

// enough says for every other field which values still let the call go out.
var enough = map[string]func(any) bool{
	"/tool/known":        func(v any) bool { return v == true },
	"/tool/private":      func(v any) bool { _, ok := v.(bool); return ok },
	"/tool/server":       func(v any) bool { return v == "tracker" },
	"/tool/name":         func(v any) bool { return v == "create_issue" },
	"/call/args":         func(v any) bool { _, ok := v.(map[string]any); return ok },
	"/call/args/title":   func(any) bool { return true },
	"/call/args_bytes":   func(v any) bool { return between(v, 0, 16384) },
	"/call/violations":   func(v any) bool { list, ok := v.([]any); return ok && len(list) == 0 },
	"/call/rules/0/ok":   func(v any) bool { return v == true },
	"/run/calls":         func(v any) bool { return between(v, 1, 200) },
	"/session/labels":    func(v any) bool { list, ok := v.([]any); return ok && !slices.Contains(list, any("private")) },
	"/call/rules/0/rule": func(v any) bool { return v == "size(args.title) <= 200" },
}

func between(v any, low, high float64) bool {
	n, ok := v.(json.Number)
	if !ok {
		return false
	}
	f, err := n.Float64()
	return err == nil && low <= f && f <= high
}

// fine reports whether a call may still go out with this value at this place; deleted is nil, false.
func fine(path string, value any, present bool) bool {
	for _, p := range indifferent {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	if path == "/call/args/title" {
		return true // the schema and the rules look at it, and come as facts
	}
	if !present {
		return false
	}
	ok := enough[path]
	return ok != nil && ok(value)
}

// paths lists every place in a document.
func paths(doc any, at string) []string {
	var out []string
	switch v := doc.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out = append(append(out, at+"/"+k), paths(v[k], at+"/"+k)...)
		}
	case []any:
		for i := range v {
			p := fmt.Sprintf("%s/%d", at, i)
			out = append(append(out, p), paths(v[i], p)...)
		}
	}
	return out
}

// put returns the document with one place changed or taken away.
func put(doc any, path []string, value any, present bool) any {
	if len(path) == 0 {
		return value
	}
	switch v := doc.(type) {
	case map[string]any:
		v = maps.Clone(v)
		if len(path) == 1 && !present {
			delete(v, path[0])
		} else {
			v[path[0]] = put(v[path[0]], path[1:], value, present)
		}
		return v
	case []any:
		v = slices.Clone(v)
		if len(path) == 1 && !present {
			return v[1:]
		}
		v[0] = put(v[0], path[1:], value, present)
		return v
	}
	return doc
}

// propertyCase asks the pack about raw documents, which a Go type could not hold.
func propertyCase(t testing.TB) (document any, allows func(context.Context, any) bool) {
	t.Helper()
	config := packConfig()
	p, err := load(t.Context(), Source{FS: policies.FS}, loadOptions{config: &config})
	if err != nil {
		t.Fatal(err)
	}
	query, err := p.prepare(t.Context(), decisionPath)
	if err != nil {
		t.Fatal(err)
	}
	if err := util.UnmarshalJSON(marshal(t, packRequest()), &document); err != nil {
		t.Fatal(err)
	}
	return document, func(ctx context.Context, doc any) bool {
		deadline := newDeadline(ctx, time.Minute)
		defer deadline.release()
		answer, err := evaluate(deadline, query, ast.MustInterfaceToValue(doc))
		if err != nil {
			return false
		}
		d, err := readDecision(answer)
		return err == nil && d.Allow
	}
}

// noDeadline is that of a decision that may take as long as the test.
func noDeadline(t *testing.T) *deadline {
	return &deadline{stop: topdown.NewCancel(), ctx: t.Context()}
}

// Change any one field of a call that is allowed into anything, or leave it out: the call is
// refused, unless the value is one that proves as much, or nobody looks at the field.
func TestNoFieldOfTheWrongTypeAllows(t *testing.T) {
	document, allows := propertyCase(t)
	if !allows(t.Context(), document) {
		t.Fatal("the call to begin with is refused")
	}
	var values []any
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `1`, `-1`, `200`, `201`, `16385`, `1e300`, `-1e300`, `0.5`, `""`, `"1"`, `"true"`, `"*"`, `"private"`,
		`[]`, `[true]`, `[null]`, `["private"]`, `["a"]`, `[[]]`, `{}`, `{"private": true}`, `{"0": true}`, `{"ok": true}`,
	} {
		var value any
		if err := util.UnmarshalJSON([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		values = append(values, value)
	}
	for _, path := range paths(document, "") {
		parts := strings.Split(path[1:], "/")
		if got, want := allows(t.Context(), put(document, parts, nil, false)), fine(path, nil, false); got != want {
			t.Errorf("without %s: allowed %v, want %v", path, got, want)
		}
		for _, value := range values {
			if got, want := allows(t.Context(), put(document, parts, value, true)), fine(path, value, true); got != want {
				t.Errorf("%s = %s: allowed %v, want %v", path, marshal(t, value), got, want)
			}
		}
	}
	for _, value := range values {
		if allows(t.Context(), value) {
			t.Errorf("the whole input %s is allowed", marshal(t, value))
		}
	}
}

func FuzzNoFieldOfTheWrongTypeAllows(f *testing.F) {
	document, allows := propertyCase(f)
	all := paths(document, "")
	for i := range all {
		f.Add(uint(i), `null`)
		f.Add(uint(i), `"1"`)
	}
	f.Add(uint(0), `[{"rule": "size(args.title) <= 200", "ok": true}]`)
	f.Fuzz(func(t *testing.T, at uint, text string) {
		var value any
		if err := util.UnmarshalJSON([]byte(text), &value); err != nil {
			t.Skip()
		}
		path := all[at%uint(len(all))]
		if path == "/call" || path == "/tool" || path == "/run" || path == "/session" || path == "/call/rules" || path == "/call/rules/0" {
			t.Skip() // a whole part may be put back as it was
		}
		if allows(t.Context(), put(document, strings.Split(path[1:], "/"), value, true)) && !fine(path, value, true) {
			t.Errorf("%s = %s is allowed", path, text)
		}
	})
}

// The input is built without JSON. However a policy looks at it, it sees what it would see of
// a document read from JSON, and leaves the document as it was.
func TestHoweverAPolicyLooksItSeesTheDocument(t *testing.T) {
	for name, r := range shapesOfRequests() {
		if r.Session.CallsByTool == nil {
			r.Session.CallsByTool = map[string]int64{"notes/search": 1}
		}
		var document any
		if err := util.UnmarshalJSON(marshal(t, r), &document); err != nil {
			t.Fatal(err)
		}
		want := ast.MustInterfaceToValue(document)
		for _, query := range []string{
			`input`, `input.session`, `input.session.calls_by_tool["notes/search"]`, `input.session.calls_by_tool.absent`,
			`[[k, n] | n := input.session.calls_by_tool[k]]`, `sum([n | some n in input.session.calls_by_tool])`,
			`count(input.session.calls_by_tool)`, `object.keys(input.session)`, `"notes/search" in object.keys(input.session.calls_by_tool)`,
			`object.get(input, ["session", "calls_by_tool", "notes/search"], 0)`, `json.marshal(input)`,
			`[[p, v] | walk(input, [p, v])]`, `{input.session, input.session}`, `{input.session: 1}`,
			`object.union(input.session, {"id": "other", "calls_by_tool": {"x": 1}})`, `object.remove(input, ["call"])`,
			`object.filter(input.session, ["calls_by_tool"])`, `json.filter(input, ["session/calls_by_tool"])`,
			`json.patch(input, [{"op": "add", "path": "/session/calls_by_tool/x", "value": 1}])`, `json.remove(input, ["/session/id"])`,
			`object.subset(input, {"session": {"calls": input.session.calls}})`, `[is_object(input), is_object(input.session.calls_by_tool)]`,
			`[input.session.calls_by_tool == {"notes/search": 1}, input.session < input.run, type_name(input.session)]`,
			`[input.session.calls, input.session.labels, input.tool.id]`, `[x | some x in [1]; input.session.calls >= 0]`,
			`x if { s := input.session; x := s.calls_by_tool }`, `x if { some k; x := input[k].calls_by_tool }`,
			`x if { k := concat("_by_", ["calls", "tool"]); x := input.session[k] }`, `x if x := _of(input)`, `x if x := _of({"session": input.session})`,
			`x if { x := input.session.calls_by_tool with input.session.calls_by_tool as {"x": 1} }`,
			`x if { x := input.session.calls_by_tool with input.call as {} }`, `x if { every k, v in input { k != v }; x := 1 }`,
		} {
			module := fmt.Sprintf("package look\n\nanswer := %s\n\n_of(document) := document.session.calls_by_tool\n", query)
			compiler, err := ast.CompileModules(map[string]string{"look.rego": module})
			if err != nil {
				t.Fatal(err)
			}
			q, err := rego.New(rego.Query("data.look.answer"), rego.Compiler(compiler), rego.StrictBuiltinErrors(true)).PrepareForEval(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			seen, err := wholeDocument.seenBy(compiler.Modules).value(noDeadline(t), r)
			if err != nil {
				t.Fatal(err)
			}
			before := seen.String()
			got, gotErr := q.Eval(t.Context(), rego.EvalParsedInput(seen))
			wanted, wantErr := q.Eval(t.Context(), rego.EvalParsedInput(want))
			if diff := cmp.Diff(wanted, got); diff != "" || gotErr != nil || wantErr != nil {
				t.Errorf("%s: %s: %v, %v: %s", name, query, gotErr, wantErr, diff)
			}
			if seen.String() != before {
				t.Errorf("%s: %s changed the document: %s", name, query, seen)
			}
		}
	}
}

// What the policy sees of the arguments is what the log says of them, whatever they are.
func FuzzSeenEqualsLogged(f *testing.F) {
	for _, seed := range []string{`null`, `{"a": [1, 1.0, 1e2, -0, {"b": "\u2028<"}]}`, `[[[[]]]]`, `123456789012345678901234567890.5e-7`, `{"": {"": ""}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		args, err := strictjson.Decode(text, strictjson.Bounds{}) // as the wire does: no number is out of bounds
		if err != nil {
			t.Skip()
		}
		r := packRequest()
		r.Call.Args = args
		seen, err := wholeDocument.value(noDeadline(t), r)
		if err != nil {
			t.Skip() // too deep
		}
		var logged any
		if err := util.UnmarshalJSON(marshal(t, r), &logged); err != nil {
			t.Fatal(err)
		}
		if want := ast.MustInterfaceToValue(logged); seen.String() != want.String() {
			t.Errorf("seen   %s\nlogged %s", seen, want)
		}
	})
}
