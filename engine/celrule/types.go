package celrule

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Bounds on reading a schema, which comes from the wrapped server. Past them a type is `dyn`.
const (
	maxSchemaDepth = 32     // levels of $ref, allOf, anyOf and lists in one type
	maxSchemaSteps = 20_000 // schemas looked at for one rule
)

type shapeKind int

const (
	anyShape shapeKind = iota
	boolShape
	intShape
	doubleShape
	stringShape
	listShape
	mapShape
	objectShape
)

// shape is what a JSON Schema promises about a value, as far as a rule's types need it.
type shape struct {
	kind     shapeKind
	nullable bool
	elem     *shape // of a list or a map

	name    string           // of an object: its CEL type name
	schemas []map[string]any // of an object: where its properties are declared
}

// celType is the shape as a CEL type.
func (s *shape) celType() *types.Type {
	switch s.kind {
	case boolShape:
		return s.orNull(types.BoolType)
	case intShape:
		return s.orNull(types.IntType)
	case doubleShape:
		return s.orNull(types.DoubleType)
	case stringShape:
		return s.orNull(types.StringType)
	case objectShape:
		return types.NewObjectType(s.name) // to CEL always nullable
	case listShape: // CEL has no lists and maps that may be null: that is known at run time
		return types.NewListType(s.elem.celType())
	case mapShape:
		return types.NewMapType(types.StringType, s.elem.celType())
	}
	return types.DynType
}

func (s *shape) orNull(t *types.Type) *types.Type {
	if s.nullable {
		return types.NewNullableType(t)
	}
	return t
}

// shapes is CEL's view of one tool's input schema: a type provider whose object types are
// the objects of the schema. It is used while compiling only.
type shapes struct {
	types.Provider
	document any
	root     *shape
	objects  map[string]*shape
	steps    int
	missed   []string // the fields there are, where one was asked for that is not
}

func newShapes(inputSchema json.RawMessage) (*shapes, error) {
	s := &shapes{Provider: types.NewEmptyRegistry(), objects: map[string]*shape{}}
	if len(inputSchema) > 0 {
		dec := json.NewDecoder(strings.NewReader(string(inputSchema)))
		dec.UseNumber()
		if err := dec.Decode(&s.document); err != nil {
			return nil, fmt.Errorf("reading the input schema: %w", err)
		}
	}
	s.root = s.read(s.document, 0)
	if s.root.kind == anyShape && !combines(s.document) {
		// Arguments are one object. A schema that names none takes none.
		s.root = s.object([]map[string]any{asSchema(s.document)})
	}
	s.root.nullable = false
	if s.root.kind != objectShape {
		s.root = &shape{kind: mapShape, elem: &shape{}}
	}
	return s, nil
}

// read returns the shape that a schema describes.
func (s *shapes) read(schema any, depth int) *shape {
	m := asSchema(schema)
	if s.steps++; len(m) == 0 || depth > maxSchemaDepth || s.steps > maxSchemaSteps {
		return &shape{}
	}
	found := s.own(m, depth)
	if target, ok := m["$ref"].(string); ok {
		if referred, ok := s.resolve(target); ok {
			found = s.both(found, s.read(referred, depth+1))
		}
	}
	for _, part := range asArray(m["allOf"]) {
		found = s.both(found, s.read(part, depth+1))
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if branches := asArray(m[word]); len(branches) > 0 {
			found = s.both(found, s.either(branches, depth+1))
		}
	}
	return found
}

// own is the shape of the keywords of one schema by itself.
func (s *shapes) own(m map[string]any, depth int) *shape {
	names, nullable := typeNames(m)
	out := &shape{nullable: nullable}
	switch {
	case slices.Equal(names, []string{"boolean"}):
		out.kind = boolShape
	case slices.Equal(names, []string{"integer"}):
		out.kind = intShape
	case slices.Equal(names, []string{"number"}), slices.Equal(names, []string{"integer", "number"}):
		out.kind = doubleShape
	case slices.Equal(names, []string{"string"}):
		out.kind = stringShape
	case slices.Equal(names, []string{"array"}):
		out.kind, out.elem = listShape, s.items(m, depth)
	case slices.Equal(names, []string{"object"}):
		if m["properties"] == nil && m["patternProperties"] == nil && depth > 0 {
			out.kind, out.elem = mapShape, s.read(m["additionalProperties"], depth+1)
			break
		}
		out = s.object([]map[string]any{m})
		out.nullable = nullable
	default:
		out.nullable = false
	}
	return out
}

func (s *shapes) items(m map[string]any, depth int) *shape {
	if m["prefixItems"] != nil {
		return &shape{}
	}
	return s.read(m["items"], depth+1)
}

// object registers an object type. Its fields are read when a rule asks for them, so a
// schema may refer to itself.
func (s *shapes) object(schemas []map[string]any) *shape {
	var name strings.Builder // the same schemas are the same type
	name.WriteString("$object")
	for _, m := range schemas {
		fmt.Fprintf(&name, ".%x", reflect.ValueOf(m).Pointer())
	}
	out := &shape{kind: objectShape, name: name.String(), schemas: schemas}
	s.objects[out.name] = out
	return out
}

