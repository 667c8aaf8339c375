package celrule

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/mcp-code-mode/mcp-code-mode/internal/schemaview"
)

// maxSchemaDepth bounds the levels of alternatives and lists in one type. Past it, and past the
// work of a schema's reader, a type is `dyn`.
const maxSchemaDepth = 32

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

	name  string             // of an object: its CEL type name
	views []*schemaview.View // of an object: where its properties are declared
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
	reader  *schemaview.Reader
	root    *shape
	objects map[string]*shape
	missed  []string // the fields there are, where one was asked for that is not
}

func newShapes(inputSchema json.RawMessage) (*shapes, error) {
	if len(inputSchema) == 0 {
		inputSchema = json.RawMessage(`{"properties":{}}`)
	}
	d, err := schemaview.ParseInput(inputSchema)
	if err != nil {
		return nil, fmt.Errorf("reading the input schema: %w", err)
	}
	s := &shapes{Provider: types.NewEmptyRegistry(), reader: d.Reader(), objects: map[string]*shape{}}
	root := s.reader.Root()
	s.root = s.of(root, 0)
	if s.root.kind == anyShape && len(root.Either) == 0 {
		// Arguments are one object. A schema that names none takes none.
		s.root = s.object([]*schemaview.View{root})
	}
	s.root.nullable = false
	if s.root.kind != objectShape {
		s.root = &shape{kind: mapShape, elem: &shape{}}
	}
	return s, nil
}

// read returns the shape that schemas of one value describe.
func (s *shapes) read(depth int, schemas ...*schemaview.Node) *shape {
	if depth > maxSchemaDepth || s.reader.Spent() {
		return &shape{}
	}
	return s.of(s.reader.View(nil, schemas...), depth)
}

// of returns the shape that a view describes.
func (s *shapes) of(v *schemaview.View, depth int) *shape {
	found := s.own(v, depth)
	for _, branches := range v.Either {
		found = s.both(found, s.either(branches, depth+1))
	}
	return found
}

// own is the shape of a view without its alternatives.
func (s *shapes) own(v *schemaview.View, depth int) *shape {
	names, nullable := typeNames(v)
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
		out.kind, out.elem = listShape, &shape{}
		if len(v.First) == 0 {
			out.elem = s.read(depth+1, v.Items)
		}
	case slices.Equal(names, []string{"object"}):
		if len(v.Properties) == 0 && len(v.Patterns) == 0 && depth > 0 {
			out.kind, out.elem = mapShape, s.read(depth+1, v.Open)
			break
		}
		out = s.object([]*schemaview.View{v})
		out.nullable = nullable
	default:
		out.nullable = false
	}
	return out
}

// typeNames returns the types of a view, sorted, without null, and whether null is one of them.
func typeNames(v *schemaview.View) (names []string, nullable bool) {
	names = slices.DeleteFunc(slices.Clone(v.Types), func(name string) bool { return name == "null" })
	slices.Sort(names)
	return names, len(names) < len(v.Types)
}

// object registers an object type. Its fields are read when a rule asks for them, so a
// schema may refer to itself.
func (s *shapes) object(views []*schemaview.View) *shape {
	var name strings.Builder // the same schemas are the same type
	name.WriteString("$object")
	for _, v := range views {
		for _, part := range v.Parts {
			fmt.Fprintf(&name, ".%#p", part)
		}
	}
	out := &shape{kind: objectShape, name: name.String(), views: views}
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
		out := s.object(slices.Concat(a.views, b.views))
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
func (s *shapes) either(branches []*schemaview.Node, depth int) *shape {
	var out *shape
	nullable := false
	for _, branch := range branches {
		v := s.reader.View(nil, branch)
		if names, null := typeNames(v); null && len(names) == 0 {
			nullable = true
			continue
		}
		if depth > maxSchemaDepth || s.reader.Spent() {
			return &shape{}
		}
		next := s.of(v, depth)
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
// as far as a rule goes: a name it does not declare is most likely misspelt. One that only an
// alternative declares may be of any type.
func (s *shapes) field(object *shape, name string) (*shape, bool) {
	var found *shape
	open := false
	for _, v := range object.views {
		property := v.Property(name)
		switch {
		case property == nil:
			open = open || v.Other() != nil || s.reader.Names(v).Known[name]
		case found == nil:
			found = s.read(1, property.Schemas...)
		default:
			found = s.both(found, s.read(1, property.Schemas...))
		}
	}
	if found == nil && open {
		found = &shape{}
	}
	return found, found != nil
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
	for _, v := range object.views {
		names = slices.AppendSeq(names, maps.Keys(s.reader.Names(v).Known))
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
