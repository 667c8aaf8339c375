package check

import (
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
)

// rule looks at one rule, as far as it can matter for a decision.
func (c *checker) rule(rule *ast.Rule) {
	r := c.roles[rulePath(rule)]
	for next := rule; next != nil; next = next.Else {
		s := c.newScope(next)
		c.documents(next)
		c.names(next, s)
		c.patterns(next, s)
		c.leftovers(next)
		b := &body{c: c, s: s, rule: next, guarded: map[string]guard{}}
		b.check(next.Body, r)
		if lit := next.Head.Value; lit != nil {
			for _, inner := range comprehensions(lit) {
				b.check(inner, r)
			}
		}
	}
}

// guard says what a body proves about a reference beside what it compares it with.
type guard struct{ number, list, text, filled, lower, upper bool }

// body checks the expressions of a body. What an outer body proves counts in inner ones.
type body struct {
	c       *checker
	s       *scope
	rule    *ast.Rule
	guarded map[string]guard
	within  bool // of a comprehension
}

func (b *body) check(exprs ast.Body, r role) {
	for _, e := range exprs {
		b.guards(e)
	}
	b.contradictions(exprs)
	for _, e := range exprs {
		inner := r
		if e.Negated {
			inner = r.not()
		}
		switch terms := e.Terms.(type) {
		case *ast.Every:
			b.every(terms, e, inner)
			b.check(terms.Body, inner)
			continue
		case *ast.SomeDecl:
			b.some(terms, e, inner)
		case []*ast.Term:
			b.call(e, terms, inner, r)
		case *ast.Term:
			if r&denies != 0 {
				b.never(e, terms)
			}
			b.iteration(e, terms, inner)
			b.truthy(e, terms, inner)
		}
		within := *b
		within.within = true
		for _, nested := range comprehensions(e) {
			within.check(nested, inner)
		}
	}
}

// never finds conditions of a denial that can not hold: `false`, and `not` of what is always true.
func (b *body) never(e *ast.Expr, t *ast.Term) {
	if t.Equal(ast.BooleanTerm(e.Negated)) {
		b.c.found(AlwaysFalse, e.Location, fmt.Sprintf("%s never holds", source0(e)), "take the rule out, or the condition")
		return
	}
	ref, ok := t.Value.(ast.Ref)
	path, rest := b.c.callee(ref)
	if !ok || !e.Negated || path == "" || len(rest) > 0 {
		return
	}
	for _, rule := range b.c.rules[path] {
		value := rule.Head.Value
		if (rule.Default || isTrue(rule.Body)) && (value == nil || value.Equal(ast.BooleanTerm(true))) && len(rule.Head.Args) == 0 {
			b.c.found(AlwaysFalse, e.Location, fmt.Sprintf("%s never holds: what it asks for is true at %s", source0(e), rule.Location), "say under which condition it is harmless")
			return
		}
	}
}

// guards learns what an expression proves: is_number(x), is_array(x), count(x) > 0, x >= 0.
func (b *body) guards(e *ast.Expr) {
	terms, ok := e.Terms.([]*ast.Term)
	if !ok || e.Negated {
		return
	}
	op := e.Operator().String()
	if len(terms) == 2 {
		g := b.guarded[b.key(terms[1])]
		switch op {
		case "is_number":
			g.number = true
		case "is_array", "is_object", "is_set":
			g.list = true
		case "is_string":
			g.text = true
		}
		b.guarded[b.key(terms[1])] = g
	}
	if len(terms) != 3 {
		return
	}
	for i := 1; i <= 2; i++ {
		b.bound(op, terms[i], terms[3-i], i == 2)
	}
}

// bound learns from a comparison of x with something; swapped when x stands on the right.
func (b *body) bound(op string, x, other *ast.Term, swapped bool) {
	if swapped {
		op = mirrored[op]
	}
	key := b.key(x)
	if call, ok := x.Value.(ast.Call); ok && len(call) == 2 && call[0].String() == "count" {
		g := b.guarded[b.key(call[1])]
		g.filled = g.filled || op == "gt" || op == "gte" || op == "neq" || op == "equal"
		b.guarded[b.key(call[1])] = g
		return
	}
	g := b.guarded[key]
	switch op {
	case "gt", "gte":
		g.lower = true
	case "lt", "lte":
		g.upper = true
	case "neq":
		g.filled = g.filled || other.Equal(ast.ArrayTerm()) || other.Equal(ast.NullTerm())
	}
	b.guarded[key] = g
}

