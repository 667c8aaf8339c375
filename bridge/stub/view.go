package stub

import (
	"slices"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// view is what a schema says of a value once its references and allOf are
// taken together.
type view struct {
	types    []string // JSON type names; nil: any
	nullable bool     // OpenAPI's way to say "or null"
	never    bool     // nothing is valid
	names    []string // properties in the order of the document
	props    map[string]*node
	required map[string]bool
	open     *node     // what other properties look like; nil: nothing is said
	items    *node     // of an array
	first    []*node   // of an array: its first elements, one by one
	values   []*node   // enum or const; nil: any
	either   [][]*node // groups of alternatives, anyOf and oneOf
	value    *node     // default
	about    string    // description
	trail    []*node   // the schema and what it refers to
}

// view reads one schema.
func (r *renderer) view(n *node) *view {
	v := &view{trail: []*node{n}}
	r.merge(n, v)
	v.infer()
	return v
}

// merge adds what n says to v. What is nearer to the schema comes first and
// wins where only one can be shown.
func (r *renderer) merge(n *node, v *view) {
	if r.work < 0 {
		r.over = true
		return
	}
	r.spend(visitUnits)
	if n.IsFalse() {
		v.never = true
	}
	if !n.Is(strictjson.Object) {
		return
	}
	v.mergeTypes(n.Get("type"))
	r.mergeObject(n, v)
	v.mergeArray(n)
	v.mergeValues(n)
	v.nullable = v.nullable || n.Get("nullable").IsTrue()
	for _, key := range []string{"anyOf", "oneOf"} {
		if group := n.Get(key).List(); len(group) > 0 {
			v.either = append(v.either, group)
		}
	}
	if ref := n.Get("$ref"); ref.Is(strictjson.String) {
		r.follow(ref.Text, v)
	}
	for _, part := range n.Get("allOf").List() {
		r.merge(part, v)
	}
}

// follow merges what a reference points at. Where it leads back to something
// that is being shown, only the type is taken.
func (r *renderer) follow(ref string, v *view) {
	r.spend(referenceUnits(ref) + (len(v.trail)+len(r.trail))/unitTrail)
	target := resolve(r.root, ref)
	if target == nil {
		return
	}
	if slices.Contains(v.trail, target) || slices.Contains(r.trail, target) {
		v.mergeTypes(target.Get("type"))
		return
	}
	v.trail = append(v.trail, target)
	r.merge(target, v)
}

// mergeTypes keeps the types that all of a schema's parts agree on.
func (v *view) mergeTypes(n *node) {
	const most = 16 // types listed; there are seven
	if n == nil {
		return
	}
	listed := n.List()
	if n.Kind == strictjson.String {
		listed = []*node{n}
	}
	var types []string
	for _, t := range listed[:min(len(listed), most)] {
		if t.Kind == strictjson.String && pythonTypes[t.Text] != "" && !contains(types, t.Text) {
			types = append(types, t.Text)
		}
	}
	if v.types == nil {
		v.types = types
		return
	}
	both := slices.DeleteFunc(slices.Clone(v.types), func(t string) bool { return !contains(types, t) })
	if len(both) > 0 {
		v.types = both
	}
}

func (r *renderer) mergeObject(n *node, v *view) {
	properties := n.Get("properties")
	for _, p := range members(properties) {
		r.spendName(p.Key)
		if v.props[p.Key] != nil || properties.Get(p.Key) != p.Value {
			continue // said before, or said again below
		}
		v.add(p.Key, p.Value)
	}
	for _, name := range n.Get("required").List() {
		if r.spendName(name.Text); name.Kind != strictjson.String {
			continue
		}
		if v.required == nil {
			v.required = map[string]bool{}
		}
		v.required[name.Text] = true
	}
	for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
		if open := n.Get(key); v.open == nil && open != nil && !open.IsFalse() {
			v.open = open
		}
	}
	if patterns := members(n.Get("patternProperties")); v.open == nil && len(patterns) > 0 {
		v.open = patterns[0].Value
	}
}

func (v *view) add(name string, p *node) {
	if v.props == nil {
		v.props = map[string]*node{}
	}
	v.props[name] = p
	v.names = append(v.names, name)
}

func (v *view) mergeArray(n *node) {
	items, first := n.Get("items"), n.Get("prefixItems").List()
	if items.Is(strictjson.Array) { // as drafts before 2020-12 write it
		items, first = n.Get("additionalItems"), items.List()
	}
	if v.first == nil {
		v.first = first
	}
	if v.items == nil && !items.IsFalse() {
		v.items = items
	}
}

func (v *view) mergeValues(n *node) {
	if only := n.Get("const"); v.values == nil && only != nil {
		v.values = []*node{only}
	}
	if values := n.Get("enum").List(); v.values == nil && len(values) > 0 {
		v.values = values
	}
	if v.value == nil {
		v.value = n.Get("default")
	}
	if about := n.Get("description"); v.about == "" && about != nil && about.Kind == strictjson.String {
		v.about = about.Text
	}
}

// infer completes what a schema leaves unsaid: required properties it does not
// describe, and the type of something that has properties or items. Required
// properties come first, each kind in the order of the document.
func (v *view) infer() {
	var rest []string
	for name := range v.required {
		if v.props[name] == nil {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	for _, name := range rest {
		v.add(name, &node{Kind: strictjson.Object})
	}
	first := make([]string, 0, len(v.names))
	for _, required := range []bool{true, false} {
		for _, name := range v.names {
			if v.required[name] == required {
				first = append(first, name)
			}
		}
	}
	v.names = first
	switch {
	case v.types != nil || v.values != nil:
	case len(v.names) > 0 || v.open != nil:
		v.types = []string{"object"}
	case v.items != nil || len(v.first) > 0:
		v.types = []string{"array"}
	}
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }
