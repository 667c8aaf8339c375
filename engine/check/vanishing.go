package check

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Lost is a rule that denies, or earns a label, and may have no element to do it with although
// its body holds.
type Lost struct {
	Rule   *ast.Rule // as written, its names resolved
	Family string    // that it belongs to
	// Naming are the expressions of the body that only give names to parts of the element, as in
	// `message := sprintf(…)`: they are no condition.
	Naming []*ast.Expr
}

// Vanishing lists the rules of families whose element may be undefined.
func Vanishing(p Policy) []Lost {
	c := newChecker(p)
	var all []Lost
	for _, rule := range c.order {
		if lost := c.vanishingElement(rule); lost != nil {
			all = append(all, Lost{Rule: rule, Family: family(rule), Naming: naming(rule)})
		}
	}
	return all
}

// vanishingElement is the part of a denial or a label that may be absent, nil for none.
func (c *checker) vanishingElement(rule *ast.Rule) *ast.Term {
	if family(rule) == "" || rule.Head.Key == nil || word(rule) != "deny" && word(rule) != "labels_add" {
		return nil
	}
	return c.newScope(rule).vanishing(rule.Head.Key)
}

// naming finds the expressions `name := …` whose names only the element uses, or another such
// expression. What reads a rule or goes over elements may be meant as a condition.
func naming(rule *ast.Rule) []*ast.Expr {
	var found []*ast.Expr
	for again := true; again; {
		again = false
		for _, e := range rule.Body {
			if slices.Contains(found, e) || !onlyNames(e) {
				continue
			}
			v := e.Operand(0).Value.(ast.Var)
			used := slices.ContainsFunc(rule.Body, func(other *ast.Expr) bool {
				return other != e && !slices.Contains(found, other) && uses(other, v)
			})
			if !used {
				found, again = append(found, e), true
			}
		}
	}
	return found
}

func onlyNames(e *ast.Expr) bool {
	if !e.IsAssignment() || e.Negated || len(e.With) > 0 {
		return false
	}
	if _, ok := e.Operand(0).Value.(ast.Var); !ok {
		return false
	}
	only := true
	ast.WalkRefs(e.Operand(1), func(ref ast.Ref) bool {
		only = only && ref.IsGround()
		return false
	})
	ref, isRef := e.Operand(1).Value.(ast.Ref)
	return only && (!isRef || ref[0].Equal(ast.InputRootDocument))
}

func uses(e *ast.Expr, v ast.Var) bool {
	found := false
	ast.WalkVars(e, func(other ast.Var) bool {
		found = found || other == v
		return found
	})
	return found
}
