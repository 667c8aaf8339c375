package celrule

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// anyJSON adapts values whose shape no schema tells.
var anyJSON types.Adapter = adapter{&shape{kind: anyShape}}

// adapter makes CEL values of JSON values of one shape. CEL by itself takes a json.Number for
// a string; here it is an int when it is integral, and else a double.
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
	return nil, fmt.Errorf("the schema promises %s, the value is %s", s.celType(), jsonKind(x))
}

func anyValue(x any) (any, error) {
	switch x := x.(type) {
	case json.Number:
		if _, _, integral := decimal(string(x)); integral {
			return integer(x)
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

// integer is the number as an int, exactly or not at all.
func integer(x any) (any, error) {
	n, ok := x.(json.Number)
	if !ok || !isNumber(string(n)) {
		return nil, fmt.Errorf("the schema promises an integer, the value is %s", jsonKind(x))
	}
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return types.Int(i), nil
	}
	digits, zeros, integral := decimal(string(n))
	if !integral {
		return nil, errors.New("the schema promises an integer, the value has a fraction")
	}
	if zeros < 20 { // the digits have no zeros at their end, so with 20 more it is out of range
		if i, err := strconv.ParseInt(digits+strings.Repeat("0", zeros), 10, 64); err == nil {
			return types.Int(i), nil
		}
	}
	return nil, errors.New("the number is out of range for an integer")
}

// double is the number as a double. A decimal is rounded, as everywhere in JSON. An integer is
// not: past 2^53 rounding would take one number for another.
func double(x any) (any, error) {
	n, ok := x.(json.Number)
	if !ok || !isNumber(string(n)) {
		return nil, fmt.Errorf("the schema promises a number, the value is %s", jsonKind(x))
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, errors.New("the number is out of range for a double")
	}
	if math.Abs(f) >= 1<<53 && !strings.ContainsAny(string(n), ".eE") {
		if new(big.Float).SetFloat64(f).Text('f', 0) != string(n) {
			return nil, errors.New("the integer can not be written as a double")
		}
	}
	return types.Double(f), nil
}

// decimal takes a JSON number apart: its digits with the sign and without zeros at the end, how
// many zeros follow them, and whether it is integral. "12.50e2" is "125" and one zero.
func decimal(n string) (digits string, zeros int, integral bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(n), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	trimmed := strings.TrimRight(whole+fraction, "0")
	if trimmed == "" || trimmed == "-" {
		return "0", 0, true
	}
	exp := 0
	if exponent != "" {
		var err error
		if exp, err = strconv.Atoi(exponent); err != nil || exp > math.MaxInt32 || exp < math.MinInt32 {
			return trimmed, math.MaxInt32, !strings.HasPrefix(exponent, "-")
		}
	}
	zeros = exp + len(whole) - len(trimmed)
	if zeros < 0 {
		return trimmed, 0, false
	}
	return trimmed, zeros, true
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

// isNumber reports whether s is a number as JSON writes them.
func isNumber(s string) bool {
	return strings.Trim(s, "+-.0123456789eE") == "" && json.Valid([]byte(s))
}
