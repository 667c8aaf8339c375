package schemaview

import (
	"slices"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// View is what a schema says of a value once its references and allOf are taken
// together. What is nearer to the schema comes first, and wins where only one
// can count.
type View struct {
	Types      []string // JSON type names that all parts agree on; nil: any
	Never      bool     // nothing is valid
	Properties []Property
	Patterns   []strictjson.Member // what properties look like whose names match
	Open       *Node               // what other properties look like; nil: nothing is said of them, or there are none
	Items      *Node               // of an array
	First      []*Node             // of an array: its first elements, one by one
	Values     []*Node             // enum or const; nil: any
	Default    *Node               // nil: none
	Header     *Node               // x-mcp-header; nil: none
	About      string              // description
	Either     [][]*Node           // groups of alternatives, anyOf and oneOf
	Sometimes  []*Node             // schemas that apply on a condition

	Trail []*Node // the schemas and what they refer to
	Parts []*Node // those of them that say of which type the value is, or what is in it
	All   []*Node // Trail, and the parts of allOf: whatever holds of the value, nearest first

	index map[string]int // of the properties by name
}

// Property is one property. Those that are required come first, each kind in the
// order of the document; then those that are required and nowhere described.
type Property struct {
	Name     string
	Required bool
	Schemas  []*Node // all that describe it
}

// Other returns what a property may look like that has no name here, nil where
// nothing is said.
func (v *View) Other() *Node {
	if v.Open == nil && len(v.Patterns) > 0 {
		return v.Patterns[0].Value
	}
	return v.Open
}

// Keyword returns the value that the nearest schema gives a keyword, nil where none does.
func (v *View) Keyword(name string) *Node {
	for _, n := range v.All {
		if value := n.Get(name); value != nil {
			return value
		}
	}
	return nil
}

// Property returns the property of that name, or nil.
func (v *View) Property(name string) *Property {
	if i, ok := v.index[name]; ok {
		return &v.Properties[i]
	}
	return nil
}

// TypeNames are the names of the JSON types.
var TypeNames = []string{"string", "integer", "number", "boolean", "null", "array", "object"}

// MaxWork is the work that one Reader can do, in units of well under a microsecond.
const MaxWork = 160_000

// What is spent on things, in units.
const (
	visitUnits  = 8  // a schema looked at, besides what is in it
	anchorUnits = 32 // the definitions searched for an anchor
	unitBytes   = 64 // of a name looked up, what a unit more is spent on
	unitTrail   = 16 // of the schemas on the way, searched for another one
)

// Reader makes Views of the schemas of a document while its work lasts. Whatever
// repeats with the schema spends some. When none is left, Views are of what was
// seen until then.
type Reader struct {
	doc  *Document
	left int
}

// Reader returns a Reader with MaxWork to do.
func (d *Document) Reader() *Reader { return &Reader{doc: d, left: MaxWork} }

// Spend takes units of work.
func (r *Reader) Spend(units int) { r.left -= units }

// Spent reports whether no work is left.
func (r *Reader) Spent() bool { return r.left < 0 }

// Root returns the View of the whole document.
func (r *Reader) Root() *View { return r.View(nil, r.doc.Root) }

// View returns what the schemas, all of one value, say. Within are the schemas that
// are being looked at already: of a reference that leads back to one of them, or to
// one on the way, only the type is taken.
func (r *Reader) View(within []*Node, schemas ...*Node) *View {
	v := &View{Trail: slices.Clone(schemas)}
	m := merger{r: r, v: v, within: within}
	for _, n := range schemas {
		m.merge(n)
	}
	m.complete()
	return v
}

// merger gathers one View.
type merger struct {
	r        *Reader
	v        *View
	within   []*Node
	required map[string]bool
}

func (m *merger) merge(n *Node) {
	if m.r.Spent() {
		return
	}
	m.r.Spend(visitUnits)
	m.v.Never = m.v.Never || n.IsFalse()
	if !n.Is(strictjson.Object) {
		return
	}
	m.v.All = append(m.v.All, n)
	if n.Get("type") != nil || n.Get("properties") != nil || n.Get("patternProperties") != nil || n.Get("additionalProperties") != nil {
		m.v.Parts = append(m.v.Parts, n)
	}
	m.types(n.Get("type"))
	m.object(n)
	m.array(n)
	m.values(n)
	m.alternatives(n)
	if ref := n.Get("$ref"); ref.Is(strictjson.String) {
		m.follow(ref.Text)
	}
	for _, part := range n.Get("allOf").List() {
		m.merge(part)
	}
}

// follow merges what a reference points at.
func (m *merger) follow(ref string) {
	m.r.Spend(referenceUnits(ref) + (len(m.v.Trail)+len(m.within))/unitTrail)
	target := m.r.doc.Resolve(ref)
	if target == nil {
		return
	}
	if slices.Contains(m.v.Trail, target) || slices.Contains(m.within, target) {
		m.types(target.Get("type"))
		return
	}
	m.v.Trail = append(m.v.Trail, target)
	m.merge(target)
}

// referenceUnits is what resolving a reference takes, in units of work.
func referenceUnits(ref string) int {
	if strings.HasPrefix(ref, "#") && !strings.HasPrefix(ref, "#/") && len(ref) > 1 {
		return anchorUnits
	}
	return min(len(ref), maxReference) / 8 // a step for each two bytes at most
}

// types keeps the types that all of a schema's parts agree on.
func (m *merger) types(n *Node) {
	const most = 16 // types listed; there are seven
	if n == nil {
		return
	}
	listed := n.List()
	if n.Kind == strictjson.String {
		listed = []*Node{n}
	}
	var types []string
	for _, t := range listed[:min(len(listed), most)] {
		if t.Is(strictjson.String) && slices.Contains(TypeNames, t.Text) && !slices.Contains(types, t.Text) {
			types = append(types, t.Text)
		}
	}
	if m.v.Types == nil {
		m.v.Types = types
	} else if both := agreed(m.v.Types, types); len(both) > 0 {
		m.v.Types = both
	}
}

// agreed returns the types in both lists. An integer is a number.
func agreed(a, b []string) []string {
	var both []string
	for _, t := range a {
		switch {
		case slices.Contains(b, t), t == "integer" && slices.Contains(b, "number"):
			both = append(both, t)
		case t == "number" && slices.Contains(b, "integer"):
			both = append(both, "integer")
		}
	}
	return slices.Compact(both)
}

func (m *merger) object(n *Node) {
	properties := n.Get("properties")
	if properties.Is(strictjson.Object) {
		for _, p := range properties.Members {
			m.spendName(p.Key)
			if properties.Get(p.Key) == p.Value { // else it is said again below
				m.add(p.Key, p.Value)
			}
		}
	}
	for _, name := range n.Get("required").List() {
		if m.spendName(name.Text); !name.Is(strictjson.String) {
			continue
		}
		if m.required == nil {
			m.required = map[string]bool{}
		}
		m.required[name.Text] = true
	}
	for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
		if open := n.Get(key); m.v.Open == nil && open != nil && !open.IsFalse() {
			m.v.Open = open
		}
	}
	if patterns := n.Get("patternProperties"); patterns.Is(strictjson.Object) {
		for _, p := range patterns.Members {
			m.spendName(p.Key)
			m.v.Patterns = append(m.v.Patterns, p)
		}
	}
}

