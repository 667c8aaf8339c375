package schema

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// value decodes JSON as arguments are decoded.
func value(t testing.TB, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func mustCompile(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := Compile(json.RawMessage(text))
	if err != nil {
		t.Fatalf("%s: %v", shortened(text, maxMessage), err)
	}
	return s
}

type realTool struct {
	Name        string
	InputSchema json.RawMessage
}

// realTools reads the tools/list answers of real servers.
func realTools(t testing.TB) map[string][]realTool {
	files, err := filepath.Glob("../../testdata/toollists/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tool lists: %v", err)
	}
	tools := map[string][]realTool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Tools []realTool }
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatal(err)
		}
		tools[filepath.Base(file)] = list.Tools
	}
	return tools
}

// Every tool of every real server can be checked: none is lost to a bound or to
// a dialect. No arguments at all miss just what the schema requires and gives no
// default, and one that it does not name is refused unless the schema says it takes
// any.
func TestEveryRealToolCanBeChecked(t *testing.T) {
	open := map[string]bool{}
	for server, tools := range realTools(t) {
		for _, tool := range tools {
			s, err := Compile(tool.InputSchema)
			if err != nil {
				t.Errorf("%s: %s: %v", server, tool.Name, err)
				continue
			}
			var says struct {
				Required             []string
				Properties           map[string]map[string]any
				AdditionalProperties any
			}
			if err := json.Unmarshal(tool.InputSchema, &says); err != nil {
				t.Fatal(err)
			}
			required := slices.DeleteFunc(says.Required, func(name string) bool { return says.Properties[name]["default"] != nil })
			want := min(len(required), MaxViolations)
			if got := s.Violations(map[string]any{}); len(got) != want {
				t.Errorf("%s: %s: %d violations of no arguments, want %d: %v", server, tool.Name, len(got), want, got)
			}
			if _, ok := says.AdditionalProperties.(map[string]any); ok || says.AdditionalProperties == true {
				open[tool.Name] = true
				continue
			}
			got := s.Violations(map[string]any{"no_such_argument": nil})
			if !slices.ContainsFunc(got, func(v Violation) bool { return strings.Contains(v.Message, `"no_such_argument"`) }) {
				t.Errorf("%s: %s: an argument it does not name is allowed: %v", server, tool.Name, got)
			}
		}
	}
	if len(open) > 3 {
		t.Errorf("%d tools take any argument: %v", len(open), open)
	}
}