var mirrored = map[string]string{"lt": "gt", "gt": "lt", "lte": "gte", "gte": "lte", "neq": "neq", "equal": "equal", "eq": "eq"}

func (b *body) key(t *ast.Term) string { return b.s.resolve(t).String() }

// call checks an expression that is a comparison or the call of a function. outer is the role
// of the body, r that of what is called.
func (b *body) call(e *ast.Expr, terms []*ast.Term, r, outer role) {
	op := e.Operator().String()
	if e.Negated && outer&denies != 0 {
		b.notOverAbsent(e, terms, op)
	}
	switch op {
	case "lt", "lte", "gt", "gte":
		b.ordering(e, terms, r)
	case "neq":
		b.unequal(e, terms, r)
	case "equal", "eq":
		b.equal(e, terms, r)
	case "internal.member_2", "internal.member_3":
		b.member(e, terms, r)
	}
	b.iteration(e, terms, r)
	b.defaults(e, terms, op, r)
}

// notOverAbsent finds `not f(x)` where x may be absent. OPA reads x before the `not`.
func (b *body) notOverAbsent(e *ast.Expr, terms []*ast.Term, op string) {
	for _, t := range terms[1:] {
		_, isRef := t.Value.(ast.Ref)
		if isRef && (op == "equal" || op == "eq") {
			continue // this one `not` does cover
		}
		if lost := b.s.vanishing(t); lost != nil && !isComprehension(t) {
			b.c.found(NotOverAbsent, at(lost, e), fmt.Sprintf("`not` over a function of %s, which may be absent", source(lost)),
				"give what proves that the call is harmless a rule of its own, `_harmless if …`, and deny if `not _harmless`")
			return
		}
	}
}

func isComprehension(t *ast.Term) bool {
	switch t.Value.(type) {
	case *ast.ArrayComprehension, *ast.SetComprehension, *ast.ObjectComprehension:
		return true
	}
	return false
}

// source is a term as it is written.
func source(t *ast.Term) string {
	if t.Location != nil && len(t.Location.Text) > 0 && len(t.Location.Text) <= 80 {
		return string(t.Location.Text)
	}
	if ref, ok := t.Value.(ast.Ref); ok {
		return name(ref)
	}
	return t.String()
}

// ordering checks <, <=, > and >=.
func (b *body) ordering(e *ast.Expr, terms []*ast.Term, r role) {
	left, right := b.typeOf(terms[1]), b.typeOf(terms[2])
	if differ(left, right) {
		b.c.found(TypesDiffer, e.Location, fmt.Sprintf("%s is %s and %s is %s", source(terms[1]), typeName(left), source(terms[2]), typeName(right)),
			"compare values of one type")
		return
	}
	for _, t := range terms[1:] {
		_, p, known := b.s.look(t)
		if !known {
			known = b.typeOf(t) == nil // what max([x, 0]) is depends on x
			if t = b.readFrom(t); t == nil {
				continue
			}
			_, p, _ = b.s.look(t)
		}
		if !p.absent && !p.unknown() || p.iterate && !p.args || isCounter(b.key(t)) {
			continue
		}
		if r&denies != 0 && !b.c.provedElsewhere(b.key(t)) {
			b.c.found(ComparesAbsent, at(t, e), fmt.Sprintf("a denial rests on a comparison of %s, which may be absent or of another type", source(t)),
				"deny unless it is proved harmless: `deny contains … if not _harmless`, with `is_number` and the comparison in `_harmless`")
		}
		if g := b.guarded[b.key(t)]; known && r&proves != 0 && p.unknown() && !g.number && !g.text && (!g.lower || !g.upper) {
			b.c.found(OneSidedBound, at(t, e), fmt.Sprintf("a bound on one side of %s, which may be null or of another type", source(t)),
				fmt.Sprintf("add `is_number(%s)`, or a bound on the other side", source(t)))
		}
	}
}

// readFrom is the reference that a conversion such as to_number(x) reads.
func (b *body) readFrom(t *ast.Term) *ast.Term {
	call, ok := b.s.resolve(t).Value.(ast.Call)
	if !ok {
		return nil
	}
	return b.s.alone().firstVanishing(call[1:])
}

