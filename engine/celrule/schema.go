package celrule

import (
	"encoding/json"
	"slices"
)

// Small readers of JSON Schema. They take what is odd for what says nothing.

func asSchema(x any) map[string]any {
	m, _ := x.(map[string]any)
	return m
}

func asArray(x any) []any {
	l, _ := x.([]any)
	return l
}

// admits reports whether additionalProperties lets other properties in, in so many words.
func admits(additional any) bool {
	switch x := additional.(type) {
	case bool:
		return x
	case map[string]any:
		return true
	}
	return false
}

// combines reports whether a schema says by other schemas what it is.
func combines(schema any) bool {
	m := asSchema(schema)
	return m["$ref"] != nil || m["allOf"] != nil || m["anyOf"] != nil || m["oneOf"] != nil
}

func isNull(m map[string]any) bool {
	names, nullable := typeNames(m)
	return nullable && len(names) == 0
}

// typeNames returns the types that a schema names, sorted, and whether null is one of them.
// Where it names none, enum, const and properties tell.
func typeNames(m map[string]any) (names []string, nullable bool) {
	switch t := m["type"].(type) {
	case string:
		names = []string{t}
	case []any:
		for _, one := range t {
			if name, ok := one.(string); ok {
				names = append(names, name)
			}
		}
	default:
		names = impliedTypes(m)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if i := slices.Index(names, "null"); i >= 0 {
		return slices.Delete(names, i, i+1), true
	}
	return names, false
}

func impliedTypes(m map[string]any) []string {
	values := asArray(m["enum"])
	if c, ok := m["const"]; ok {
		values = []any{c}
	}
	if len(values) == 0 && m["properties"] != nil {
		return []string{"object"}
	}
	var names []string
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			names = append(names, "null")
		case bool:
			names = append(names, "boolean")
		case string:
			names = append(names, "string")
		case json.Number:
			if parseDecimal(string(v)).integral() {
				names = append(names, "integer")
			} else {
				names = append(names, "number")
			}
		default:
			return nil
		}
	}
	return names
}
