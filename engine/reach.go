package engine

import "github.com/open-policy-agent/opa/v1/ast"

// callsByTool is the one part of the input that grows with the session.
var callsByTool = ast.MustParseRef("input.session.calls_by_tool")

// reaches reports whether a rule may look at a part of the input, by itself or within a larger
// whole. What no rule can see need not be made for a decision. In doubt it is true.
func reaches(modules map[string]*ast.Module, part ast.Ref) bool {
	found := false
	var walker *ast.GenericVisitor
	walker = ast.NewGenericVisitor(func(node any) bool {
		switch node := node.(type) {
		case ast.Ref:
			found = found || overlap(node, part)
			for _, t := range node[1:] { // the keys may be references too
				walker.Walk(t)
			}
			return true
		case ast.Var: // the whole input, given to something else
			found = found || node.Equal(part[0].Value)
		}
		return found
	})
	for _, m := range modules {
		walker.Walk(m)
	}
	return found
}

// overlap reports whether one of two references may lie within the other. A key that is
// only known when the rule is evaluated may be any.
func overlap(ref, part ast.Ref) bool {
	if !ref[0].Equal(part[0]) {
		return false
	}
	for i := 1; i < min(len(ref), len(part)); i++ {
		if _, known := ref[i].Value.(ast.String); known && !ref[i].Equal(part[i]) {
			return false
		}
	}
	return true
}
