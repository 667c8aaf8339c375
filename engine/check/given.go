package check

import "github.com/open-policy-agent/opa/v1/ast"

// given is what stands for a parameter of a function of the policy: of all that it is called with,
// the one of which least is known, which is an argument of the call. Nil when it is called with
// nothing that has a place of its own.
func (c *checker) given(path string, i int) *ast.Term {
	if c.calls == nil {
		c.calls = map[string][][]*ast.Term{}
		for _, rule := range c.order {
			c.collectCalls(rule)
		}
	}
	var best *ast.Term
	for _, call := range c.calls[path] {
		if i >= len(call) || call[i] == nil {
			continue
		}
		if ref := call[i].Value.(ast.Ref); best == nil || ref.HasPrefix(argsRef) {
			best = call[i]
		}
	}
	return best
}

// collectCalls notes what a rule calls functions of the policy with.
func (c *checker) collectCalls(rule *ast.Rule) {
	s := c.newScope(rule)
	note := func(call []*ast.Term) {
		ref, ok := call[0].Value.(ast.Ref)
		path, _ := c.callee(ref)
		if !ok || path == "" {
			return
		}
		given := make([]*ast.Term, len(call)-1)
		for i, arg := range call[1:] {
			if at, _, known := s.look(arg); known {
				given[i] = &ast.Term{Value: at, Location: arg.Location}
			}
		}
		c.calls[path] = append(c.calls[path], given)
	}
	ast.WalkExprs(rule, func(e *ast.Expr) bool {
		if terms, ok := e.Terms.([]*ast.Term); ok {
			note(terms)
		}
		return false
	})
	ast.WalkTerms(rule, func(t *ast.Term) bool {
		if call, ok := t.Value.(ast.Call); ok {
			note(call)
		}
		return false
	})
}