// both is the shape of a value that two schemas describe.
func (s *shapes) both(a, b *shape) *shape {
	switch {
	case a.kind == anyShape:
		return b
	case b.kind == anyShape:
		return a
	case a.kind == objectShape && b.kind == objectShape:
		out := s.object(slices.Concat(a.schemas, b.schemas))
		out.nullable = a.nullable && b.nullable
		return out
	case a.kind == objectShape && b.kind == mapShape:
		return a
	case a.kind == mapShape && b.kind == objectShape:
		return b
	case a.kind == b.kind:
		out := *a
		out.nullable = a.nullable && b.nullable
		return &out
	case a.kind == doubleShape && b.kind == intShape:
		return b
	case a.kind == intShape && b.kind == doubleShape:
		return a
	}
	return &shape{}
}

// either is the shape of a value that one of several schemas describes.
func (s *shapes) either(branches []any, depth int) *shape {
	var out *shape
	nullable := false
	for _, branch := range branches {
		if isNull(asSchema(branch)) {
			nullable = true
			continue
		}
		next := s.read(branch, depth)
		switch {
		case out == nil:
			out = next
		case out.kind != next.kind || out.kind == objectShape || out.kind == listShape || out.kind == mapShape:
			return &shape{}
		default:
			out = &shape{kind: out.kind, nullable: out.nullable || next.nullable}
		}
	}
	if out == nil {
		return &shape{}
	}
	out.nullable = out.nullable || nullable
	return out
}

// field looks a property up. An object whose schema says nothing of other properties has none,
// as far as a rule goes: a name it does not declare is most likely misspelt.
func (s *shapes) field(object *shape, name string) (*shape, bool) {
	var found *shape
	open := false
	for _, m := range object.schemas {
		property, declared := asSchema(m["properties"])[name]
		switch {
		case !declared:
			open = open || admits(m["additionalProperties"]) || len(asSchema(m["patternProperties"])) > 0
		case found == nil:
			found = s.read(property, 1)
		default:
			found = s.both(found, s.read(property, 1))
		}
	}
	if found == nil && open {
		found = &shape{}
	}
	return found, found != nil
}

// resolve follows a reference within the document. There are no others.
func (s *shapes) resolve(target string) (any, bool) {
	pointer, ok := strings.CutPrefix(target, "#")
	if !ok {
		return nil, false
	}
	at := s.document
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if part == "" {
			continue
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		m, isObject := at.(map[string]any)
		if at, ok = m[part]; !isObject || !ok {
			return nil, false
		}
	}
	return at, true
}

// kinds are the names that type(x) is compared with.
var kinds = map[string]*types.Type{
	"null_type": types.NullType, "bool": types.BoolType, "int": types.IntType, "double": types.DoubleType,
	"string": types.StringType, "list": types.ListType, "map": types.MapType,
}

// FindIdent is part of types.Provider.
func (s *shapes) FindIdent(name string) (ref.Val, bool) {
	kind, ok := kinds[name]
	return kind, ok
}

// FindStructType is part of types.Provider.
func (s *shapes) FindStructType(name string) (*types.Type, bool) {
	if _, ok := s.objects[name]; ok || hostFields[name] != nil {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return s.Provider.FindStructType(name)
}

// FindStructFieldNames is part of types.Provider.
func (s *shapes) FindStructFieldNames(name string) ([]string, bool) {
	if fields := hostFields[name]; fields != nil {
		return slices.Sorted(maps.Keys(fields)), true
	}
	object, ok := s.objects[name]
	if !ok {
		return nil, false
	}
	var names []string
	for _, m := range object.schemas {
		names = slices.AppendSeq(names, maps.Keys(asSchema(m["properties"])))
	}
	return names, true
}

// FindStructFieldType is part of types.Provider. The getters convert by the shape, so that a
// `number` is a double in CEL even where the JSON says 5.
func (s *shapes) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if fields := hostFields[name]; fields != nil {
		if f, ok := fields[field]; ok {
			return f, true
		}
	}
	if object, ok := s.objects[name]; ok {
		if found, ok := s.field(object, field); ok {
			return &types.FieldType{Type: found.celType(), IsSet: isSet(field), GetFrom: getFrom(field, found)}, true
		}
	}
	s.missed, _ = s.FindStructFieldNames(name)
	return nil, false
}

func getFrom(field string, want *shape) ref.FieldGetter {
	return func(target any) (any, error) {
		m, ok := target.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("no such field %q: its object is %s", field, jsonKind(target))
		}
		v, ok := m[field]
		if !ok {
			return nil, fmt.Errorf("no such field %q", field)
		}
		return want.value(v)
	}
}

// isSet panics where has() is asked of something that is no object: the interface has no
// room for an error, and `!has(x.y)` must not hold when x is null. Evaluation recovers.
func isSet(field string) ref.FieldTester {
	return func(target any) bool {
		m, ok := target.(map[string]any)
		if !ok {
			panic(errors.New("has() asks for a field of something that is no object"))
		}
		_, ok = m[field]
		return ok
	}
}
