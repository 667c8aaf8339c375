package engine

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/util"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// shapesOfRequests are requests with everything empty, everything filled, and arguments of every kind.
func shapesOfRequests() map[string]*Request {
	full := packRequest()
	full.Tool.Labels = []string{"pii", "slow"}
	full.Call.Violations = []Violation{{Path: "/a/0", Message: "no"}, {}}
	full.Call.Rules = append(full.Call.Rules, RuleResult{Rule: "false", OK: false})
	full.Run = Run{ID: "r", CodeSHA256: "00", Calls: 1 << 60, InFlight: 16, ElapsedMS: 89_999}
	full.Session = Session{
		ID: "s", Labels: []string{"private"}, LabelSources: map[string]string{"private": "notes/search"},
		Calls: 1 << 60, CallsByTool: map[string]int64{"notes/search": 3, "a/b/c": 1},
	}
	requests := map[string]*Request{
		"empty": {Hook: HookCall},
		"full":  full,
		"text":  {Hook: HookCall, Tool: Tool{ID: "quote\"/<&>\u2028\x00", Known: true}, Principal: Principal{Client: "ü", Version: "\t"}},
		"visible": {
			Hook: HookVisible, Tool: Tool{ID: "a/b", Server: "a", Name: "b", Known: true, Private: true, Annotations: map[string]bool{"x": true, "y": false}},
		},
	}
	for name, args := range map[string]any{
		"null": nil, "true": true, "false": false, "string": "x", "list": []any{}, "object": map[string]any{},
		"deep":    map[string]any{"a": []any{map[string]any{"b": nil, "c": []any{true, "x", json.Number("1")}}}},
		"numbers": []any{json.Number("0"), json.Number("-1"), json.Number("1.50"), json.Number("1e3"), json.Number("123456789012345678901234567890"), json.Number("0.1e-7")},
	} {
		r := packRequest()
		r.Call.Args = args
		requests["args "+name] = r
	}
	return requests
}

