package stub

import (
	"slices"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
	"github.com/mcp-code-mode/mcp-code-mode/internal/schemaview"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// pythonTypes maps JSON types to what a model calls them in Python.
var pythonTypes = map[string]string{
	"string": "str", "integer": "int", "number": "float", "boolean": "bool",
	"null": "None", "array": "list", "object": "dict",
}

type (
	node = schemaview.Node
	view = schemaview.View
)

// Bounds of the types of one schema. Together with the work of its reader, of which
// all attempts take, they bound time and memory whatever the schema: exponential
// references, endless unions, recursion, one wide object that is referred to from
// everywhere.
const (
	maxAttempt  = 4 << 10 // bytes of one type before it is tried with fewer levels
	maxUnion    = 12      // alternatives shown
	maxValues   = 400     // bytes of the values of an enum
	maxLiteral  = 40      // characters of a string in an enum or default
	maxCompound = 60      // bytes of a list or dict in an enum or default
	unknown     = "Any"
)

// renderer writes the types of one schema document. What it shows of a type
// depends only on the document.
type renderer struct {
	*schemaview.Reader
	trail  []*node // what is being shown, against recursion
	levels int     // containers shown inside each other
	room   int     // bytes the attempt may still write
	over   bool    // a bound was met

	undeclared bool // the schema is of arguments and names none
}

func newRenderer(d *schemaview.Document) *renderer {
	return &renderer{Reader: d.Reader(), levels: MaxLevels, room: maxAttempt, undeclared: d.Undeclared}
}

// look returns the view of what schemas say of one value.
func (r *renderer) look(schemas ...*node) *view {
	v := r.View(r.trail, schemas...)
	r.over = r.over || r.Spent()
	return v
}

// root returns the view of the whole document.
func (r *renderer) root() *view {
	v := r.Root()
	r.over = r.over || r.Spent()
	return v
}

// attempt renders a type with that many levels, and ok when no bound was met.
func (r *renderer) attempt(levels int, render func() string) (text string, ok bool) {
	r.levels, r.room, r.over = levels, maxAttempt, false
	text = render()
	return text, !r.over
}

// What is spent on things, in units of work.
const (
	unitBytes = 64 // of a name or a text copied, what a unit more is spent on
	unitText  = 16 // bytes of a description that is cleaned
)

// spend takes units of work. Once there are none left all that is still to be shown
// is cut short.
func (r *renderer) spend(units int) {
	r.Spend(units)
	r.over = r.over || r.Spent()
}

// typeOf is the Python type of the values n describes. level counts the
// containers around it.
func (r *renderer) typeOf(n *node, level int) string {
	if r.over {
		return unknown
	}
	return r.text(r.look(n), level)
}

func (r *renderer) text(v *view, level int) string {
	mark := len(r.trail)
	r.trail = append(r.trail, v.Trail...)
	defer func() { r.trail = r.trail[:mark] }()

	if v.Never {
		return "Never"
	}
	parts := r.base(v, level)
	coarse := v.Values == nil && len(v.Properties) == 0 && v.Other() == nil && v.Items == nil && len(v.First) == 0
	for _, group := range v.Either {
		alternatives := r.union(group, level)
		switch {
		case alternatives == nil:
		case coarse:
			parts, coarse = alternatives, false
		default:
			parts = []string{join(parts) + " & " + join(alternatives)}
			r.spend(1 + len(parts[0])/unitBytes)
		}
	}
	if len(parts) == 0 {
		return unknown
	}
	return strings.Join(parts, " | ")
}

// base is the union of types a schema names itself, without its alternatives.
func (r *renderer) base(v *view, level int) []string {
	if v.Values != nil {
		return r.literals(v.Values)
	}
	var parts []string
	for _, t := range v.Types {
		text := pythonTypes[t]
		switch t {
		case "object":
			text = r.object(v, level)
		case "array":
			text = r.array(v, level)
		}
		parts = with(parts, text)
	}
	return parts
}

// union renders alternatives. One of which nothing is known makes them all not
// worth showing.
func (r *renderer) union(group []*node, level int) []string {
	var parts []string
	for i, n := range group {
		if i == maxUnion {
			return append(parts, "...")
		}
		text := r.typeOf(n, level)
		if text == unknown {
			return nil
		}
		parts = with(parts, text)
	}
	return parts
}

func (r *renderer) object(v *view, level int) string {
	if level >= r.levels {
		return "dict"
	}
	if len(v.Properties) == 0 {
		if !v.Other().Is(strictjson.Object) {
			return "dict"
		}
		if text := r.typeOf(v.Other(), level+1); text != unknown {
			return "dict[str, " + text + "]"
		}
		return "dict"
	}
	var fields []string
	for _, p := range v.Properties {
		if r.over {
			break
		}
		f := r.field(p)
		text := f.head + r.text(f.view, level+1) + f.tail
		fields = append(fields, text)
		if r.room -= len(f.head) + len(f.tail) + 8; r.room < 0 {
			r.over = true
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// field is one property: "name?: " before its type, " = default" after it.
type field struct {
	head, tail string
	view       *view
}

func (r *renderer) field(p schemaview.Property) field {
	r.spend(len(p.Name) / unitBytes)
	f := field{head: label(p.Name), view: r.look(p.Schemas...)}
	if !p.Required {
		f.head += "?"
	}
	f.head += ": "
	if f.view.Default != nil {
		f.tail = " = " + r.literal(f.view.Default, 0)
	}
	return f
}

func (r *renderer) array(v *view, level int) string {
	if level >= r.levels {
		return "list"
	}
	if len(v.First) == 0 {
		text := r.typeOf(v.Items, level+1)
		if text == unknown {
			return "list"
		}
		return "list[" + text + "]"
	}
	var parts []string
	for i, n := range v.First {
		if i == maxUnion {
			return "[" + strings.Join(append(parts, "..."), ", ") + "]"
		}
		parts = append(parts, r.typeOf(n, level+1))
	}
	if v.Items != nil {
		parts = append(parts, "*"+r.typeOf(v.Items, level+1))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// literals renders the values of an enum while there is room.
func (r *renderer) literals(values []*node) []string {
	var parts []string
	size := 0
	for _, n := range values {
		text := r.literal(n, 0)
		if size += len(text) + len(" | "); size > maxValues || r.Spent() {
			parts = append(parts, "...")
			break
		}
		parts = with(parts, text)
	}
	if r.room -= size; r.room < 0 {
		r.over = true
	}
	return parts
}

// literal writes a JSON value as Python would, bounded.
func (r *renderer) literal(n *node, depth int) string {
	const most, deepest = 8, 3 // elements of a list or dict, lists in lists
	if r.spend(1); r.Spent() {
		return "..."
	}
	switch n.Kind {
	case strictjson.String:
		return quoteCut(n.Text, maxLiteral)
	case strictjson.Truth:
		return strings.ToUpper(n.Text[:1]) + n.Text[1:]
	case strictjson.Null:
		return "None"
	case strictjson.Number:
		return cut.Marked(n.Text, maxLiteral, cutMark)
	}
	left, right := string(n.Kind), "]"
	if n.Kind == strictjson.Object {
		right = "}"
	}
	var parts []string
	if size := len(n.Members) + len(n.Elements); size > most || depth == deepest {
		return left + "..." + right
	}
	for _, m := range n.Members {
		parts = append(parts, quoteCut(m.Key, maxLiteral)+": "+r.literal(m.Value, depth+1))
	}
	for _, e := range n.Elements {
		parts = append(parts, r.literal(e, depth+1))
	}
	text := left + strings.Join(parts, ", ") + right
	if len(text) > maxCompound {
		return left + "..." + right
	}
	return text
}

// with adds s to list unless it is there.
func with(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// join writes a union as one operand.
func join(parts []string) string {
	switch len(parts) {
	case 0:
		return unknown
	case 1:
		return parts[0]
	}
	return "(" + strings.Join(parts, " | ") + ")"
}
