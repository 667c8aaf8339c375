package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

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

// What may have been meant by an unknown name is looked for only where it is told:
// for the first few, once each, however many there are and wherever the schema
// refuses them.
func TestFewUnknownNamesAreComparedWithTheKnownOnes(t *testing.T) {
	var names, parts []string
	for i := range 500 {
		names = append(names, fmt.Sprintf(`"%s%03d":{}`, strings.Repeat("x", 60), i))
	}
	for i := range 8 {
		parts = append(parts, fmt.Sprintf(`{"properties":{"p%d":{}},"patternProperties":{"^y%[1]d":{}},"additionalProperties":false}`, i))
	}
	passed := func(n int) map[string]any {
		args := map[string]any{}
		for i := range n {
			args[fmt.Sprintf("%c%d-%055d%03d", 'y'+i%2, i%8, i, i%500)] = nil
		}
		return args
	}
	for name, test := range map[string]struct {
		args   map[string]any
		schema string
	}{
		"refused by default":    {passed(15_000), `{"properties":{` + strings.Join(names, ",") + `}}`},
		"refused by the schema": {passed(15_000), `{"properties":{` + strings.Join(names, ",") + `},"additionalProperties":false}`},
		"refused many times":    {passed(1_000), `{"properties":{` + strings.Join(names, ",") + `},"allOf":[` + strings.Join(parts, ",") + `]}`},
		"one form refuses":      {passed(1_000), `{"properties":{` + strings.Join(names, ",") + `},"additionalProperties":true,"anyOf":[` + strings.Join(parts, ",") + `]}`},
	} {
		args := test.args
		s := mustCompile(t, test.schema)
		if !s.affordable(args) {
			t.Fatalf("%s: not affordable", name)
		}
		found := &findings{top: s.top.pass(args)}
		found.top.check(found)
		s.validate(args, found)
		if len(found.list) == 0 {
			t.Errorf("%s: no violations", name)
		}
		if n := len(found.top.worded); n > MaxViolations {
			t.Errorf("%s: %d names were compared", name, n)
		}
	}
}

// Of many unknown names the first in order are told, each with its neighbour.
func TestTheFirstUnknownNamesAreTold(t *testing.T) {
	for _, more := range []string{"", `,"additionalProperties":false`, `,"allOf":[{"additionalProperties":false}]`} {
		s := mustCompile(t, `{"properties":{"alpha_00":{},"omega":{}}`+more+`}`)
		args := map[string]any{}
		for i := range 2_000 {
			args[fmt.Sprintf("n%04d", i)] = i
		}
		args["alpha_0"], args["omegas"] = 1, 2
		want := []Violation{{Message: `unknown argument "alpha_0"; did you mean "alpha_00"?`}}
		for i := range MaxViolations - 1 {
			want = append(want, Violation{Message: fmt.Sprintf(`unknown argument "n%04d"; the tool takes "alpha_00", "omega"`, i)})
		}
		args = value(t, string(encode(t, args))).(map[string]any)
		if diff := cmp.Diff(want, s.Violations(args)); diff != "" {
			t.Errorf("%s: %s", more, diff)
		}
	}
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
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
