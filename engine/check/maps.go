package check

import "github.com/open-policy-agent/opa/v1/types"

// inputMaps are the objects of the input that have any keys and values of one type. OPA forgets
// that type when it reads a schema.
var inputMaps = []struct {
	path  []string
	value types.Type
}{
	{[]string{"tool", "annotations"}, types.B},
	{[]string{"session", "label_sources"}, types.S},
	{[]string{"session", "calls_by_tool"}, types.N},
}

// withMaps is the type of the input with those of the values put back.
func withMaps(input types.Type) types.Type {
	for _, m := range inputMaps {
		input = retyped(input, m.path, types.NewObject(nil, types.NewDynamicProperty(types.S, m.value)))
	}
	return input
}

func retyped(t types.Type, path []string, with types.Type) types.Type {
	object, ok := t.(*types.Object)
	if len(path) == 0 || !ok {
		return with
	}
	var static []*types.StaticProperty
	for _, p := range object.StaticProperties() {
		if p.Key == path[0] {
			p = types.NewStaticProperty(p.Key, retyped(p.Value, path[1:], with))
		}
		static = append(static, p)
	}
	return types.NewObject(static, object.DynamicProperties())
}
