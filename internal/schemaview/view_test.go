package schemaview_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/internal/schemaview"
)

func parse(t *testing.T, schema string) *schemaview.Document {
	t.Helper()
	d, err := schemaview.ParseInput([]byte(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return d
}

// shown is a View in short: name!: types, "!" for what is required.
func shown(r *schemaview.Reader, v *schemaview.View) string {
	var parts []string
	for _, p := range v.Properties {
		name := p.Name
		if p.Required {
			name += "!"
		}
		parts = append(parts, name+": "+strings.Join(r.View(nil, p.Schemas...).Types, "|"))
	}
	return strings.Join(parts, ", ")
}

func TestWhatGeneratorsWriteWronglyIsPutRight(t *testing.T) {
	for schema, want := range map[string]string{
		// null counts as left out, but where it is a value.
		`{"properties":{"a":{"type":"string","enum":null,"items":null,"default":null}},"required":null}`:  `{"properties":{"a":{"default":null,"type":"string"}}}`,
		`{"properties":{},"additionalProperties":null,"$defs":{"x":null}}`:                                `{"$defs":{"x":{}},"properties":{}}`,
		`{"properties":{"a":{"anyOf":[null,{"type":["string",null]}],"allOf":[null]}},"required":[null]}`: `{"properties":{"a":{"anyOf":[{"type":["string","null"]}]}},"required":[]}`,
		`{"properties":{"a":{"prefixItems":[null]}},"dependentRequired":{"a":null,"b":["a"]}}`:            `{"dependentRequired":{"b":["a"]},"properties":{"a":{"prefixItems":[{}]}}}`,
		`{"properties":{"a":null,"default":{"type":null}},"const":{"x":null}}`:                            `{"const":{"x":null},"properties":{"a":{},"default":{}}}`,
		// OpenAPI's nullable.
		`{"properties":{"a":{"type":"string","nullable":true,"enum":["x"]}}}`:                                 `{"properties":{"a":{"enum":["x",null],"nullable":true,"type":["string","null"]}}}`,
		`{"properties":{"a":{"nullable":true},"b":{"type":["string"],"nullable":true}}}`:                      `{"properties":{"a":{"nullable":true},"b":{"nullable":true,"type":["string"]}}}`,
		`{"properties":{"a":{"items":{"anyOf":[{"type":"string","nullable":true}]}}}}`:                        `{"properties":{"a":{"items":{"anyOf":[{"nullable":true,"type":["string","null"]}]}}}}`,
		`{"properties":{},"default":{"type":"string","nullable":true},"enum":[{"type":"x","nullable":true}]}`: `{"default":{"nullable":true,"type":"string"},"enum":[{"nullable":true,"type":"x"}],"properties":{}}`,
		// What is required and can be left out, or must be.
		`{"properties":{"a":{"default":1},"b":{}},"required":["a","b"]}`:                         `{"properties":{"a":{"default":1},"b":{}},"required":["b"]}`,
		`{"properties":{"a":{}},"required":["a","b"],"additionalProperties":false}`:              `{"additionalProperties":false,"properties":{"a":{}},"required":["a"]}`,
		`{"properties":{"a":{}},"required":["a","b"]}`:                                           `{"properties":{"a":{}},"required":["a","b"]}`,
		`{"required":["b"],"additionalProperties":false,"patternProperties":{"b":{}}}`:           `{"additionalProperties":false,"patternProperties":{"b":{}},"required":["b"]}`,
		`{"required":["b"],"additionalProperties":false,"patternProperties":{"c":{}}}`:           `{"additionalProperties":false,"patternProperties":{"c":{}},"required":[]}`,
		`{"properties":{"a":{"$ref":"#/$defs/d"}},"required":["a"],"$defs":{"d":{"default":1}}}`: `{"$defs":{"d":{"default":1}},"properties":{"a":{"$ref":"#/$defs/d"}},"required":[]}`,
		`{"properties":{"a":{"default":1}},"allOf":[{"required":["a","b"]}]}`:                    `{"allOf":[{"required":["b"]}],"properties":{"a":{"default":1}}}`,
		// What names no properties and is not closed takes any.
		`{"type":"object"}`:                    `{"additionalProperties":{},"type":"object"}`,
		`{"properties":null,"required":["a"]}`: `{"additionalProperties":{},"required":["a"]}`,
		`{"properties":{}}`:                    `{"properties":{}}`,
		`{"additionalProperties":false}`:       `{"additionalProperties":false}`,
		`{"unevaluatedProperties":false}`:      `{"unevaluatedProperties":false}`,
		`{"anyOf":[{"required":["a"]},{"$ref":"#/$defs/d"}],"$defs":{"d":{"properties":{"a":{}}}}}`: `{"$defs":{"d":{"properties":{"a":{}}}},"anyOf":[{"required":["a"]},{"$ref":"#/$defs/d"}]}`,
		// Of a repeated key the last one counts.
		`{"type":"object","properties":{"a":1,"a":{}}}`: `{"properties":{"a":{}},"type":"object"}`,
	} {
		got, err := json.Marshal(parse(t, schema).Value())
		if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
			t.Errorf("%s: %v %s", schema, err, diff)
		}
	}
}

func TestASchemaOfResultsKeepsWhatIsRequired(t *testing.T) {
	d, err := schemaview.ParseOutput([]byte(`{"properties":{"a":{"type":"integer","default":1,"title":null}},"required":["a"]}`))
	if err != nil {
		t.Fatal(err)
	}
	r := d.Reader()
	if got, want := shown(r, r.Root()), "a!: integer"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAViewTakesTogetherWhatAppliesToOneValue(t *testing.T) {
	const defs = `,"$defs":{"s":{"type":"string","$anchor":"text"},"p":{"properties":{"c":{"$ref":"#/$defs/s"}},"required":["c"]}}}`
	for schema, want := range map[string]string{
		`{"properties":{"b":{"type":"string"},"a":{"type":["integer","null"]}},"required":["a"]}`:    "a!: integer|null, b: string",
		`{"allOf":[{"properties":{"a":{"type":"number"}}},{"properties":{"a":{"type":"integer"}}}]}`: "a: integer",
		`{"properties":{"a":{"type":["string","integer"]}},"allOf":[{"required":["a"]}]}`:            "a!: string|integer",
		`{"$ref":"#/$defs/p","properties":{"a":{"$ref":"#text"}}` + defs:                             "c!: string, a: string",
		`{"properties":{"a":{"enum":["x",1,null]},"b":{"const":[1]},"c":{"items":{}}}}`:              "a: string|integer|null, b: array, c: array",
		`{"required":["z","a"]}`:                                                                     "a!: , z!: ",
		`{"properties":{"self":{"$ref":"#"}},"type":"object"}`:                                       "self: object",
		`{"properties":{"a":{"$ref":"http://elsewhere/x"},"b":{"$ref":"#/no/where"}}}`:               "a: , b: ",
		`{"properties":{"a":{"type":"string","allOf":[{"type":"integer"}]}}}`:                        "a: string",
		`{"properties":{"a":{"type":"number","$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`: "a: integer",
	} {
		r := parse(t, schema).Reader()
		if diff := cmp.Diff(want, shown(r, r.Root())); diff != "" {
			t.Errorf("%s: %s", schema, diff)
		}
	}
}

func TestNamesAreThoseOfAlternativesAndConditionsToo(t *testing.T) {
	r := parse(t, `{"properties":{"a":{}},"required":["b"],"anyOf":[{"properties":{"c":{}}},{"$ref":"#/$defs/d"}],
		"if":{"properties":{"a":{}}},"then":{"properties":{"e":{}}},"dependentSchemas":{"a":{"properties":{"f":{}},"patternProperties":{"^x-":{}}}},
		"not":{"properties":{"g":{}}},"$defs":{"d":{"properties":{"d":{}},"oneOf":[{"$ref":"#"}]}}}`).Reader()
	names := r.Names(r.Root())
	if got, want := strings.Join(slices.Sorted(maps.Keys(names.Known)), ""), "abcdef"; got != want || names.Open || !slices.Equal(names.Patterns, []string{"^x-"}) {
		t.Errorf("got %s, want %s (%+v)", got, want, names)
	}
	r = parse(t, `{"anyOf":[{"additionalProperties":{"type":"string"}}]}`).Reader()
	if !r.Names(r.Root()).Open {
		t.Error("an alternative that is open is not seen")
	}
}

func TestTheWorkOfAReaderEnds(t *testing.T) {
	var b strings.Builder // each level refers twice to the next
	for i := range 60 {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"properties":{"x%d":{}}}],"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i, i+1, i+1)
	}
	r := parse(t, `{"$ref":"#/$defs/d0","$defs":{`+b.String()+`"d60":{}}}`).Reader()
	names := r.Names(r.Root())
	if len(names.Known) != 60 {
		t.Errorf("%d names", len(names.Known))
	}
	for range 1_000_000 {
		if r.Spent() {
			return
		}
		r.Root()
	}
	t.Error("there is no end to the work")
}
