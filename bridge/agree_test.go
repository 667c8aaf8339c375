package bridge_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/schema"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/stub"
	"github.com/mcp-code-mode/mcp-code-mode/engine/celrule"
)

// said is what a schema says to a reader who looks at nothing but its own keywords.
type said struct {
	Properties           map[string]map[string]any
	Required             []string
	AdditionalProperties any
}

// simple are values of the types that a rule can tell apart, as JSON and as CEL, and
// what a stub calls the type.
var simple = map[string]struct {
	value       any
	cel, python string
}{
	"string":  {"x", `'x'`, "str"},
	"integer": {json.Number("1"), `1`, "int"},
	"number":  {json.Number("1.5"), `1.5`, "float"},
	"boolean": {true, `true`, "bool"},
}

// readers are those who say what a tool takes: its stub, the types of rules, and the
// violations of its schema.
type readers struct {
	t      *testing.T
	tool   string
	input  json.RawMessage
	params string // the line of its stub
	schema *schema.Schema
}

func (r *readers) compiles(rule string) bool {
	_, err := celrule.Compile(rule, r.input)
	return err == nil
}

// violates reports whether arguments break the schema in a way that holds such words.
func (r *readers) violates(args map[string]any, words string) bool {
	return slices.ContainsFunc(r.schema.Violations(args), func(v schema.Violation) bool { return strings.Contains(v.Message, words) })
}

// shows reports whether the stub has a parameter so, whether it quotes the name or not.
// Where parameters were left out, everything may be shown.
func (r *readers) shows(name, rest string) bool {
	return strings.Contains(r.params, " "+name+rest) || strings.Contains(r.params, fmt.Sprintf(" %q%s", name, rest)) ||
		strings.HasSuffix(r.params, " more")
}

// TestAllReadersOfASchemaAgree: which parameters there are, which of them must be
// given and of which type they are is the same to the stub, to rules and to
// violations, for every tool of every server whose list is known.
func TestAllReadersOfASchemaAgree(t *testing.T) {
	files, err := filepath.Glob("../testdata/toollists/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no lists: ", err)
	}
	tools, typed := 0, 0
	for _, file := range files {
		var list struct {
			Tools []struct {
				Name        string
				InputSchema json.RawMessage
			}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			tools++
			typed += agree(t, filepath.Base(file)+": "+tool.Name, tool.InputSchema)
		}
	}
	if tools < 200 || typed < 500 {
		t.Errorf("only %d tools and %d types were looked at", tools, typed)
	}
}

// The same for what generators write, and for what no list has.
func TestAllReadersOfAnOddSchemaAgree(t *testing.T) {
	for _, input := range []string{
		`{"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"type":"integer"}},"required":["a","b"]}`,
		`{"type":"object","properties":{"a":{"type":"integer","enum":null}},"required":["undeclared"]}`,
		`{"type":"object","properties":{"a":{"type":"boolean"}},"required":["undeclared","a"],"additionalProperties":false}`,
		`{"type":"object","properties":{"a":null,"b":{"type":"number","default":null}},"additionalProperties":null,"required":null}`,
		`{"properties":{"a":{"type":"string"}},"additionalProperties":{"type":"string"}}`,
		`{"type":"object"}`,
		`{"type":"object","properties":{}}`,
		`{"properties":null,"required":["a"]}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"required":["a"],"$defs":{"d":{"type":"integer","default":3}}}`,
	} {
		agree(t, input, json.RawMessage(input))
	}
}

var paramsLine = regexp.MustCompile(`\n    params:( .*)\n`)

func agree(t *testing.T, tool string, input json.RawMessage) (typed int) {
	t.Helper()
	var says said
	if err := json.Unmarshal(input, &says); err != nil {
		t.Fatal(err)
	}
	text, err := stub.Render(stub.Tool{Server: "s", Name: "t", Input: input}, "t")
	if err != nil {
		t.Fatal(err)
	}
	r := &readers{t: t, tool: tool, input: input, params: paramsLine.FindStringSubmatch(text)[1]}
	if r.schema, err = schema.Compile(input); err != nil {
		t.Fatal(err)
	}
	for _, name := range says.Required {
		if says.Properties[name] == nil && says.AdditionalProperties != false {
			r.property(name, nil, true)
		}
	}
	for name, p := range says.Properties {
		_, given := p["default"]
		given = given || p["$ref"] == "#/$defs/d" // which has one
		typed += r.property(name, p, slices.Contains(says.Required, name) && !given)
	}
	_, typedOthers := says.AdditionalProperties.(map[string]any)
	open := typedOthers || says.AdditionalProperties == true || says.Properties == nil && says.AdditionalProperties == nil
	const other = "no_such_argument"
	if got := r.compiles("has(args." + other + ")"); got != open {
		t.Errorf("%s: a rule may look at others: %v, want %v", tool, got, open)
	}
	if got := !r.violates(map[string]any{other: "x"}, `unknown argument "`+other); got != open {
		t.Errorf("%s: others may be passed: %v, want %v", tool, got, open)
	}
	if got := r.shows("**other", ": ") || strings.HasSuffix(r.params, "**arguments"); got != open && !strings.HasSuffix(r.params, " more") {
		t.Errorf("%s: others are shown: %v, want %v: %s", tool, got, open, r.params)
	}
	return typed
}

// property checks one parameter, and returns 1 if it has a type that all can tell.
func (r *readers) property(name string, p map[string]any, required bool) int {
	mark := "?: "
	if required {
		mark = ": "
	}
	if !r.shows(name, mark) {
		r.t.Errorf("%s: %q is not shown as required %v: %s", r.tool, name, required, r.params)
	}
	if r.violates(map[string]any{name: "x"}, "unknown argument") {
		r.t.Errorf("%s: %q is shown and can not be passed", r.tool, name)
	}
	if missing := r.violates(map[string]any{}, fmt.Sprintf("missing required %q", name)); missing != required && len(r.schema.Violations(map[string]any{})) < schema.MaxViolations {
		r.t.Errorf("%s: %q may be left out: %v", r.tool, name, !missing)
	}
	if !r.compiles(fmt.Sprintf("has(args[%q])", name)) {
		r.t.Errorf("%s: no rule can look at %q", r.tool, name)
	}
	kind, _ := p["type"].(string)
	own, ok := simple[kind]
	if !ok || p["enum"] != nil || p["const"] != nil || p["anyOf"] != nil || p["$ref"] != nil || p["pattern"] != nil || p["minLength"] != nil {
		return 0
	}
	if !r.shows(name, mark+own.python) {
		r.t.Errorf("%s: %q is not shown as %s: %s", r.tool, name, own.python, r.params)
	}
	for other, value := range simple {
		fits := kind == other || kind == "number" && other == "integer"
		if got := !r.violates(map[string]any{name: value.value}, "got "+strings.Replace(other, "integer", "number", 1)); got != fits {
			r.t.Errorf("%s: %q takes %s: %v, want %v", r.tool, name, other, got, fits)
		}
		if got := r.compiles(fmt.Sprintf("args[%q] == %s", name, value.cel)); got != (kind == other) {
			r.t.Errorf("%s: a rule compares %q with %s: %v", r.tool, name, other, got)
		}
	}
	return 1
}
