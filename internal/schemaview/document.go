// Package schemaview is the one reading of the JSON Schemas of servers. Stubs, the
// types of rules, the names in violations and the headers of MCP all look at a
// View, so that they cannot disagree about which parameters a tool has.
//
// Schemas are hostile. A Document is bounded when it is parsed, and making Views
// of it takes from a budget of work, so that nothing in it, references that
// multiply or alternatives without end, takes more than that.
package schemaview

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// Bounds of a document.
const (
	MaxBytes = 1 << 20
	MaxDepth = strictjson.MaxDepth

	maxReference = 512 // bytes of a $ref
	maxAnchors   = 256 // definitions searched for an anchor
)

// Node is one JSON value of a document, most often a schema.
type Node = strictjson.Node

// Document is one schema with all that is in it. It is not safe for concurrent use.
type Document struct {
	Root *Node
	// Undeclared says that the schema of arguments names none, and so takes any.
	Undeclared bool
}

// ParseInput reads the schema of a tool's arguments, which is a JSON object. What
// generators write wrongly is put right here, once for everybody:
//
//   - null where the value of a keyword should be is as if the keyword was left out.
//   - "nullable": true beside one type, as OpenAPI has it, is another type.
//   - A parameter with a default is not required: generators that describe what a
//     server sees after it has filled in defaults say so, and it takes calls without.
//   - What is required, not described and not allowed either is not required: nobody
//     could call the tool.
//   - A schema that names no properties at all and does not close itself takes any
//     arguments: its server reads them without a schema.
func ParseInput(raw []byte) (*Document, error) {
	d, err := parse(raw)
	if err != nil {
		return nil, err
	}
	if !d.Root.Is(strictjson.Object) {
		return nil, errors.New("it is not a JSON object")
	}
	each(d.Root, correct)
	r := d.Reader()
	each(d.Root, r.relax)
	r.relaxRoot()
	if !r.declares(r.Root()) {
		d.Undeclared = true
		d.Root.Add("additionalProperties", &Node{Kind: strictjson.Object})
	}
	return d, nil
}

// ParseOutput reads the schema of what a tool returns. Of the list above the first
// two are put right.
func ParseOutput(raw []byte) (*Document, error) {
	d, err := parse(raw)
	if err != nil {
		return nil, err
	}
	each(d.Root, correct)
	return d, nil
}

func parse(raw []byte) (*Document, error) {
	switch {
	case len(raw) == 0:
		return nil, errors.New("there is none")
	case len(raw) > MaxBytes:
		return nil, fmt.Errorf("it is larger than %d bytes", MaxBytes)
	}
	root, err := strictjson.Parse(raw, strictjson.Bounds{Bytes: MaxBytes, Depth: MaxDepth, Repeats: true})
	var e *strictjson.Error
	switch {
	case err == nil:
		return &Document{Root: root}, nil
	case !errors.As(err, &e):
		return nil, err
	case e.Problem == strictjson.ProblemDepth:
		return nil, errors.New("it is nested too deep")
	case e.Problem == strictjson.ProblemValues:
		return nil, fmt.Errorf("it has more than %d values", strictjson.DefaultValues)
	}
	return nil, fmt.Errorf("it is not JSON: %s", cmp.Or(e.Detail, string(e.Problem)))
}

// Keywords whose value is no schema, and those whose value is an object of schemas.
var (
	valueKeywords = []string{"const", "default", "enum", "example", "examples"}
	mapKeywords   = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)

// each calls f with every schema below n, n itself last. Where it is not known what a
// keyword holds, its objects are taken for schemas: a reference may lead to them.
func each(n *Node, f func(schema *Node)) {
	if n == nil {
		return
	}
	for _, e := range n.Elements {
		each(e, f)
	}
	for _, m := range n.Members {
		switch {
		case slices.Contains(valueKeywords, m.Key):
		case slices.Contains(mapKeywords, m.Key):
			for _, named := range m.Value.Members {
				each(named.Value, f)
			}
		default:
			each(m.Value, f)
		}
	}
	if n.Kind == strictjson.Object {
		f(n)
	}
}

// Value is the document as Go values, numbers as json.Number. Of a key that is
// repeated the last one counts.
func (d *Document) Value() any { return value(d.Root) }

func value(n *Node) any {
	switch n.Kind {
	case strictjson.Object:
		object := make(map[string]any, len(n.Members))
		for _, m := range n.Members {
			object[m.Key] = value(m.Value)
		}
		return object
	case strictjson.Array:
		list := make([]any, len(n.Elements))
		for i, e := range n.Elements {
			list[i] = value(e)
		}
		return list
	case strictjson.String:
		return n.Text
	case strictjson.Number:
		return json.Number(n.Text)
	case strictjson.Truth:
		return n.IsTrue()
	}
	return nil
}

// Resolve follows a reference into this very document: "#", a JSON pointer, or
// the name of an anchor at the top level of its definitions. It returns nil for
// anything else; nothing outside the document is ever looked at.
func (d *Document) Resolve(ref string) *Node {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok || len(fragment) > maxReference {
		return nil
	}
	if fragment != "" && fragment[0] != '/' {
		return d.anchor(fragment)
	}
	n := d.Root
	for token := range strings.SplitSeq(strings.TrimPrefix(fragment, "/"), "/") {
		if fragment == "" {
			break
		}
		token = unescape(token)
		switch {
		case n == nil:
			return nil
		case n.Kind == strictjson.Array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.Elements) {
				return nil
			}
			n = n.Elements[i]
		default:
			n = n.Get(token)
		}
	}
	return n
}

func (d *Document) anchor(name string) *Node {
	for _, definitions := range []string{"$defs", "definitions"} {
		if all := d.Root.Get(definitions); all != nil {
			for _, m := range all.Members[:min(len(all.Members), maxAnchors)] {
				if a := m.Value.Get("$anchor"); a.Is(strictjson.String) && a.Text == name {
					return m.Value
				}
			}
		}
	}
	return nil
}

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// unescape undoes the escapes of a URI fragment and of a JSON pointer.
func unescape(token string) string {
	if unescaped, err := url.PathUnescape(token); err == nil {
		token = unescaped
	}
	return pointerEscapes.Replace(token)
}
