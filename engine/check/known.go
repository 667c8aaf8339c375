package check

import (
	"maps"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
)

// Known is what is known of the installation.
type Known struct {
	Servers []string         // names
	Tools   map[string]*Tool // by id, server/name
}

// Tool is one tool of the installation.
type Tool struct {
	Server, Name string          // as the server spells them
	args         types.Type      // of its arguments, nil when its schema does not say
	required     map[string]bool // arguments that are always there
	enums        map[string][]string
	closed       bool // it has no other arguments than those of its schema
}

// NewTool reads a tool's input schema as far as a policy needs it: the arguments of the first
// level. Deeper values may be anything.
func NewTool(server, name string, schema map[string]any) *Tool {
	t := &Tool{Server: server, Name: name, required: map[string]bool{}, enums: map[string][]string{}}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return t
	}
	var static []*types.StaticProperty
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		property, _ := properties[key].(map[string]any)
		static = append(static, types.NewStaticProperty(key, simpleType(property)))
		t.enums[key] = textsOf(property["enum"])
	}
	for _, key := range textsOf(schema["required"]) {
		t.required[key] = true
	}
	more := schema["additionalProperties"]
	_, patterns := schema["patternProperties"]
	t.closed = (more == nil || more == false) && !patterns
	t.args = types.NewObject(static, types.NewDynamicProperty(types.S, types.A))
	return t
}

var simpleTypes = map[string]types.Type{
	"string": types.S, "number": types.N, "integer": types.N, "boolean": types.B,
	"array": types.NewArray(nil, types.A), "object": types.NewObject(nil, types.NewDynamicProperty(types.A, types.A)),
}

func simpleType(schema map[string]any) types.Type {
	name, _ := schema["type"].(string)
	if t := simpleTypes[name]; t != nil {
		return t
	}
	return types.A
}

// textsOf are the strings of a list; nil when there is something else in it.
func textsOf(v any) []string {
	list, _ := v.([]any)
	var all []string
	for _, e := range list {
		s, ok := e.(string)
		if !ok {
			return nil
		}
		all = append(all, s)
	}
	return all
}

func (t *Tool) requires(argument string) bool { return t != nil && t.required[argument] }

// arguments are the names of the arguments that the schema has.
func (t *Tool) arguments() []string { return slices.Sorted(maps.Keys(t.enums)) }

// fixed is the tool whose id, or whose server and name, a body asks for.
func (k *Known) fixed(body ast.Body, s *scope) *Tool {
	if k == nil {
		return nil
	}
	said := map[string]string{}
	for _, e := range body {
		terms, ok := e.Terms.([]*ast.Term)
		if op := e.Operator().String(); !ok || e.Negated || len(terms) != 3 || op != ast.Equal.Name && op != ast.Equality.Name {
			continue
		}
		for i := 1; i <= 2; i++ {
			ref, isRef := s.resolve(terms[i]).Value.(ast.Ref)
			values := s.constants(terms[3-i])
			if !isRef || len(values) != 1 {
				continue
			}
			if text, ok := values[0].Value.(ast.String); ok {
				said[ref.String()] = string(text)
			}
		}
	}
	if id := said["input.tool.id"]; id != "" {
		return k.Tools[id]
	}
	return k.Tools[said["input.tool.server"]+"/"+said["input.tool.name"]]
}

// ids, names and servers are what the installation has, sorted.
func (k *Known) ids() []string { return slices.Sorted(maps.Keys(k.Tools)) }

func (k *Known) names() []string {
	var names []string
	for _, t := range k.Tools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
