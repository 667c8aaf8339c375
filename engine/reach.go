package engine

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// argsRef counts as used by every policy, because making the arguments also checks them.
var argsRef = ast.MustParseRef("input.call.args")

// seenBy leaves out the fields that no policy rule can read, either by themselves or as part of an
// object: such fields need not be made for every decision. This matters most for
// session.calls_by_tool, which grows with the session: with 1,000 tools in it, making it takes seven
// times as many allocations as all the rest (docs/decisions/042-speed-code-on-the-policy-path.md).
// If it is not certain that no rule reads a field, the field stays. The modules are the compiled
// ones, in which every use of the input is a reference.
func (d *document) seenBy(modules map[string]*ast.Module) *document {
	refs := append(inputRefs(modules), argsRef)
	return &document{
		request:   seen(d.request, refs),
		tool:      seen(d.tool, refs, "tool"),
		call:      seen(d.call, refs, "call"),
		run:       seen(d.run, refs, "run"),
		session:   seen(d.session, refs, "session"),
		principal: seen(d.principal, refs, "principal"),
	}
}

func seen[T any](fields []field[T], refs []ast.Ref, of ...string) []field[T] {
	object := ast.InputRootRef.Copy()
	for _, name := range of {
		object = append(object, ast.StringTerm(name))
	}
	return slices.DeleteFunc(slices.Clone(fields), func(f field[T]) bool {
		part := object.Append(f.name)
		return !slices.ContainsFunc(refs, func(ref ast.Ref) bool { return overlap(ref, part) })
	})
}

// inputRefs lists where policy rules look at the input.
func inputRefs(modules map[string]*ast.Module) []ast.Ref {
	var refs []ast.Ref
	var walker *ast.GenericVisitor
	walker = ast.NewGenericVisitor(func(node any) bool {
		switch node := node.(type) {
		case ast.Ref:
			if node[0].Equal(ast.InputRootDocument) {
				refs = append(refs, node)
			}
			for _, t := range node[1:] { // keys may be references too
				walker.Walk(t)
			}
			return true
		case ast.Var: // the whole input, given to something else
			if node.Equal(ast.InputRootDocument.Value) {
				refs = append(refs, ast.InputRootRef)
			}
		}
		return false
	})
	for _, m := range modules {
		walker.Walk(m)
	}
	return refs
}

// overlap reports whether one of two references into the input may lie within the other. A key
// that is only known when the policy rule is evaluated may be any.
func overlap(ref, part ast.Ref) bool {
	for i := 1; i < min(len(ref), len(part)); i++ {
		if _, known := ref[i].Value.(ast.String); known && !ref[i].Equal(part[i]) {
			return false
		}
	}
	return true
}
