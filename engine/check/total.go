package check

import "github.com/open-policy-agent/opa/v1/ast"

// isTotal reports whether a rule always has a value: it has a default, is a set of elements, or
// has a body without a condition and a value that can not be absent.
func (c *checker) isTotal(path string) bool {
	if total, known := c.total[path]; known {
		return total // false while it is being found out, which ends a circle
	}
	c.total[path] = false
	for _, rule := range c.rules[path] {
		if rule.Default || rule.Head.RuleKind() == ast.MultiValue || c.always(rule) {
			c.total[path] = true
			break
		}
	}
	return c.total[path]
}

func (c *checker) always(rule *ast.Rule) bool {
	for ; rule != nil; rule = rule.Else {
		for _, arg := range rule.Head.Args {
			if _, ok := arg.Value.(ast.Var); !ok {
				return false
			}
		}
		s := c.newScope(rule)
		if s.holds(rule.Body) && (rule.Head.Value == nil || s.vanishing(rule.Head.Value) == nil) {
			return true
		}
	}
	return false
}

// holds reports whether nothing in a body can fail: it only gives names to what is always there.
func (s *scope) holds(body ast.Body) bool {
	for _, e := range body {
		terms, ok := e.Terms.([]*ast.Term)
		switch {
		case e.Equal(ast.NewExpr(ast.BooleanTerm(true))):
		case ok && !e.Negated && len(terms) == 3 && e.IsAssignment() && s.vanishing(terms[2]) == nil:
		default:
			return false
		}
	}
	return true
}

// vanishing is the part of a term that may be absent, nil when there is none. Such a part makes
// the whole term undefined. A template string writes <undefined> for it instead.
func (s *scope) vanishing(t *ast.Term) *ast.Term {
	switch v := t.Value.(type) {
	case ast.Var:
		if def := s.defs[v]; def != nil && !s.isCondition(def) {
			return s.vanishing(def)
		}
	case ast.Ref:
		return s.vanishingRef(t, v)
	case ast.Call:
		return s.vanishingCall(t, v)
	case *ast.Array:
		return s.firstVanishing(elementsOf(v))
	case ast.Set:
		return s.firstVanishing(v.Slice())
	case ast.Object:
		var parts []*ast.Term
		v.Foreach(func(key, value *ast.Term) { parts = append(parts, key, value) })
		return s.firstVanishing(parts)
	}
	return nil
}

// isCondition reports whether giving a name to a term is a condition: without the rule, the
// element is not meant to be there.
func (s *scope) isCondition(def *ast.Term) bool {
	ref, ok := def.Value.(ast.Ref)
	return ok && ref[0].Equal(ast.DefaultRootDocument)
}

// alone is the scope without what the rest of the body needs.
func (s *scope) alone() *scope {
	copied := *s
	copied.present = nil
	return &copied
}

func (s *scope) firstVanishing(parts []*ast.Term) *ast.Term {
	for _, part := range parts {
		if lost := s.vanishing(part); lost != nil {
			return lost
		}
	}
	return nil
}

func (s *scope) vanishingRef(t *ast.Term, ref ast.Ref) *ast.Term {
	if lost := s.firstVanishing(ref[1:]); lost != nil {
		return lost
	}
	if ref, p, known := s.look(t); known && p.absent && !s.present[ref.String()] {
		return t
	}
	return nil
}

func (s *scope) vanishingCall(t *ast.Term, call ast.Call) *ast.Term {
	if lost := s.firstVanishing(call[1:]); lost != nil {
		return lost
	}
	ref, _ := call[0].Value.(ast.Ref)
	if path, _ := s.c.callee(ref); path != "" && !s.c.isTotal(path) {
		return t
	}
	return nil
}

func elementsOf(a *ast.Array) []*ast.Term {
	list := make([]*ast.Term, 0, a.Len())
	a.Foreach(func(e *ast.Term) { list = append(list, e) })
	return list
}
