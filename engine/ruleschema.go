package engine

import (
	"encoding/json"
	"slices"

	"github.com/google/cel-go/common/types"
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
			if _, _, integral := decimal(string(v)); integral {
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

// The variables that are the same for every tool, as CEL types over our own structs.
const toolType, sessionType = "$tool", "$session"

var hostFields = map[string]map[string]*types.FieldType{
	toolType: {
		"id":                hostField(types.StringType, func(t *Tool) any { return t.ID }),
		"server":            hostField(types.StringType, func(t *Tool) any { return t.Server }),
		"name":              hostField(types.StringType, func(t *Tool) any { return t.Name }),
		"private":           hostField(types.BoolType, func(t *Tool) any { return t.Private }),
		"labels":            hostField(types.NewListType(types.StringType), func(t *Tool) any { return t.Labels }),
		"annotations":       hostField(types.NewMapType(types.StringType, types.BoolType), func(t *Tool) any { return t.Annotations }),
		"definition_sha256": hostField(types.StringType, func(t *Tool) any { return t.DefinitionSHA256 }),
	},
	sessionType: {
		"id":            hostField(types.StringType, func(s *Session) any { return s.ID }),
		"labels":        hostField(types.NewListType(types.StringType), func(s *Session) any { return s.Labels }),
		"label_sources": hostField(types.NewMapType(types.StringType, types.StringType), func(s *Session) any { return s.LabelSources }),
		"calls":         hostField(types.IntType, func(s *Session) any { return s.Calls }),
		"calls_by_tool": hostField(types.NewMapType(types.StringType, types.IntType), func(s *Session) any { return s.CallsByTool }),
	},
}

// hostField reads a field of a value of ours. It is always there.
func hostField[T any](t *types.Type, get func(*T) any) *types.FieldType {
	return &types.FieldType{
		Type:    t,
		IsSet:   func(any) bool { return true },
		GetFrom: func(target any) (any, error) { return get(target.(*T)), nil },
	}
}
