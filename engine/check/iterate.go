package check

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
)

const proveElements = "deny unless it is proved harmless: in a rule of its own, `is_array(x)` and then what every element must be"

// some checks `some x in y`.
func (b *body) some(decl *ast.SomeDecl, e *ast.Expr, r role) {
	for _, symbol := range decl.Symbols {
		if call, ok := symbol.Value.(ast.Call); ok && len(call) >= 3 {
			b.elements(call[len(call)-1], e, r)
		}
	}
}

// member checks `x in y`.
func (b *body) member(e *ast.Expr, terms []*ast.Term, r role) {
	domain := terms[len(terms)-1]
	b.elements(domain, e, r)
	_, p, known := b.s.look(domain)
	if !known || p.unknown() {
		return
	}
	left, element := b.typeOf(terms[len(terms)-2]), types.Values(p.typ)
	if element == nil && simple(p.typ) != nil {
		b.c.found(TypesDiffer, at(domain, e), fmt.Sprintf("%s is a %s and has no elements", source(domain), typeName(p.typ)), "make it a list")
	} else if element != nil && differ(left, simple(element)) {
		b.c.found(TypesDiffer, e.Location, fmt.Sprintf("%s is %s and what is in %s is %s", source(terms[len(terms)-2]), typeName(left), source(domain), typeName(element)),
			"`x in object` looks at values: for keys write `object[x]`")
	}
}

// elements finds a search for elements of what may have none because of its type.
func (b *body) elements(domain *ast.Term, e *ast.Expr, r role) {
	_, p, known := b.s.look(domain)
	if !known || !p.args || !p.unknown() || r&denies == 0 && !b.within {
		return // a comprehension is empty then, which may prove something
	}
	key := b.key(domain)
	if b.guarded[key].list || b.c.provedElsewhere(key) {
		return
	}
	b.c.found(IteratesUnknown, at(domain, e), fmt.Sprintf("a denial looks for elements of %s, which may be a string or absent", source(domain)), proveElements)
}

// iteration finds y[_] and y[i] in a comparison or by itself.
func (b *body) iteration(e *ast.Expr, node any, r role) {
	if r&denies == 0 {
		return
	}
	ast.NewGenericVisitor(func(x any) bool {
		t, ok := x.(*ast.Term)
		if !ok {
			return false
		}
		switch ref := t.Value.(type) {
		case *ast.ArrayComprehension, *ast.SetComprehension, *ast.ObjectComprehension:
			return true
		case ast.Ref:
			for n := len(argsRef) + 1; n < len(ref); n++ {
				if s := b.s; ref.HasPrefix(argsRef) && s.iterates(ref[n]) {
					b.elements(&ast.Term{Value: ref[:n], Location: t.Location}, e, r)
					return true
				}
			}
		}
		return false
	}).Walk(termsOf(node))
}

func termsOf(node any) any {
	if terms, ok := node.([]*ast.Term); ok {
		return ast.NewTerm(ast.NewArray(terms[1:]...))
	}
	return node
}

// every checks `every x in y`, which proves nothing when there is no x.
func (b *body) every(every *ast.Every, e *ast.Expr, r role) {
	ref, p, known := b.s.look(every.Domain)
	if !known || r&proves == 0 || !p.args && ref.String() != "input.call.rules" {
		return
	}
	if b.guarded[b.key(every.Domain)].filled {
		return
	}
	b.c.found(EveryOfNone, at(every.Domain, e), fmt.Sprintf("`every` over %s, which may be empty", source(every.Domain)),
		fmt.Sprintf("add `count(%s) > 0` if an empty one is not harmless", source(every.Domain)))
}

// truthy is for a term that is an expression by itself.
func (b *body) truthy(e *ast.Expr, t *ast.Term, r role) {
	if call, ok := t.Value.(ast.Call); ok {
		b.call(&ast.Expr{Terms: []*ast.Term(call), Location: e.Location}, call, r, 0)
	}
}

// defaults finds object.get whose default is the value that lets the call through.
func (b *body) defaults(e *ast.Expr, terms []*ast.Term, op string, r role) {
	if len(terms) != 3 {
		return
	}
	for i := 1; i <= 2; i++ {
		get, ok := b.s.resolve(terms[i]).Value.(ast.Call)
		if !ok || len(get) != 4 || get[0].String() != "object.get" {
			continue
		}
		held, known := compare(op, i == 2, get[3], terms[3-i], b.s)
		if !known || !b.optional(get) {
			continue
		}
		flag := (op == "equal" || op == "eq") && b.harmlessFlag(get)
		if r&denies != 0 && !held && !flag || r&proves != 0 && held {
			b.c.found(HarmlessDefault, e.Location, fmt.Sprintf("the default %s of %s is the harmless value", get[3], source(terms[i])),
				"leave object.get out where the argument must be there, and write what an absent one means as a rule of its own")
		}
	}
}

// optional reports whether object.get reads what the caller or the server may leave out.
func (b *body) optional(get ast.Call) bool {
	ref, _, known := b.s.look(get[1])
	return known && (ref.HasPrefix(argsRef) || ref.String() == "input.tool.annotations")
}

// What an annotation means that is absent, as MCP says.
var annotationDefaults = map[string]bool{"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true}

// harmlessFlag reports whether an absent flag is really off: an argument, or an annotation that
// MCP says is off.
func (b *body) harmlessFlag(get ast.Call) bool {
	ref, _, _ := b.s.look(get[1])
	if ref.HasPrefix(argsRef) {
		return true
	}
	key, _ := get[2].Value.(ast.String)
	on, known := annotationDefaults[string(key)]
	return known && get[3].Equal(ast.BooleanTerm(on))
}

// compare is what a comparison of two constants comes to.
func compare(op string, swapped bool, value, other *ast.Term, s *scope) (held, known bool) {
	constants := s.constants(other)
	if len(constants) != 1 || !isScalar(value) {
		return false, false
	}
	if swapped {
		op = mirrored[op]
	}
	n := ast.Compare(value.Value, constants[0].Value)
	switch op {
	case "equal", "eq":
		return n == 0, true
	case "neq":
		return n != 0, true
	case "lt":
		return n < 0, true
	case "lte":
		return n <= 0, true
	case "gt":
		return n > 0, true
	case "gte":
		return n >= 0, true
	}
	return false, false
}

// provedElsewhere reports whether a denial is made unless something is proved of a reference: a
// comparison that does not hold is then no loss.
func (c *checker) provedElsewhere(key string) bool {
	if c.proved == nil {
		c.proved = map[string]bool{}
		for _, rule := range c.order {
			if c.roles[rulePath(rule)]&proves == 0 || wordRoles[word(rule)] != 0 {
				continue
			}
			s := c.newScope(rule)
			b := &body{c: c, s: s, guarded: map[string]guard{}}
			for _, e := range rule.Body {
				b.guards(e)
			}
			for key, g := range b.guarded {
				if g.number || g.list || g.text || g.lower && g.upper {
					c.proved[key] = true
				}
			}
		}
	}
	return c.proved[key]
}