// The published contract, the Go types and what a policy sees are one thing. If they were not, a
// rule written after the schema would read a field that is not there.
func TestARequestIsTheDocumentOfTheSchema(t *testing.T) {
	file, err := fs.ReadFile(policies.FS, "schemas/input.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("input.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("input.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range shapesOfRequests() {
		text := marshal(t, r)
		logged, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(logged); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// What was decided about is what is logged, to the digit.
		seen, err := wholeDocument.value(noDeadline(t), r)
		if err != nil {
			t.Fatal(err)
		}
		var read any
		if err := util.UnmarshalJSON(text, &read); err != nil {
			t.Fatal(err)
		}
		if want := ast.MustInterfaceToValue(read); seen.Compare(want) != 0 || seen.String() != want.String() {
			t.Errorf("%s: the policy saw\n%s\nand the log says\n%s", name, seen, want)
		}
	}
}

func TestTheSchemaNamesExactlyTheFieldsOfTheTypes(t *testing.T) {
	for file, typ := range map[string]reflect.Type{
		"schemas/input.json":           reflect.TypeFor[Request](),
		"schemas/codemode/config.json": reflect.TypeFor[Config](),
	} {
		data, err := fs.ReadFile(policies.FS, file)
		if err != nil {
			t.Fatal(err)
		}
		var schema map[string]any
		if err := json.Unmarshal(data, &schema); err != nil {
			t.Fatal(err)
		}
		sameFields(t, file, schema, typ)
	}
}

func sameFields(t *testing.T, where string, schema map[string]any, typ reflect.Type) {
	t.Helper()
	switch {
	case typ.Kind() == reflect.Pointer:
		sameFields(t, where, schema, typ.Elem())
	case typ == reflect.TypeFor[ToolSet]():
	case typ.Kind() == reflect.Slice:
		sameFields(t, where+"[]", schema["items"].(map[string]any), typ.Elem())
	case typ.Kind() == reflect.Map:
		sameFields(t, where+"{}", schema["additionalProperties"].(map[string]any), typ.Elem())
	case typ.Kind() == reflect.Struct:
		properties := schema["properties"].(map[string]any)
		var tags, always []string
		for _, field := range reflect.VisibleFields(typ) { // those of embedded structs too
			tag, optional := strings.CutSuffix(field.Tag.Get("json"), ",omitempty")
			if field.Anonymous {
				continue
			}
			if tags = append(tags, tag); !optional {
				always = append(always, tag)
			}
			if property, ok := properties[tag].(map[string]any); ok {
				sameFields(t, where+"."+tag, property, field.Type)
			}
		}
		slices.Sort(tags)
		slices.Sort(always)
		var required []string
		names, _ := schema["required"].([]any)
		for _, name := range names {
			required = append(required, name.(string))
		}
		slices.Sort(required)
		if names := slices.Sorted(maps.Keys(properties)); !slices.Equal(names, tags) || !slices.Equal(required, always) || schema["additionalProperties"] != false {
			t.Errorf("%s: the schema has %v, requires %v, and the type has %v, always %v", where, names, required, tags, always)
		}
	default:
		want := map[reflect.Kind]any{reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int64: "integer", reflect.Interface: nil}
		if schema["type"] != want[typ.Kind()] {
			t.Errorf("%s: the schema says %v, the type is %s", where, schema["type"], typ)
		}
	}
}

// A logged decision can be taken again, by Eval and from the log alone.
func TestALoggedInputReplaysToTheSameDecision(t *testing.T) {
	e := newPack(t)
	for name, r := range shapesOfRequests() {
		want := e.Decide(t.Context(), r)
		got, err := Eval(t.Context(), Source{FS: policies.FS}, packConfig(), marshal(t, r))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got.Decision); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What a decision log writes is not escaped for HTML, which would make it six times as long.
func TestRequestsAndDecisionsAreWrittenAsTheyAre(t *testing.T) {
	const text = `<a href="?x&y">`
	for _, v := range []any{
		Request{Call: Call{Args: map[string]any{text: []any{text}}, Violations: []Violation{{text, text}}}, Tool: Tool{ID: text, Labels: []string{text}}},
		&Request{Session: Session{CallsByTool: map[string]int64{text: 1}}},
		Decision{Denials: []Denial{{"no", text}}},
	} {
		var line strings.Builder
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		if got := line.String(); strings.Contains(got, `\u00`) || !strings.Contains(got, `<a href=\"?x&y\">`) {
			t.Errorf("%s", got)
		}
	}
}

func TestADecisionIsWrittenWithoutNulls(t *testing.T) {
	for _, c := range []struct {
		decision Decision
		want     string
	}{
		{Decision{}, `{"allow":false,"denials":[],"effects":{"labels_add":[]},"revision":""}`},
		{
			Decision{Denials: []Denial{{"rule_not_met", "a < b"}}, Effects: Effects{[]string{"private"}}, Revision: "v1"},
			`{"allow":false,"denials":[{"code":"rule_not_met","message":"a < b"}],"effects":{"labels_add":["private"]},"revision":"v1"}`,
		},
	} {
		text, err := c.decision.MarshalJSON()
		if err != nil || strings.TrimSpace(string(text)) != c.want {
			t.Errorf("got %s (%v), want %s", text, err, c.want)
		}
	}
}

func TestTheConfigIsADocumentThatTheSchemaAllows(t *testing.T) {
	text, err := Config{Servers: map[string]ServerConfig{
		"none": {}, "all": {Allow: AllTools(), Private: AllTools()},
		"some": {Allow: SomeTools("b", "a"), Private: SomeTools("a"), Rules: map[string][]string{"a": {"size(args.x) < 1 && args.y > 2"}}},
	}}.Document()
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "codemode": {
    "config": {
      "servers": {
        "all": {
          "allow": "*",
          "private": "*",
          "rules": {}
        },
        "none": {
          "allow": {},
          "private": {},
          "rules": {}
        },
        "some": {
          "allow": {
            "a": true,
            "b": true
          },
          "private": {
            "a": true
          },
          "rules": {
            "a": [
              "size(args.x) < 1 && args.y > 2"
            ]
          }
        }
      },
      "limits": {
        "calls_per_run": 200,
        "argument_bytes": 16384
      }
    }
  }
}
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
	var back struct {
		Codemode struct{ Config Config }
	}
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	again, err := back.Codemode.Config.Document()
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("%v\n%s", err, again)
	}
	for _, bad := range []string{`"all"`, `["a"]`, `null`, `{"a": "true"}`, `5`} {
		if err := new(ToolSet).UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%s is taken for a set of tools", bad)
		}
	}
}
