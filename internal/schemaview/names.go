package schemaview

import (
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// TypesOf returns the types that the values of an enum have, in order.
func TypesOf(values []*Node) (types []string) {
	seen := map[string]bool{}
	for _, v := range values {
		name := map[strictjson.Kind]string{
			strictjson.Null: "null", strictjson.Truth: "boolean", strictjson.String: "string",
			strictjson.Array: "array", strictjson.Object: "object", strictjson.Number: "integer",
		}[v.Kind]
		if v.Kind == strictjson.Number && strings.ContainsAny(v.Text, ".eE") {
			name = "number"
		}
		if !seen[name] {
			seen[name] = true
			types = append(types, name)
		}
	}
	return types
}

// Names are the properties that a value may have by any of the schemas which apply
// to it, those of alternatives and conditions too.
type Names struct {
	Known    map[string]bool
	Patterns []string // for further names
	Open     bool     // others are allowed
}

// Names returns which properties values of a View may have.
func (r *Reader) Names(v *View) Names {
	names := Names{Known: map[string]bool{}}
	seen := map[*Node]bool{}
	for queue := []*View{v}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, p := range v.Properties {
			names.Known[p.Name] = true
		}
		for _, p := range v.Patterns {
			names.Patterns = append(names.Patterns, p.Key)
		}
		names.Open = names.Open || v.Open != nil
		for _, group := range append(v.Either, v.Sometimes) {
			for _, n := range group {
				if !seen[n] && !r.Spent() {
					seen[n] = true
					queue = append(queue, r.View(v.Trail, n))
				}
			}
		}
	}
	return names
}