func (m *merger) add(name string, schema *Node) {
	if p := m.v.Property(name); p != nil {
		p.Schemas = append(p.Schemas, schema)
		return
	}
	if m.v.index == nil {
		m.v.index = map[string]int{}
	}
	m.v.index[name] = len(m.v.Properties)
	m.v.Properties = append(m.v.Properties, Property{Name: name, Schemas: []*Node{schema}})
}

// spendName spends what finding a property of that name takes.
func (m *merger) spendName(name string) { m.r.Spend(1 + len(name)/unitBytes) }

func (m *merger) array(n *Node) {
	items, first := n.Get("items"), n.Get("prefixItems").List()
	if items.Is(strictjson.Array) { // as drafts before 2020-12 write it
		items, first = n.Get("additionalItems"), items.Elements
	}
	if m.v.First == nil {
		m.v.First = first
	}
	if m.v.Items == nil && !items.IsFalse() {
		m.v.Items = items
	}
}

func (m *merger) values(n *Node) {
	if only := n.Get("const"); m.v.Values == nil && only != nil {
		m.v.Values = []*Node{only}
	}
	if values := n.Get("enum").List(); m.v.Values == nil && len(values) > 0 {
		m.v.Values = values
	}
	if m.v.Default == nil {
		m.v.Default = n.Get("default")
	}
	if m.v.Header == nil {
		m.v.Header = n.Get("x-mcp-header")
	}
	if about := n.Get("description"); m.v.About == "" && about.Is(strictjson.String) {
		m.v.About = about.Text
	}
}

func (m *merger) alternatives(n *Node) {
	for _, key := range []string{"anyOf", "oneOf"} {
		if group := n.Get(key).List(); len(group) > 0 {
			m.v.Either = append(m.v.Either, group)
		}
	}
	for _, key := range []string{"if", "then", "else"} {
		if s := n.Get(key); s != nil {
			m.v.Sometimes = append(m.v.Sometimes, s)
		}
	}
	for _, key := range []string{"dependentSchemas", "dependencies"} {
		if named := n.Get(key); named != nil {
			for _, d := range named.Members {
				m.v.Sometimes = append(m.v.Sometimes, d.Value)
			}
		}
	}
}

// anything is what describes a property that is nowhere described.
var anything = []*Node{{Kind: strictjson.Object}}

// complete adds what a schema leaves unsaid: required properties it does not
// describe, and the type where values, properties or items tell.
func (m *merger) complete() {
	v := m.v
	var rest []string
	for name := range m.required {
		if v.Property(name) == nil {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	v.Properties = slices.Grow(v.Properties, len(rest))
	for _, name := range rest {
		v.Properties = append(v.Properties, Property{Name: name, Schemas: anything})
	}
	for i := range v.Properties {
		v.Properties[i].Required = m.required[v.Properties[i].Name]
	}
	slices.SortStableFunc(v.Properties, func(a, b Property) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	if v.index == nil {
		v.index = make(map[string]int, len(v.Properties))
	}
	for i, p := range v.Properties {
		v.index[p.Name] = i
	}
	switch {
	case v.Types != nil:
	case v.Values != nil:
		v.Types = TypesOf(v.Values)
	case len(v.Properties) > 0:
		v.Types = []string{"object"}
	case len(v.Either) > 0: // the alternatives tell
	case v.Other() != nil:
		v.Types = []string{"object"}
	case v.Items != nil || len(v.First) > 0:
		v.Types = []string{"array"}
	}
}
