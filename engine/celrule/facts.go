package celrule

import (
	"github.com/google/cel-go/common/types"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

// The variables that are the same for every tool, as CEL types over our own structs.
const toolType, sessionType = "$tool", "$session"

var hostFields = map[string]map[string]*types.FieldType{
	toolType: {
		"id":                hostField(types.StringType, func(t *engine.Tool) any { return t.ID }),
		"server":            hostField(types.StringType, func(t *engine.Tool) any { return t.Server }),
		"name":              hostField(types.StringType, func(t *engine.Tool) any { return t.Name }),
		"private":           hostField(types.BoolType, func(t *engine.Tool) any { return t.Private }),
		"labels":            hostField(types.NewListType(types.StringType), func(t *engine.Tool) any { return t.Labels }),
		"annotations":       hostField(types.NewMapType(types.StringType, types.BoolType), func(t *engine.Tool) any { return t.Annotations }),
		"definition_sha256": hostField(types.StringType, func(t *engine.Tool) any { return t.DefinitionSHA256 }),
	},
	sessionType: {
		"id":            hostField(types.StringType, func(s *engine.Session) any { return s.ID }),
		"labels":        hostField(types.NewListType(types.StringType), func(s *engine.Session) any { return s.Labels }),
		"label_sources": hostField(types.NewMapType(types.StringType, types.StringType), func(s *engine.Session) any { return s.LabelSources }),
		"calls":         hostField(types.IntType, func(s *engine.Session) any { return s.Calls }),
		"calls_by_tool": hostField(types.NewMapType(types.StringType, types.IntType), func(s *engine.Session) any { return s.CallsByTool }),
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
