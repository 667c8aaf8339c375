package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
)

// Policy is a policy that OPA has compiled.
type Policy struct {
	Rules    map[string]*ast.Module // by file, names resolved and otherwise as written; no tests
	Tests    map[string]*ast.Module // by file, as written
	Compiler *ast.Compiler          // after it has compiled
	Data     ast.Object             // the documents that the policy's files bring
	Input    types.Type             // of `input`
	Config   types.Type             // of data.codemode.config
	Known    *Known                 // the installation, nil when it is not known
}

var (
	familiesRef = ast.MustParseRef("data.codemode.rules")
	configRef   = ast.MustParseRef("data.codemode.config")
	argsRef     = ast.MustParseRef("input.call.args")
	systemRef   = ast.MustParseRef("data.system")
)

// Run looks for every kind of mistake that can be seen without asking the policy. A policy that
// cannot be looked at is a finding too: it has not been checked.
func Run(p Policy) (findings []Finding) {
	defer func() {
		if reason := recover(); reason != nil {
			findings = []Finding{New(BrokenPolicy, nil, fmt.Sprintf("looking at it failed: %v", reason), "")}
		}
	}()
	c := newChecker(p)
	c.roles = c.findRoles()
	c.shapes()
	c.places()
	for _, rule := range c.order {
		c.rule(rule)
	}
	return Sort(c.findings)
}

func newChecker(p Policy) *checker {
	p.Input = withMaps(p.Input)
	c := &checker{Policy: p, rules: map[string][]*ast.Rule{}, total: map[string]bool{}}
	for _, file := range slices.Sorted(maps.Keys(p.Rules)) {
		if p.Rules[file].Package.Path.HasPrefix(systemRef) {
			continue // its input is no call
		}
		for _, rule := range p.Rules[file].Rules {
			path := rulePath(rule)
			c.rules[path] = append(c.rules[path], rule)
			c.order = append(c.order, rule)
		}
	}
	return c
}

type checker struct {
	Policy
	rules    map[string][]*ast.Rule // by path
	order    []*ast.Rule
	roles    map[string]role
	proved   map[string]bool          // arguments that a denial of some family wants to be proved
	calls    map[string][][]*ast.Term // by path of a function: what it is called with
	total    map[string]bool          // by path: rules that are never undefined
	findings []Finding
}

func (c *checker) found(code string, at *ast.Location, text, fix string) {
	c.findings = append(c.findings, New(code, at, text, fix))
}

// rulePath is where the rule's value is: data.package.name.
func rulePath(rule *ast.Rule) string {
	return rule.Module.Package.Path.Extend(rule.Head.Ref().GroundPrefix()).String()
}

// family is the name of the family that a rule belongs to, "" for none.
func family(rule *ast.Rule) string {
	path := rule.Module.Package.Path
	if !path.HasPrefix(familiesRef) || len(path) != len(familiesRef)+1 {
		return ""
	}
	name, _ := path[len(path)-1].Value.(ast.String)
	return string(name)
}

// word is the first part of a rule's name.
func word(rule *ast.Rule) string {
	return strings.Trim(rule.Head.Ref()[0].Value.String(), `"`)
}

// callee is the longest prefix of a reference that is the path of a rule, with what follows.
func (c *checker) callee(ref ast.Ref) (path string, rest ast.Ref) {
	ground := ref.GroundPrefix()
	for n := len(ground); n > 1; n-- {
		if path := ground[:n].String(); c.rules[path] != nil {
			return path, ref[n:]
		}
	}
	return "", nil
}

// role says what a rule is for.
type role uint8

const (
	denies role = 1 << iota // where it is undefined, a denial or a label is missing
	proves                  // where it holds, a call is harmless or granted
)

func (r role) not() role {
	var other role
	if r&denies != 0 {
		other |= proves
	}
	if r&proves != 0 {
		other |= denies
	}
	return other
}

var wordRoles = map[string]role{"deny": denies, "labels_add": denies, "grant": proves, "visible": proves}

// findRoles follows the references from the families' own words to the rules that they use.
func (c *checker) findRoles() map[string]role {
	roles := map[string]role{}
	var visit func(path string, r role)
	var follow func(rule *ast.Rule, r role)
	visit = func(path string, r role) {
		if roles[path]&r == r {
			return
		}
		roles[path] |= r
		for _, rule := range c.rules[path] {
			for next := rule; next != nil; next = next.Else {
				follow(next, r)
			}
		}
	}
	follow = func(rule *ast.Rule, r role) {
		eachExpr(rule.Body, r, func(e *ast.Expr, r role) {
			for _, ref := range refsOf(e) {
				if path, _ := c.callee(ref); path != "" {
					visit(path, r)
				}
			}
		})
	}
	for _, rule := range c.order {
		if r := wordRoles[word(rule)]; r != 0 && family(rule) != "" {
			visit(rulePath(rule), r)
		}
	}
	return roles
}

// eachExpr calls f for the expressions of a body and of the bodies in it, each with its role.
func eachExpr(body ast.Body, r role, f func(*ast.Expr, role)) {
	for _, e := range body {
		inner := r
		if e.Negated {
			inner = r.not()
		}
		f(e, inner)
		if every, ok := e.Terms.(*ast.Every); ok {
			eachExpr(every.Body, inner, f)
			continue
		}
		for _, nested := range comprehensions(e) {
			eachExpr(nested, inner, f)
		}
	}
}

// comprehensions are the bodies of the outermost comprehensions in a node.
func comprehensions(node any) []ast.Body {
	var bodies []ast.Body
	ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case *ast.ArrayComprehension:
			bodies = append(bodies, x.Body)
			return true
		case *ast.SetComprehension:
			bodies = append(bodies, x.Body)
			return true
		case *ast.ObjectComprehension:
			bodies = append(bodies, x.Body)
			return true
		}
		return false
	}).Walk(node)
	return bodies
}

// refsOf lists the references of an expression outside of the bodies in it.
func refsOf(e *ast.Expr) []ast.Ref {
	var refs []ast.Ref
	node := any(e)
	if every, ok := e.Terms.(*ast.Every); ok {
		node = every.Domain
	}
	ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case *ast.ArrayComprehension, *ast.SetComprehension, *ast.ObjectComprehension:
			return true
		case ast.Ref:
			refs = append(refs, x)
		}
		return false
	}).Walk(node)
	return refs
}

// at is where to point: the term, or what it is a part of.
func at(t *ast.Term, e *ast.Expr) *ast.Location {
	return cmp.Or(t.Location, e.Location)
}