func TestViolations(t *testing.T) {
	const add = `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}`
	for _, test := range []struct{ name, schema, args, want string }{
		{"valid", add, `{"a":1,"b":2}`, ``},
		{"wrong type", add, `{"a":"1","b":2}`, `/a: expected integer, got string`},
		{"missing", add, `{"a":1}`, `: missing required "b"`},
		{"unknown", add, `{"a":1,"b":2,"zzz":3}`, `: unknown argument "zzz"; the tool takes "a", "b"`},
		{"not an object", add, `[1,2]`, `: expected an object of arguments, got array`},
		{"null", add, `null`, `: expected an object of arguments, got null`},
		{"several", add, `{"a":1.5,"c":2}`, `: missing required "b"|: unknown argument "c"; the tool takes "a", "b"|/a: expected integer, got number`},
		{"1.0 is an integer", add, `{"a":1.0,"b":1e2}`, ``},
		{"misspelt", `{"properties":{"count":{},"offset":{}}}`, `{"c":1}`, `: unknown argument "c"; did you mean "count"?`},
		{"misspelt one letter", `{"properties":{"filter":{},"offset":{}}}`, `{"filtr":1}`, `: unknown argument "filtr"; did you mean "filter"?`},
		{"another case", `{"properties":{"pageSize":{}}}`, `{"page_size":1}`, `: unknown argument "page_size"; did you mean "pageSize"?`},
		{"takes none", `{"type":"object","properties":{}}`, `{"a":1}`, `: unknown argument "a"; the tool takes none`},
		{"closed", `{"type":"object","additionalProperties":false}`, `{"a":1}`, `: unknown argument "a"; the tool takes none`},
		{"names none", `{"type":"object"}`, `{"a":1}`, ``},
		{"names none, null", `{"type":"object","properties":null}`, `{"a":1}`, ``},
		{"refused in its own words only once", `{"properties":{"a":{}},"additionalProperties":false}`, `{"b":1}`, `: unknown argument "b"; the tool takes "a"`},
		{"named but refused", `{"additionalProperties":false,"allOf":[{"properties":{"b":{}}}]}`, `{"b":1}`, `: argument "b" is not allowed`},
		{"nested unknown", `{"properties":{"o":{"additionalProperties":false}}}`, `{"o":{"x":1}}`, `/o: unknown property "x"`},
		{"nested is open", `{"properties":{"o":{"type":"object"}}}`, `{"o":{"x":1}}`, ``},

		{"any allowed", `{"properties":{"a":{}},"additionalProperties":true}`, `{"b":1}`, ``},
		{"typed others", `{"additionalProperties":{"type":"string"}}`, `{"b":1}`, `/b: expected string, got number`},
		{"unevaluated others", `{"unevaluatedProperties":{"type":"string"}}`, `{"b":1}`, `/b: expected string, got number`},
		{"no unevaluated others", `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"a":1,"b":1}`, `/b: is not allowed|: unknown argument "b"; the tool takes "a"`},
		{"by pattern", `{"patternProperties":{"^x-":{"type":"string"}}}`, `{"x-a":"1","y":1}`, `: unknown argument "y"`},
		{"named in allOf", `{"allOf":[{"properties":{"a":{}}},{"$ref":"#/$defs/b"}],"$defs":{"b":{"properties":{"b":{}}}}}`, `{"a":1,"b":1,"c":1}`, `: unknown argument "c"; the tool takes "a", "b"`},
		{"named in anyOf", `{"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, `{"a":1,"b":1}`, ``},
		{"named in then", `{"properties":{"k":{}},"if":{"required":["k"]},"then":{"properties":{"v":{}}}}`, `{"k":1,"v":1}`, ``},
		{"not named by not", `{"properties":{},"not":{"properties":{"a":{"type":"string"}},"required":["a"]}}`, `{"a":1}`, `: unknown argument "a"; the tool takes none`},
		{"named by a reference", `{"$ref":"#/definitions/args","definitions":{"args":{"type":"object","properties":{"a":{}}}}}`, `{"a":1}`, ``},

		{"enum", `{"properties":{"a":{"enum":["x","y",1,null]}}}`, `{"a":"z"}`, `/a: expected one of "x", "y", 1, null`},
		{"const", `{"properties":{"a":{"const":true}}}`, `{"a":1}`, `/a: expected true`},
		{"bounds", `{"properties":{"a":{"minimum":1},"b":{"exclusiveMaximum":2.5},"c":{"maxLength":2},"d":{"minItems":1}}}`, `{"a":0,"b":2.5,"c":"日本語","d":[]}`,
			`/a: expected at least 1|/b: expected less than 2.5|/c: expected at most 2 characters, got 3|/d: expected at least 1 elements, got 0`},
		{"pattern", `{"properties":{"a":{"pattern":"^[a-z]+$"}}}`, `{"a":"A"}`, `/a: does not match the pattern "^[a-z]+$"`},
		{"format is not asserted", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"format":"email"},"r":{"format":"regex"}}}`, `{"a":"x","r":"("}`, ``},
		{"an argument named format", `{"properties":{"format":{"type":"string","format":"uri"}}}`, `{"format":1}`, `/format: expected string, got number`},
		{"unique", `{"properties":{"a":{"uniqueItems":true}}}`, `{"a":[1,2,1.0]}`, `/a: elements 0 and 2 are equal`},
		{"names", `{"properties":{"a":{"propertyNames":{"pattern":"^x"}}}}`, `{"a":{"y":1}}`, `/a: the name "y" is not allowed`},
		{"dependent", `{"properties":{"a":{},"b":{}},"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `: missing "b", required with "a"`},
		{"pointer escapes", `{"properties":{"a/b~c":{"type":"string"}}}`, `{"a/b~c":1}`, `/a~1b~0c: expected string, got number`},

		{"nullable", `{"properties":{"a":{"type":"string","enum":["x"],"nullable":true}}}`, `{"a":null}`, ``},
		{"type list", `{"properties":{"a":{"type":["object","null"]}}}`, `{"a":[]}`, `/a: expected null or object, got array`},
		{"types apart", `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"a":1}`, `/a: expected string or null, got number`},
		{"literals apart", `{"properties":{"a":{"anyOf":[{"const":"x"},{"const":"y"}]}}}`, `{"a":"z"}`, `/a: expected "x" or "y"`},
		{"the form that was meant", `{"properties":{"a":{"oneOf":[
			{"type":"object","properties":{"k":{"const":"x"},"n":{"type":"integer"}},"required":["k","n"]},
			{"type":"object","properties":{"k":{"const":"y"}},"required":["k"]},{"type":"string"}]}}}`,
			`{"a":{"k":"x","n":"1"}}`, `/a/n: expected integer, got string`},
		{"no such form", `{"properties":{"a":{"oneOf":[
			{"properties":{"k":{"const":"x"}},"required":["k"]},{"properties":{"k":{"const":"y"}},"required":["k"]}]}}}`,
			`{"a":{"k":"z"}}`, `/a/k: expected "x" or "y"`},
		{"several forms come near", `{"properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`,
			`: matches none of the allowed forms: missing required "a", or missing required "b"`},
		{"two forms at once", `{"properties":{"a":{"oneOf":[{"minimum":1},{"maximum":5}]}}}`, `{"a":3}`, `/a: matches more than one of the allowed forms`},
		{"reference beside a property", `{"properties":{"a":{"type":"object","properties":{"n":{"type":"integer"}}},"b":{"$ref":"#/properties/a"}}}`, `{"b":{"n":"1"}}`, `/b/n: expected integer, got string`},
		{"recursion", `{"properties":{"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"object","properties":{"c":{"type":"array","items":{"$ref":"#/$defs/t"}}}}}}`,
			`{"t":{"c":[{"c":[{"c":1}]}]}}`, `/t/c/0/c/0/c: expected array, got number`},
		{"tuple of draft-07 without a dialect", `{"properties":{"a":{"type":"array","items":[{"type":"string"},{"type":"integer"}]}}}`, `{"a":["x","y"]}`, `/a/1: expected integer, got string`},
		{"bound of draft-04 without a dialect", `{"properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}`, `{"a":1}`, `/a: expected more than 1`},
		{"a dialect nobody knows", `{"$schema":"https://example.com/dialect","properties":{"a":{"type":"string"}}}`, `{"a":1}`, `/a: expected string, got number`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, v := range mustCompile(t, test.schema).Violations(value(t, test.args)) {
				got = append(got, v.Path+": "+v.Message)
			}
			var want []string
			if test.want != "" {
				want = strings.Split(test.want, "|")
			}
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What is 19.99 in JSON is not 19.98999 when it is checked.
func TestNumbersAreExact(t *testing.T) {
	s := mustCompile(t, `{"properties":{"cents":{"multipleOf":0.01},"id":{"type":"integer","maximum":123456789012345678901234567890},
		"one":{"enum":[9007199254740993]},"n":{"type":"number"}}}`)
	for args, valid := range map[string]bool{
		`{"cents":19.99}`:                         true,
		`{"cents":0.07}`:                          true,
		`{"cents":19.999}`:                        false,
		`{"id":123456789012345678901234567890}`:   true,
		`{"id":123456789012345678901234567891}`:   false,
		`{"id":123456789012345678901234567890.5}`: false,
		`{"one":9007199254740993}`:                true,
		`{"one":9007199254740992}`:                false,
		`{"n":1e1000}`:                            true,
		`{"n":-1e-1000}`:                          true,
		`{"n":1e1001}`:                            false, // would take a thousand digits and more
		`{"n":1e-1001}`:                           false,
		`{"n":1e99999999999999999999}`:            false,
		`{"n":` + strings.Repeat("1", 1000) + `}`: true,
		`{"n":` + strings.Repeat("1", 1001) + `}`: false,
	} {
		if got := s.Violations(value(t, args)); (len(got) == 0) != valid {
			t.Errorf("%s: %v", shortened(args, maxName), got)
		}
	}
}

// Whatever is wrong, the answer is short, always the same, and holds no value.
func TestViolationsAreBoundedOrderedAndHoldNoValues(t *testing.T) {
	const secret = "s3cr3t"
	s := mustCompile(t, `{"properties":{"a":{"items":{"anyOf":[{"type":"integer"},{"type":"string","maxLength":2},{"enum":["x"]}]}},
		"o":{"additionalProperties":{"pattern":"^$"}},"e":{"enum":["`+strings.Repeat("y", 500)+`",{"k":1},[2]]}},"required":["`+strings.Repeat("r", 500)+`"]}`)
	list := make([]any, 2_000)
	object := map[string]any{}
	for i := range list {
		list[i] = fmt.Sprint(secret, i)
		object[fmt.Sprintf("%s\u202e\x00%d", strings.Repeat("/~", 200), i)] = secret
	}
	args := map[string]any{"a": list, "o": object, "e": secret, strings.Repeat("ключ", 300): secret}
	first := s.Violations(args)
	if len(first) != MaxViolations {
		t.Errorf("%d violations", len(first))
	}
	for range 10 {
		if diff := cmp.Diff(first, s.Violations(args)); diff != "" {
			t.Fatal(diff)
		}
	}
	checkBounds(t, first)
	if text := fmt.Sprint(first); strings.Contains(text, secret) {
		t.Errorf("a value is told: %s", text)
	}
}

func checkBounds(t *testing.T, list []Violation) {
	t.Helper()
	if len(list) > MaxViolations {
		t.Errorf("%d violations", len(list))
	}
	for _, v := range list {
		if len(v.Message) > maxMessage || v.Message == "" || len(v.Path) > maxPath || !utf8.ValidString(v.Message) {
			t.Errorf("violation %q", v)
		}
	}
	if !slices.IsSortedFunc(list, func(a, b Violation) int { return strings.Compare(a.Path, b.Path) }) {
		t.Errorf("not in order: %q", list)
	}
}

func TestSchemaIsSafeForConcurrentUse(t *testing.T) {
	s := mustCompile(t, tree)
	args := value(t, nestedTree(4))
	want := s.Violations(args)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if diff := cmp.Diff(want, s.Violations(args)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
	wg.Wait()
}
