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
	"github.com/santhosh-tekuri/jsonschema/v6"
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
		t.Fatalf("%s: %v", cut(text, maxMessage), err)
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
// a dialect. No arguments at all miss just what the schema requires, and one
// that it does not name is refused unless the schema says it takes any.
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
				AdditionalProperties any
			}
			if err := json.Unmarshal(tool.InputSchema, &says); err != nil {
				t.Fatal(err)
			}
			want := min(len(says.Required), MaxViolations)
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
		{"takes none", `{"type":"object"}`, `{"a":1}`, `: unknown argument "a"; the tool takes none`},
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
		{"not named by not", `{"not":{"properties":{"a":{"type":"string"}},"required":["a"]}}`, `{"a":1}`, `: unknown argument "a"; the tool takes none`},
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
			t.Errorf("%s: %v", cut(args, maxName), got)
		}
	}
}

func TestSchemasThatCanNotBeUsed(t *testing.T) {
	nested := func(open, shut string, n int) string { return strings.Repeat(open, n) + "{}" + strings.Repeat(shut, n) }
	many := func(format string, n int) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(format, i, i+1)
		}
		return strings.Join(parts, ",")
	}
	for _, test := range []struct{ name, schema, want string }{
		{"nothing", ``, "there is none"},
		{"not JSON", `{`, "not JSON"},
		{"two values", `{}{}`, "more than one"},
		{"a list", `[]`, "not a JSON object"},
		{"true", `true`, "not a JSON object"},
		{"not about objects", `{"type":"string"}`, "does not describe an object"},
		{"not about objects, by reference", `{"type":["string","null"]}`, "does not describe an object"},
		{"no such type", `{"type":"object","properties":{"a":{"type":"strin"}}}`, `at "/properties/a/type": expected`},
		{"too large", `{"x":"` + strings.Repeat("x", MaxBytes) + `"}`, "larger than"},
		{"too deep", nested(`{"not":`, `}`, MaxDepth), "deeper than 64"},
		{"10,000 deep", nested(`{"a":`, `}`, 9_999), "deeper than 64"},
		{"deeper than JSON goes", nested(`{"a":`, `}`, 20_000), "nested too deep"},
		{"too many subschemas", `{"properties":{` + many(`"p%d":{"a":%d}`, MaxSubschemas) + `}}`, "5000 subschemas"},
		{"too many values", `{"enum":[` + strings.Repeat("1,", MaxValues) + `1]}`, "100000 values"},
		{"too many references", `{"properties":{` + many(`"p%d":{"$ref":"#/$defs/%d"}`, maxRefs+1) + `}}`, "500 references"},
		{"too many names", `{"properties":{` + many(`"p%d":{"$id":"%d"}`, maxIDs+1) + `}}`, "200 names"},
		{"a number nobody can hold", `{"properties":{"a":{"minimum":1e999999999}}}`, "out of range"},
		{"the network", `{"properties":{"a":{"$ref":"https://example.com/schema.json"}}}`, "nothing outside the schema is loaded"},
		{"a file", `{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "nothing outside the schema is loaded"},
		{"a file, by name", `{"properties":{"a":{"$ref":"/etc/passwd"}}}`, "nothing outside the schema is loaded"},
		{"a file, by id", `{"$id":"file:///etc/","properties":{"a":{"$ref":"passwd"}}}`, "nothing outside the schema is loaded"},
		{"nowhere", `{"properties":{"a":{"$ref":"#/$defs/none"}}}`, "not found"},
		{"itself", `{"$ref":"#"}`, "refers to itself in place"},
		{"itself, by allOf", `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#"}]}}}`, "refers to itself in place"},
		{"itself, below", `{"properties":{"a":{"not":{"$ref":"#/properties/a"}}}}`, "refers to itself in place"},
		{"doubling", `{"$ref":"#/$defs/d0","$defs":{` + many(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%[2]d"},{"$ref":"#/$defs/d%[2]d"}]}`, 40) + `,"d40":{}}}`, "combines more than"},
		{"a long chain", `{"$ref":"#/$defs/d0","$defs":{` + many(`"d%d":{"$ref":"#/$defs/d%d"}`, maxChain+1) + fmt.Sprintf(`,"d%d":{}}}`, maxChain+1), "128 deep"},
		{"dynamic references", `{"$dynamicRef":"#a","$dynamicAnchor":"a"}`, "$dynamicRef"},
		{"recursive references", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"#"}`, "$recursiveRef"},
		{"look-behind", `{"properties":{"a":{"pattern":"(?<=a)b"}}}`, "look-behind is not supported"},
		{"a back-reference", `{"properties":{"a":{"pattern":"(a)\\1"}}}`, "invalid escape"},
		{"a broken pattern", `{"patternProperties":{"(":{}}}`, `the name "("`},
		{"a long pattern", `{"properties":{"a":{"pattern":"` + strings.Repeat("a", maxPattern+1) + `"}}}`, "longer than"},
		{"large patterns", `{"properties":{` + many(`"p%d":{"pattern":"(a{1,999}){1}%d"}`, 60) + `}}`, "too large"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Compile(json.RawMessage(test.schema))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want one that holds %q", err, test.want)
			} else if len(err.Error()) > 2*maxMessage+maxPath {
				t.Errorf("%d bytes of error", len(err.Error()))
			}
		})
	}
}

// tree is a schema whose alternatives meet again one level further down: each
// level of the arguments doubles the work.
const tree = `{"properties":{"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"anyOf":[
	{"type":"object","properties":{"c":{"$ref":"#/$defs/t"}},"required":["never"]},
	{"type":"object","properties":{"c":{"$ref":"#/$defs/t"}},"required":["leaf"]}]}}}`

func nestedTree(depth int) string {
	return `{"t":` + strings.Repeat(`{"c":`, depth) + `{"leaf":1}` + strings.Repeat(`}`, depth) + `}`
}

// Validation can not be interrupted, so what would take too long is refused
// before it starts. What people write passes.
func TestExponentialWorkIsRefused(t *testing.T) {
	s := mustCompile(t, tree)
	const tooLarge = "too large to be checked"
	if got := s.Violations(value(t, nestedTree(3))); len(got) == 0 || strings.Contains(got[0].Message, tooLarge) {
		t.Errorf("three levels: %v", got)
	}
	if got := s.Violations(value(t, nestedTree(50))); len(got) != 1 || !strings.Contains(got[0].Message, tooLarge) {
		t.Errorf("fifty levels: %v", got)
	}
	for name, test := range map[string]struct{ schema, args string }{
		"a pattern and a long text": {`{"properties":{"a":{"pattern":"(a|b|ab){20}x"}}}`, `{"a":"` + strings.Repeat("ab", 400_000) + `"}`},
		"many equal-looking lists":  {`{"properties":{"a":{"uniqueItems":true}}}`, `{"a":[` + strings.Repeat(`[[null],null],`, 5_000) + `1]}`},
		"a long enum, often":        {`{"properties":{"a":{"items":{"enum":[` + strings.Repeat("1,", 1_000) + `2]}}}}`, `{"a":[` + strings.Repeat("3,", 5_000) + `3]}`},
		"names against patterns":    {`{"patternProperties":{"^a":{},"^b":{}},"propertyNames":{"pattern":"(x?){50}$"}}`, `{"` + strings.Repeat("x", 400_000) + `":1}`},
	} {
		if got := mustCompile(t, test.schema).Violations(value(t, test.args)); len(got) != 1 || !strings.Contains(got[0].Message, tooLarge) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The work that is counted is never less than the work that is done: here that
// is measured by the patterns the validator asks.
func TestWorkIsNotUndercounted(t *testing.T) {
	const text = `{"properties":{"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"object","patternProperties":{"^c":{"anyOf":[
		{"$ref":"#/$defs/t"},{"allOf":[{"$ref":"#/$defs/t"},{"minProperties":1}]},{"type":"object","required":["x"]}]}}}}}`
	asked := 0
	c := jsonschema.NewCompiler()
	c.UseRegexpEngine(func(string) (jsonschema.Regexp, error) { return asking{&asked}, nil })
	if err := c.AddResource(documentURL, value(t, text)); err != nil {
		t.Fatal(err)
	}
	validator, err := c.Compile(documentURL)
	if err != nil {
		t.Fatal(err)
	}
	s := mustCompile(t, text)
	for depth := range 9 {
		args := value(t, `{"t":`+strings.Repeat(`{"c":`, depth)+`{"c":1}`+strings.Repeat(`}`, depth)+`}`)
		asked = 0
		if err := validator.Validate(args); err == nil {
			t.Fatal("valid")
		}
		w := work{left: maxWork}
		w.apply(s.root, args, 0)
		if units := maxWork - w.left; asked == 0 || units < 2*asked {
			t.Errorf("depth %d: counted %d units for %d matches", depth, units, asked)
		}
	}
}

// asking is a pattern that counts how often it is asked.
type asking struct{ asked *int }

func (a asking) String() string { return "^c" }

func (a asking) MatchString(s string) bool {
	*a.asked++
	return strings.HasPrefix(s, "c")
}

func TestArgumentsThatAreNotPlainJSONAreRefused(t *testing.T) {
	s := mustCompile(t, `{"additionalProperties":true}`)
	deep := value(t, `{"a":`+strings.Repeat("[", maxArgsDepth)+strings.Repeat("]", maxArgsDepth)+`}`)
	for name, args := range map[string]any{
		"too deep": deep, "a float": map[string]any{"a": 1.5}, "something else": map[string]any{"a": struct{}{}}, "no value": 7,
	} {
		if got := s.Violations(args); len(got) != 1 {
			t.Errorf("%s: %v", name, got)
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

// Whatever bytes a server sends and whatever a model passes: no panic, and an
// answer within its bounds.
func FuzzViolations(f *testing.F) {
	f.Add([]byte(tree), []byte(nestedTree(4)))
	f.Add([]byte(`{"properties":{"a":{"pattern":"^(?!b)","nullable":true,"type":"string"}}}`), []byte(`{"a":"b"}`))
	f.Add([]byte(`{"$id":"a","properties":{"a":{"$id":"b","$anchor":"c","$ref":"a#c"}}}`), []byte(`{"a":1}`))
	f.Add([]byte(`{"items":[{}],"dependencies":{"a":["b"],"c":{}},"if":true,"then":false}`), []byte(`{"a":[{}]}`))
	f.Fuzz(func(t *testing.T, schema, args []byte) {
		s, err := Compile(schema)
		if err != nil {
			return
		}
		d := json.NewDecoder(strings.NewReader(string(args)))
		d.UseNumber()
		var v any
		if d.Decode(&v) != nil {
			return
		}
		first := s.Violations(v)
		checkBounds(t, first)
		if diff := cmp.Diff(first, s.Violations(v)); diff != "" {
			t.Error(diff)
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	lists := realTools(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, tools := range lists {
			for _, tool := range tools {
				if _, err := Compile(tool.InputSchema); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

func BenchmarkViolations(b *testing.B) {
	small := mustCompile(b, `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}`)
	list := mustCompile(b, `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{
		"name":{"type":"string","maxLength":100},"n":{"type":"number"}},"required":["name"],"additionalProperties":false}}}}`)
	rows := strings.Repeat(`{"name":"abc","n":1.5},`, 1_000)
	for name, bench := range map[string]struct {
		schema *Schema
		args   any
	}{
		"small":    {small, value(b, `{"a":1,"b":2}`)},
		"wrong":    {small, value(b, `{"a":"1","c":2}`)},
		"1000rows": {list, value(b, `{"rows":[`+rows[:len(rows)-1]+`]}`)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bench.schema.Violations(bench.args)
			}
		})
	}
}
