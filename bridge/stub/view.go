package stub

import "slices"

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
	if n.isFalse() {
		v.never = true
	}
	if n == nil || n.kind != object {
		return
	}
	v.mergeTypes(n.get("type"))
	r.mergeObject(n, v)
	v.mergeArray(n)
	v.mergeValues(n)
	v.nullable = v.nullable || n.get("nullable").isTrue()
	for _, key := range []string{"anyOf", "oneOf"} {
		if group := n.get(key).elements(); len(group) > 0 {
			v.either = append(v.either, group)
		}
	}
	if ref := n.get("$ref"); ref != nil && ref.kind == str {
		r.follow(ref.text, v)
	}
	for _, part := range n.get("allOf").elements() {
		r.merge(part, v)
	}
}

// follow merges what a reference points at. Where it leads back to something
// that is being shown, only the type is taken.
func (r *renderer) follow(ref string, v *view) {
	r.spend(referenceUnits(ref) + (len(v.trail)+len(r.trail))/unitTrail)
	target := r.root.resolve(ref)
	if target == nil {
		return
	}
	if slices.Contains(v.trail, target) || slices.Contains(r.trail, target) {
		v.mergeTypes(target.get("type"))
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
	listed := n.elements()
	if n.kind == str {
		listed = []*node{n}
	}
	var types []string
	for _, t := range listed[:min(len(listed), most)] {
		if t.kind == str && pythonTypes[t.text] != "" && !contains(types, t.text) {
			types = append(types, t.text)
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
	properties := n.get("properties")
	for i, p := range properties.members() {
		name := properties.keys[i]
		r.spendName(name)
		if v.props[name] != nil || properties.get(name) != p {
			continue // said before, or said again below
		}
		v.add(name, p)
	}
	for _, name := range n.get("required").elements() {
		if r.spendName(name.text); name.kind != str {
			continue
		}
		if v.required == nil {
			v.required = map[string]bool{}
		}
		v.required[name.text] = true
	}
	for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
		if open := n.get(key); v.open == nil && open != nil && !open.isFalse() {
			v.open = open
		}
	}
	if patterns := n.get("patternProperties").members(); v.open == nil && len(patterns) > 0 {
		v.open = patterns[0]
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
	items, first := n.get("items"), n.get("prefixItems").elements()
	if items != nil && items.kind == array { // as drafts before 2020-12 write it
		items, first = n.get("additionalItems"), items.elements()
	}
	if v.first == nil {
		v.first = first
	}
	if v.items == nil && !items.isFalse() {
		v.items = items
	}
}

func (v *view) mergeValues(n *node) {
	if only := n.get("const"); v.values == nil && only != nil {
		v.values = []*node{only}
	}
	if values := n.get("enum").elements(); v.values == nil && len(values) > 0 {
		v.values = values
	}
	if v.value == nil {
		v.value = n.get("default")
	}
	if about := n.get("description"); v.about == "" && about != nil && about.kind == str {
		v.about = about.text
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
		v.add(name, &node{kind: object})
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
