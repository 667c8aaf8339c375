package stub

import (
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// pythonTypes maps JSON types to what a model calls them in Python.
var pythonTypes = map[string]string{
	"string": "str", "integer": "int", "number": "float", "boolean": "bool",
	"null": "None", "array": "list", "object": "dict",
}

// Limits of the types of one schema. Together they bound time and memory
// whatever the schema: exponential references, endless unions, recursion, one
// wide object that is referred to from everywhere.
const (
	maxWork     = 160_000 // units of work, all attempts together; see spend
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
	root   *node
	trail  []*node // what is being shown, against recursion
	levels int     // containers shown inside each other
	work   int     // units that may still be spent
	room   int     // bytes the attempt may still write
	over   bool    // a limit was met
}

func newRenderer(root *node) *renderer {
	return &renderer{root: root, levels: MaxLevels, work: maxWork, room: maxAttempt}
}

// attempt renders a type with that many levels, and ok when no limit was met.
func (r *renderer) attempt(levels int, render func() string) (text string, ok bool) {
	r.levels, r.room, r.over = levels, maxAttempt, false
	text = render()
	return text, !r.over
}

// What is spent on things, in units of well under a microsecond.
const (
	visitUnits  = 8  // a schema looked at, besides what is in it
	anchorUnits = 32 // the definitions searched for an anchor
	unitBytes   = 64 // of a name or a text copied, what a unit more is spent on
	unitText    = 16 // bytes of a description that is cleaned
	unitTrail   = 16 // of the schemas being shown, searched for another one
)

// spend takes units of work. Whatever repeats with the schema spends some, so
// that once there are none left all that is still to be shown is cut short.
func (r *renderer) spend(units int) {
	if r.work -= units; r.work < 0 {
		r.over = true
	}
}

// spendName spends what finding a property of that name takes.
func (r *renderer) spendName(name string) { r.spend(1 + len(name)/unitBytes) }

// typeOf is the Python type of the values n describes. level counts the
// containers around it.
func (r *renderer) typeOf(n *node, level int) string {
	if r.over {
		return unknown
	}
	return r.text(r.view(n), level)
}

func (r *renderer) text(v *view, level int) string {
	mark := len(r.trail)
	r.trail = append(r.trail, v.trail...)
	defer func() { r.trail = r.trail[:mark] }()

	if v.never {
		return "Never"
	}
	parts := r.base(v, level)
	coarse := v.values == nil && len(v.names) == 0 && v.open == nil && v.items == nil && len(v.first) == 0
	for _, group := range v.either {
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
	if v.nullable {
		parts = with(parts, "None")
	}
	return strings.Join(parts, " | ")
}

// base is the union of types a schema names itself, without its alternatives.
func (r *renderer) base(v *view, level int) []string {
	if v.values != nil {
		return r.literals(v.values)
	}
	var parts []string
	for _, t := range v.types {
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
	if len(v.names) == 0 {
		if !v.open.Is(strictjson.Object) {
			return "dict"
		}
		if text := r.typeOf(v.open, level+1); text != unknown {
			return "dict[str, " + text + "]"
		}
		return "dict"
	}
	var fields []string
	for _, name := range v.names {
		if r.over {
			break
		}
		f := r.field(v, name)
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

func (r *renderer) field(v *view, name string) field {
	r.spend(len(name) / unitBytes)
	f := field{head: label(name), view: r.view(v.props[name])}
	if !v.required[name] {
		f.head += "?"
	}
	f.head += ": "
	if f.view.value != nil {
		f.tail = " = " + r.literal(f.view.value, 0)
	}
	return f
}

func (r *renderer) array(v *view, level int) string {
	if level >= r.levels {
		return "list"
	}
	if len(v.first) == 0 {
		text := r.typeOf(v.items, level+1)
		if text == unknown {
			return "list"
		}
		return "list[" + text + "]"
	}
	var parts []string
	for i, n := range v.first {
		if i == maxUnion {
			return "[" + strings.Join(append(parts, "..."), ", ") + "]"
		}
		parts = append(parts, r.typeOf(n, level+1))
	}
	if v.items != nil {
		parts = append(parts, "*"+r.typeOf(v.items, level+1))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// literals renders the values of an enum while there is room.
func (r *renderer) literals(values []*node) []string {
	var parts []string
	size := 0
	for _, n := range values {
		text := r.literal(n, 0)
		if size += len(text) + len(" | "); size > maxValues || r.work < 0 {
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
	if r.spend(1); r.work < 0 {
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
		return cutTo(n.Text, maxLiteral)
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
	if contains(list, s) {
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
