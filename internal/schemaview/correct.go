package schemaview

import (
	"regexp"
	"slices"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// correct takes out what is null, and makes "nullable" a type.
func correct(schema *Node) {
	for _, m := range schema.Members {
		if slices.Contains(mapKeywords, m.Key) {
			for _, named := range m.Value.Members {
				if named.Value.Is(strictjson.Null) {
					*named.Value = Node{Kind: strictjson.Object}
				}
			}
		}
		correctList(m.Key, m.Value)
	}
	schema.Delete(func(m strictjson.Member) bool {
		empty := m.Value.Is(strictjson.Array) && len(m.Value.Elements) == 0 && slices.Contains(groupKeywords, m.Key)
		return empty || m.Value.Is(strictjson.Null) && m.Key != "const" && m.Key != "default"
	})
	name := schema.Get("type")
	if !schema.Get("nullable").IsTrue() || !name.Is(strictjson.String) {
		return
	}
	*name = Node{Kind: strictjson.Array, Elements: []*Node{{Kind: strictjson.String, Text: name.Text}, {Kind: strictjson.String, Text: "null"}}}
	if values := schema.Get("enum"); values.Is(strictjson.Array) { // it allows null only if it lists it
		values.Elements = append(values.Elements, &Node{Kind: strictjson.Null, Text: "null"})
	}
}

// Keywords whose value is a list of schemas that is not empty.
var groupKeywords = []string{"allOf", "anyOf", "oneOf"}

// correctList puts right a list of schemas, types or names that has null in it.
func correctList(key string, list *Node) {
	isNull := func(n *Node) bool { return n.Is(strictjson.Null) }
	switch {
	case key == "dependentRequired":
		list.Delete(func(m strictjson.Member) bool { return isNull(m.Value) })
	case !list.Is(strictjson.Array):
	case slices.Contains(groupKeywords, key), key == "required":
		list.Elements = slices.DeleteFunc(list.Elements, isNull)
	case key == "type":
		for _, n := range list.Elements {
			if isNull(n) {
				*n = Node{Kind: strictjson.String, Text: "null"} // as YAML has it
			}
		}
	case key == "items", key == "prefixItems":
		for _, n := range list.Elements {
			if isNull(n) {
				*n = Node{Kind: strictjson.Object}
			}
		}
	}
}

// relax takes out of "required" what has a default and what cannot be there.
func (r *Reader) relax(schema *Node) {
	required, properties := schema.Get("required"), schema.Get("properties")
	if !required.Is(strictjson.Array) {
		return
	}
	closed := schema.Get("additionalProperties").IsFalse()
	required.Elements = slices.DeleteFunc(required.Elements, func(name *Node) bool {
		property := properties.Get(name.Text)
		if property == nil {
			return closed && !matched(schema.Get("patternProperties"), name.Text)
		}
		return r.View(nil, property).Default != nil
	})
}

// relaxRoot does the same where one part of the schema of all arguments requires
// what another one gives a default.
func (r *Reader) relaxRoot() {
	root := r.Root()
	for _, p := range root.Properties {
		if !p.Required || r.View(root.Trail, p.Schemas...).Default == nil {
			continue
		}
		for _, n := range root.All {
			if required := n.Get("required"); required.Is(strictjson.Array) {
				required.Elements = slices.DeleteFunc(required.Elements, func(name *Node) bool { return name.Text == p.Name })
			}
		}
	}
}

// Bounds of the patterns that a name is tried on. What is past them is taken to match.
const (
	maxPatterns = 64
	maxPattern  = 512 // bytes
)

// matched reports whether a name may fit one of the patterns.
func matched(patterns *Node, name string) bool {
	if patterns == nil {
		return false
	}
	for i, p := range patterns.Members {
		if i == maxPatterns || len(p.Key) > maxPattern {
			return true
		}
		if re, err := regexp.Compile(p.Key); err != nil || re.MatchString(name) {
			return true
		}
	}
	return false
}

// declares reports whether any schema that applies to a value says which properties
// it may have.
func (r *Reader) declares(v *View) bool {
	seen := map[*Node]bool{}
	for queue := []*View{v}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, key := range []string{"properties", "patternProperties", "additionalProperties", "unevaluatedProperties"} {
			if v.Keyword(key) != nil {
				return true
			}
		}
		for _, group := range append(v.Either, v.Sometimes) {
			for _, n := range group {
				if !seen[n] && !r.Spent() {
					seen[n] = true
					queue = append(queue, r.View(v.Trail, n))
				}
			}
		}
	}
	return r.Spent() // what could not be looked at may declare some
}
