package stub

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/schemaview"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// Bounds of the facts of one tool.
const (
	maxFactParams  = 256      // parameters; the others can be given, and are not known by name
	maxFactSchemas = 64 << 10 // bytes of both schemas; larger ones are not handed over
)

// Facts returns what the runner is told of t's schemas. It does not fail: of a
// schema that can not be read nothing is known.
func Facts(t Tool) wire.Facts {
	input, _ := parseObject(t.Input)
	return facts(t, input)
}

// facts is Facts; input is nil where it can not be read.
func facts(t Tool, input *schemaview.Document) wire.Facts {
	f := wire.Facts{Open: true, Returns: resultOf(t.Output), Schemas: schemas(t)}
	if input == nil {
		return f
	}
	r := newRenderer(input)
	root := r.root()
	listed := root.Properties[:min(len(root.Properties), maxFactParams)]
	f.Open = r.others(root, listed)
	// Some versions of JSON Schema do not read what stands beside a reference.
	certain := input.Root.Get("$ref") == nil
	for _, p := range listed {
		v := r.look(p.Schemas...)
		types := r.possible(v, 0)
		f.Params = append(f.Params, wire.Param{
			Name: p.Name, Required: p.Required && certain,
			Nullable: types["null"], Integer: types["integer"] && !types["number"],
			Line: r.line(&view{Properties: []schemaview.Property{p}}, maxParamLine),
		})
	}
	return f
}

// others reports whether arguments may be given besides those listed: of any name, or
// of one that only an alternative or a condition has.
func (r *renderer) others(root *view, listed []schemaview.Property) bool {
	names := r.Names(root)
	return names.Open || len(names.Patterns) > 0 || len(names.Known) > len(listed) || r.Spent()
}

// possible are the JSON types that a value of this view may have. Where it is not
// sure that there is none of a type, there may be. A number that may have a fraction
// is a "number", one that must be whole an "integer".
func (r *renderer) possible(v *view, depth int) map[string]bool {
	const deepest = 4 // alternatives in alternatives
	all := map[string]bool{}
	for _, name := range schemaview.TypeNames {
		all[name] = v.Types == nil || slices.Contains(v.Types, name)
	}
	if v.Values != nil {
		keep(all, schemaview.TypesOf(v.Values))
	}
	for _, group := range v.Either {
		if depth == deepest || len(group) > maxUnion || r.Spent() {
			continue // nothing more is known
		}
		var any []string
		for _, n := range group {
			for name, is := range r.possible(r.View(v.Trail, n), depth+1) {
				if is {
					any = append(any, name)
				}
			}
		}
		keep(all, any)
	}
	return all
}

// keep leaves those types in all that are named too. A number that is an integer too
// is one.
func keep(all map[string]bool, names []string) {
	number := slices.Contains(names, "number")
	integer := number || slices.Contains(names, "integer")
	all["integer"] = (all["integer"] || all["number"]) && integer
	all["number"] = all["number"] && number
	for _, name := range []string{"string", "boolean", "null", "array", "object"} {
		all[name] = all[name] && slices.Contains(names, name)
	}
}

// schemas is the text of both schemas, nil where it is too long.
func schemas(t Tool) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"input":` + string(t.Input))
	if len(t.Output) > 0 {
		b.WriteString(`,"output":` + string(t.Output))
	}
	b.WriteString("}")
	if b.Len() > maxFactSchemas {
		return nil
	}
	return json.RawMessage(b.String())
}

// resultOf says what a result is, of which this is the output schema.
func resultOf(output json.RawMessage) wire.Returns {
	if len(output) == 0 {
		return wire.Returns{Kind: "text"}
	}
	d, err := schemaview.ParseOutput(output)
	if err != nil {
		return wire.Returns{Kind: "text"}
	}
	v, field := newRenderer(d).unwrapped(d.Root)
	return wire.Returns{Kind: kindOf(v), Field: field}
}

// wrapper is the property in which protocols put results that are no objects.
const wrapper = "result"

// unwrapped is the view of what a call returns in Python, and the property of the
// structured content that it is, "" where it is all of it. One property is the value
// where the object around it says no more: it is the only one, and a string or only
// there because the structured content has to be an object.
func (r *renderer) unwrapped(root *node) (v *view, field string) {
	v = r.root()
	if len(v.Types) != 1 || v.Types[0] != "object" || len(v.Either) > 0 || len(v.Properties) != 1 || v.Other() != nil {
		return v, ""
	}
	p := v.Properties[0]
	r.trail = append(r.trail[:0], v.Trail...)
	inner := r.look(p.Schemas...)
	declared := root.Get("x-fastmcp-wrap-result").IsTrue()
	if p.Name == wrapper && (declared || p.Required) || kindOf(inner) == "string" {
		return inner, p.Name
	}
	r.trail = r.trail[:0]
	return v, ""
}

// annotation is the Python type of the values that v describes, without what is in them.
func (r *renderer) annotation(v *view) string {
	types := v.Types
	for _, group := range v.Either {
		if types != nil {
			break
		}
		for _, n := range group[:min(len(group), maxUnion)] {
			inner := r.look(n)
			if inner.Types == nil {
				return unknown
			}
			types = append(types, inner.Types...)
		}
	}
	var names []string
	for _, t := range types {
		names = with(names, pythonTypes[t])
	}
	if i := slices.Index(names, "None"); i >= 0 { // last, as people write it
		names = append(slices.Delete(names, i, i+1), "None")
	}
	if len(names) == 0 || r.Spent() {
		return unknown
	}
	return strings.Join(names, " | ")
}

// kindOf is the kind of the values that v describes.
func kindOf(v *view) string {
	if len(v.Types) != 1 {
		return "any"
	}
	switch v.Types[0] {
	case "integer":
		return "number"
	case "null":
		return "any"
	}
	return v.Types[0]
}
