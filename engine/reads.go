package engine

import "github.com/open-policy-agent/opa/v1/ast"

// callsByToolPath is where the input document tells how often each tool was called.
var callsByToolPath = []ast.Value{keySession.Value, keyCallsByTool.Value}

// readsInput reports whether compiled rules can tell what the input document holds at a path. No
// means no: whatever could reach it in another way, such as input as a whole or a key
// that is known only when deciding, counts as reading it.
func readsInput(modules map[string]*ast.Module, path []ast.Value) bool {
	found := false
	var visitor *ast.GenericVisitor
	visitor = ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case ast.Var:
			found = found || x.Equal(ast.InputRootDocument.Value)
		case ast.Ref:
			if x[0].Equal(ast.InputRootDocument) {
				found = found || reaches(x[1:], path)
				for _, key := range x[1:] {
					visitor.Walk(key) // which may read input too
				}
				return true
			}
		}
		return found
	})
	for _, m := range modules {
		visitor.Walk(m)
	}
	return found
}

// reaches reports whether a reference can lead to a path, to what holds it or into it.
func reaches(ref ast.Ref, path []ast.Value) bool {
	for i, key := range path {
		if i == len(ref) {
			return true
		}
		if name, ok := ref[i].Value.(ast.String); ok && !name.Equal(key) {
			return false
		}
	}
	return true
}
