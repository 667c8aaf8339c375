package schema

import (
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// Bounds of one validation. A unit of work is about one keyword looked at and
// takes well under a microsecond, also when it ends in an error that is kept;
// the longest validation takes some tenths of a second.
const (
	maxWork      = 500_000 // units
	maxArgsDepth = 64      // nesting of arguments
)

// typeSet is a set of JSON types as a bit mask.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeNumber // integers too
	typeString
	typeArray
	typeObject
)

func typesOf(types *jsonschema.Types) typeSet {
	if types == nil {
		return 0
	}
	var set typeSet
	for _, name := range types.ToStrings() {
		switch name {
		case "null":
			set |= typeNull
		case "boolean":
			set |= typeBoolean
		case "number", "integer":
			set |= typeNumber
		case "string":
			set |= typeString
		case "array":
			set |= typeArray
		case "object":
			set |= typeObject
		}
	}
	return set
}

func typeOf(v any) typeSet {
	switch v.(type) {
	case nil:
		return typeNull
	case bool:
		return typeBoolean
	case json.Number:
		return typeNumber
	case string:
		return typeString
	case []any:
		return typeArray
	case map[string]any:
		return typeObject
	}
	return 0
}

// affordable reports whether validating args takes at most maxWork units. It
// follows every path the validator could take, and some that it would not, and
// stops once it has seen enough: its own time is bounded by the same number.
func (s *Schema) affordable(args any) bool {
	w := work{left: maxWork}
	w.apply(s.root, args, 0)
	return w.left >= 0
}

type work struct{ left int }

// spend takes units and reports whether there were that many.
func (w *work) spend(units int) bool {
	w.left -= units
	return w.left >= 0
}

func (w *work) apply(n *node, v any, depth int) {
	if !w.spend(n.weight + depth/4) {
		return
	}
	if n.types != 0 && n.types&typeOf(v) == 0 {
		return // the validator stops here too
	}
	for _, same := range n.inPlace {
		if w.apply(same, v, depth); w.left < 0 {
			return
		}
	}
	switch v := v.(type) {
	case string:
		w.spend(n.pattern.cost(v))
	case json.Number:
		w.spend(len(v) / 8)
	case []any:
		w.array(n, v, depth)
	case map[string]any:
		w.object(n, v, depth)
	}
}

func (w *work) array(n *node, array []any, depth int) {
	if !w.spend(len(array) / 4) {
		return
	}
	if n.unique && !w.spend(uniqueCost(array)) {
		return
	}
	for i, e := range array {
		if i < len(n.tuple) {
			w.apply(n.tuple[i], e, depth+1)
		}
		for _, sub := range n.elements {
			if w.apply(sub, e, depth+1); w.left < 0 {
				return
			}
		}
	}
}

func (w *work) object(n *node, object map[string]any, depth int) {
	if !w.spend(len(object) / 4) {
		return
	}
	for key, e := range object {
		property := n.properties[key]
		if property != nil {
			w.apply(property, e, depth+1)
		}
		for _, p := range n.patterns {
			w.spend(2 * p.pattern.cost(key)) // is asked by the validator and by checkFolds
			w.apply(p.node, e, depth+1)
		}
		if property == nil {
			for _, sub := range n.additional {
				w.apply(sub, e, depth+1)
			}
		}
		if n.names != nil {
			w.apply(n.names, key, depth+1)
		}
		if w.left < 0 {
			return
		}
	}
}

// uniqueCost is what finding equal elements takes. Elements are hashed; arrays
// and objects can be made to collide, and are then compared with each other.
func uniqueCost(array []any) int {
	const few = 20 // up to here each is compared with each, see duplicates in jsonschema
	values, nested := 0, false
	for _, e := range array {
		values += size(e)
		if t := typeOf(e); t == typeArray || t == typeObject {
			nested = true
		}
	}
	if nested || len(array) <= few {
		return len(array) * values / 16
	}
	return values
}

// measureArgs reports whether args can be validated at all: nothing but JSON
// values, none nested too deep, no number too large to calculate with.
func measureArgs(v any, depth int) bool {
	if depth > maxArgsDepth {
		return false
	}
	switch v := v.(type) {
	case nil, bool, string:
		return true
	case json.Number:
		return strictjson.Exact(v)
	case []any:
		for _, e := range v {
			if !measureArgs(e, depth+1) {
				return false
			}
		}
		return true
	case map[string]any:
		for _, e := range v {
			if !measureArgs(e, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}