// unequal checks !=.
func (b *body) unequal(e *ast.Expr, terms []*ast.Term, r role) {
	for _, t := range terms[1:] {
		if ref, p, known := b.s.look(t); known {
			if _, plain := t.Value.(ast.Ref); plain && p.iterate && endsInWildcard(ref) {
				b.c.found(UnequalAny, e.Location, fmt.Sprintf("`%s` holds as soon as one element differs", source0(e)),
					"write `not x in y` for none, or `every`")
				return
			}
			if p.absent && r&denies != 0 {
				b.c.found(UnequalAbsent, at(t, e), fmt.Sprintf("`!=` with %s, which may be absent", source(t)),
					"write `not x == y`, which also holds when x is absent")
				return
			}
			continue
		}
		if lost := b.s.alone().vanishing(t); lost != nil && r&denies != 0 {
			b.c.found(UnequalAbsent, at(lost, e), fmt.Sprintf("`!=` with %s, which may be absent", source(lost)),
				"deny unless it is proved equal: `deny contains … if not _harmless`")
			return
		}
	}
}

func source0(e *ast.Expr) string {
	if e.Location != nil && len(e.Location.Text) > 0 && len(e.Location.Text) <= 80 {
		return string(e.Location.Text)
	}
	return e.String()
}

func endsInWildcard(ref ast.Ref) bool {
	v, ok := ref[len(ref)-1].Value.(ast.Var)
	return ok && v.IsWildcard()
}

func (b *body) equal(e *ast.Expr, terms []*ast.Term, _ role) {
	left, right := b.typeOf(terms[1]), b.typeOf(terms[2])
	if differ(left, right) {
		b.c.found(TypesDiffer, e.Location, fmt.Sprintf("%s is %s and %s is %s", source(terms[1]), typeName(left), source(terms[2]), typeName(right)),
			"compare values of one type")
	}
}

// typeOf is the type of a term where it is one simple type; nil where it may be several.
func (b *body) typeOf(t *ast.Term) types.Type {
	t = b.s.resolve(t)
	switch v := t.Value.(type) {
	case ast.String:
		return types.S
	case ast.Number:
		return types.N
	case ast.Boolean:
		return types.B
	case ast.Null:
		return types.Nl
	case *ast.TemplateString:
		return types.S
	case ast.Call:
		return simple(b.c.resultOf(v))
	case ast.Ref:
		if _, p, known := b.s.look(t); known {
			return simple(p.typ)
		}
	}
	return nil
}

func simple(t types.Type) types.Type {
	switch t.(type) {
	case types.String, types.Number, types.Boolean, types.Null:
		return t
	}
	return nil
}

// resultOf is the type of what a function returns, nil when it is not a builtin.
func (c *checker) resultOf(call ast.Call) types.Type {
	if b := ast.BuiltinMap[call[0].String()]; b != nil {
		return b.Decl.Result()
	}
	return nil
}

func differ(a, b types.Type) bool { return a != nil && b != nil && types.Compare(a, b) != 0 }

func typeName(t types.Type) string { return types.Sprint(t) }

// contradictions finds one reference that would have to be two values at once.
func (b *body) contradictions(exprs ast.Body) {
	seen := map[string]*ast.Term{}
	for _, e := range exprs {
		terms, ok := e.Terms.([]*ast.Term)
		if op := e.Operator().String(); !ok || e.Negated || len(terms) != 3 || op != "equal" && op != "eq" {
			continue
		}
		for i := 1; i <= 2; i++ {
			value := terms[3-i]
			ref, p, known := b.s.look(terms[i])
			if !known || p.iterate || !ref.IsGround() || !isScalar(value) {
				continue
			}
			if first := seen[ref.String()]; first != nil && !first.Equal(value) {
				b.c.found(AlwaysFalse, e.Location, fmt.Sprintf("%s would have to be %s and %s at once", source(terms[i]), first, value),
					"two rules of the same name say `or`, as does `in {…}`")
			}
			seen[ref.String()] = value
		}
	}
}

func isScalar(t *ast.Term) bool {
	switch t.Value.(type) {
	case ast.String, ast.Number, ast.Boolean, ast.Null:
		return true
	}
	return false
}

// isCounter reports whether a reference leads to what the session counts. A counter that is
// absent is zero.
func isCounter(ref string) bool {
	return strings.HasPrefix(ref, "input.session.calls_by_tool")
}
