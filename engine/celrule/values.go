package celrule

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// anyJSON adapts values whose shape no schema tells.
var anyJSON types.Adapter = adapter{&shape{kind: anyShape}}

// adapter makes CEL values of JSON values of one shape. CEL by itself takes a json.Number for
// a string; here it is an int when it is one, and else a double.
type adapter struct{ shape *shape }

func (a adapter) NativeToValue(value any) ref.Val {
	v, err := a.shape.value(value)
	if err != nil {
		return types.WrapErr(err)
	}
	if v, ok := v.(ref.Val); ok {
		return v
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

// value checks that x is of the shape and returns what CEL computes with. Objects stay Go
// maps as long as only their fields are asked for.
func (s *shape) value(x any) (any, error) {
	if v, ok := x.(ref.Val); ok {
		return v, nil
	}
	if x == nil && (s.nullable || s.kind == anyShape) {
		return types.NullValue, nil
	}
	switch s.kind {
	case anyShape:
		return anyValue(x)
	case intShape:
		return integer(x)
	case doubleShape:
		return double(x)
	case boolShape:
		if _, ok := x.(bool); ok {
			return x, nil
		}
	case stringShape:
		if v, ok := x.(string); ok {
			return v, nil
		}
	case listShape:
		if v, ok := x.([]any); ok {
			return types.NewDynamicList(adapter{s.elem}, v), nil
		}
	case mapShape:
		if v, ok := x.(map[string]any); ok {
			return types.NewStringInterfaceMap(adapter{s.elem}, v), nil
		}
	case objectShape:
		if v, ok := x.(map[string]any); ok {
			return objectValue{v, s}, nil
		}
	}
	return nil, fmt.Errorf("the schema promises %s, the value is %s", typeName(s.celType()), jsonKind(x))
}

func anyValue(x any) (any, error) {
	switch x := x.(type) {
	case json.Number:
		if i, err := integer(x); err == nil {
			return i, nil
		}
		return double(x)
	case []any:
		return types.NewDynamicList(anyJSON, x), nil
	case map[string]any:
		return types.NewStringInterfaceMap(anyJSON, x), nil
	default:
		return x, nil
	}
}

func jsonKind(x any) string {
	switch x.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "of an unknown kind"
}

// objectValue is an object of known shape that is used as a whole, as an element of a list.
type objectValue struct {
	fields map[string]any
	shape  *shape
}

func (o objectValue) Value() any     { return o.fields }
func (o objectValue) Type() ref.Type { return o.shape.celType() }

func (o objectValue) Equal(other ref.Val) ref.Val {
	return types.NewStringInterfaceMap(anyJSON, o.fields).Equal(asMap(other))
}

// asMap lets an object of known shape be compared with one of unknown shape.
func asMap(v ref.Val) ref.Val {
	if o, ok := v.(objectValue); ok {
		return types.NewStringInterfaceMap(anyJSON, o.fields)
	}
	return v
}

func (o objectValue) ConvertToType(t ref.Type) ref.Val {
	if t == types.TypeType {
		return o.shape.celType()
	}
	return types.NewErr("an object can not be converted to %s", t.TypeName())
}

func (o objectValue) ConvertToNative(t reflect.Type) (any, error) {
	if reflect.TypeOf(o.fields).AssignableTo(t) {
		return o.fields, nil
	}
	return nil, fmt.Errorf("an object can not be converted to %s", t)
}
