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
	maxFactSchemas = 16 << 10 // bytes of both schemas; larger ones are not handed over
)

// Facts returns what the runner is told of t's schemas. It does not fail: of a
// schema that can not be read nothing is known.
func Facts(t Tool) wire.Facts {
	f := wire.Facts{Open: true, Returns: resultOf(t.Output), Schemas: schemas(t)}
	input, err := parseObject(t.Input)
	if err != nil {
		return f
	}
	r := newRenderer(input)
	root := r.root()
	f.Open = root.Other() != nil || len(root.Properties) > maxFactParams
	for _, p := range root.Properties[:min(len(root.Properties), maxFactParams)] {
		v := r.look(p.Schemas...)
		f.Params = append(f.Params, wire.Param{
			Name: p.Name, Required: p.Required,
			Nullable: v.Types == nil || slices.Contains(v.Types, "null"),
			Integer:  slices.Contains(v.Types, "integer") && !slices.Contains(v.Types, "number"),
			Line:     r.line(&view{Properties: []schemaview.Property{p}}, maxNote),
		})
	}
	return f
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
	return wire.Returns{Kind: kindOf(d.Reader().Root())}
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
