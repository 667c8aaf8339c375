package check

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
)

// scope knows the local variables of a rule.
type scope struct {
	c       *checker
	defs    map[ast.Var]*ast.Term // x := term
	element map[ast.Var]*ast.Term // some x in term, every x in term
	present map[string]bool       // references that the body itself needs to be there
	tool    *Tool                 // the tool that the rule's body fixes, nil for none
}

func (c *checker) newScope(rule *ast.Rule) *scope {
	s := &scope{c: c, defs: map[ast.Var]*ast.Term{}, element: map[ast.Var]*ast.Term{}, present: map[string]bool{}}
	for i, arg := range rule.Head.Args {
		if given := c.given(rulePath(rule), i); given != nil {
			put(s.defs, arg, given)
		}
	}
	s.learn(rule.Body)
	ast.WalkBodies(rule, func(b ast.Body) bool {
		s.learn(b)
		return false
	})
	s.needs(rule.Body)
	s.tool = c.Known.fixed(rule.Body, s)
	return s
}

// needs remembers which references a body's conditions read: where one is absent, the body does
// not hold. Giving a name to something is no condition.
func (s *scope) needs(body ast.Body) {
	for _, e := range body {
		if e.Negated || e.IsAssignment() || e.IsEvery() {
			continue
		}
		ast.NewGenericVisitor(func(x any) bool {
			t, ok := x.(*ast.Term)
			if !ok {
				return false
			}
			switch t.Value.(type) {
			case *ast.ArrayComprehension, *ast.SetComprehension, *ast.ObjectComprehension, *ast.TemplateString:
				return true
			case ast.Ref, ast.Var:
				if ref, ok := s.resolve(t).Value.(ast.Ref); ok {
					for n := 2; n <= len(ref); n++ {
						s.present[ref[:n].String()] = true
					}
				}
			}
			return false
		}).Walk(e)
	}
}

// learn remembers what a body's variables stand for. Where two bodies use one name for two
// things, the first counts.
func (s *scope) learn(body ast.Body) {
	for _, e := range body {
		switch terms := e.Terms.(type) {
		case *ast.SomeDecl:
			for _, symbol := range terms.Symbols {
				if call, ok := symbol.Value.(ast.Call); ok && len(call) >= 3 {
					put(s.element, call[len(call)-2], call[len(call)-1])
				}
			}
		case *ast.Every:
			put(s.element, terms.Value, terms.Domain)
		case []*ast.Term:
			if op := e.Operator().String(); !e.Negated && len(terms) == 3 && (op == ast.Assign.Name || op == ast.Equality.Name) {
				put(s.defs, terms[1], terms[2])
				if op == ast.Equality.Name {
					put(s.defs, terms[2], terms[1])
				}
			}
		}
	}
}

func put(vars map[ast.Var]*ast.Term, name, value *ast.Term) {
	v, ok := name.Value.(ast.Var)
	if _, again := vars[v]; ok && !again && !value.Equal(name) {
		vars[v] = value
	}
}

// maxSteps bounds how far a name is followed.
const maxSteps = 32

// resolve follows local names to what they stand for: x, with x := input.call.args, and x.y.
func (s *scope) resolve(t *ast.Term) *ast.Term {
	for range maxSteps {
		switch v := t.Value.(type) {
		case ast.Var:
			if def := s.defs[v]; def != nil {
				t = def
				continue
			}
			if domain := s.element[v]; domain != nil {
				if ref, ok := s.resolve(domain).Value.(ast.Ref); ok {
					return &ast.Term{Value: ref.Append(ast.NewTerm(v)), Location: t.Location}
				}
			}
		case ast.Ref:
			head, ok := v[0].Value.(ast.Var)
			if !ok || head.Equal(ast.InputRootDocument.Value) || head.Equal(ast.DefaultRootDocument.Value) {
				return t
			}
			base := s.resolve(v[0])
			ref, ok := base.Value.(ast.Ref)
			if !ok {
				return t
			}
			return &ast.Term{Value: ref.Concat(v[1:]), Location: t.Location}
		}
		return t
	}
	return t
}

// place is what is known about where a reference leads.
type place struct {
	typ     types.Type // types.A when it may be anything
	absent  bool       // it may be absent
	iterate bool       // it goes over the elements of something
	args    bool       // it is, or is in, the arguments of the call
}

// look says what is known about a term that is a reference.
func (s *scope) look(t *ast.Term) (ast.Ref, place, bool) {
	ref, ok := s.resolve(t).Value.(ast.Ref)
	if !ok || len(ref) == 0 {
		return nil, place{}, false
	}
	var p place
	switch {
	case ref.HasPrefix(argsRef):
		start, rest := s.argsType(ref)
		p = s.step(place{typ: start, args: true}, rest)
	case ref[0].Equal(ast.InputRootDocument):
		p = s.step(place{typ: s.c.Input}, ref[1:])
	case ref.HasPrefix(configRef):
		p = s.step(place{typ: s.c.Config}, ref[len(configRef):])
	case ref[0].Equal(ast.DefaultRootDocument):
		p = s.lookData(ref)
	default:
		return nil, place{}, false
	}
	return ref, p, true
}

// argsType is the type of the arguments, when the rule's body fixes the tool and it is known.
func (s *scope) argsType(ref ast.Ref) (types.Type, ast.Ref) {
	if s.tool != nil && s.tool.args != nil {
		return s.tool.args, ref[len(argsRef):]
	}
	return types.A, ref[len(argsRef):]
}

// step goes on from a place. A field that the schema names is always there (the host writes
// every field), unless it is an argument that the tool does not require.
func (s *scope) step(p place, rest ast.Ref) place {
	for i, key := range rest {
		name, ok := key.Value.(ast.String)
		object, is := p.typ.(*types.Object)
		if !ok || !is {
			over := s.iterates(key)
			p.iterate = p.iterate || over
			p.absent = p.absent || !over
			p.typ = orAny(types.Values(p.typ))
			continue
		}
		static := property(object, string(name))
		if static == nil {
			p.absent = true
			p.typ = orAny(object.DynamicValue())
			continue
		}
		p.typ = static
		if p.args && (i > 0 || !s.tool.requires(string(name))) {
			p.absent = true
		}
	}
	return p
}

// iterates reports whether a key in a reference stands for every key there is.
func (s *scope) iterates(key *ast.Term) bool {
	v, ok := key.Value.(ast.Var)
	return ok && s.defs[v] == nil
}

func property(object *types.Object, name string) types.Type {
	for _, p := range object.StaticProperties() {
		if p.Key == name {
			return p.Value
		}
	}
	return nil
}

func orAny(t types.Type) types.Type {
	if t == nil {
		return types.A
	}
	return t
}

func (s *scope) lookData(ref ast.Ref) place {
	if path, rest := s.c.callee(ref); path != "" {
		typ := orAny(s.c.Compiler.TypeEnv.GetByRef(ref[:len(ref)-len(rest)]))
		return s.step(place{typ: typ, absent: !s.c.isTotal(path)}, rest)
	}
	known := fixed(ref)
	if s.c.aboveRules(known) {
		return place{typ: types.A, iterate: true} // rules and data are in it
	}
	value, err := s.c.Data.Find(known[1:])
	if err != nil {
		return place{typ: types.A, absent: true}
	}
	return s.step(place{typ: typeOfData(value)}, ref[len(known):])
}

// aboveRules reports whether a path leads to a package, or to what packages are in.
func (c *checker) aboveRules(ref ast.Ref) bool {
	for _, rule := range c.order {
		if rule.Module.Package.Path.HasPrefix(ref) {
			return true
		}
	}
	return false
}

// typeOfData is the type of a document: of a collection, with that of its elements where all have one.
func typeOfData(v ast.Value) types.Type {
	var elements types.Type
	add := func(t *ast.Term) {
		switch one := typeOfData(t.Value); {
		case elements == nil:
			elements = one
		case types.Compare(elements, one) != 0:
			elements = types.A
		}
	}
	switch v := v.(type) {
	case ast.String:
		return types.S
	case ast.Number:
		return types.N
	case ast.Boolean:
		return types.B
	case *ast.Array:
		v.Foreach(add)
		return types.NewArray(nil, orAny(elements))
	case ast.Object:
		v.Foreach(func(_, t *ast.Term) { add(t) })
		return types.NewObject(nil, types.NewDynamicProperty(types.S, orAny(elements)))
	default:
		return types.Nl
	}
}

// unknown reports whether a place may hold values of more than one type.
func (p place) unknown() bool {
	_, any := p.typ.(types.Any)
	return any
}

// constants are the values that a term may have, when they are known: a literal, a local name
// of one, one element of several.
func (s *scope) constants(t *ast.Term) []*ast.Term {
	if v, ok := t.Value.(ast.Var); ok {
		if domain := s.element[v]; domain != nil {
			return s.elements(domain)
		}
	}
	t = s.resolve(t)
	switch v := t.Value.(type) {
	case ast.String, ast.Number, ast.Boolean, ast.Null:
		return []*ast.Term{t}
	case ast.Call:
		if folded := fold(v, t.Location); folded != nil {
			return []*ast.Term{folded}
		}
	case ast.Ref:
		if path, rest := s.c.callee(v); path != "" {
			return s.ofRule(path, rest)
		}
	}
	return nil
}

// elements are the elements of a collection that is written out.
func (s *scope) elements(t *ast.Term) []*ast.Term {
	t = s.resolve(t)
	var list []*ast.Term
	add := func(e *ast.Term) { list = append(list, s.constants(e)...) }
	switch v := t.Value.(type) {
	case ast.Set:
		v.Foreach(add)
	case *ast.Array:
		v.Foreach(add)
	case ast.Object:
		v.Foreach(func(_, e *ast.Term) { add(e) })
	case ast.Call:
		if v[0].String() == "object.keys" && len(v) == 2 {
			return s.keys(v[1])
		}
	case ast.Ref:
		if path, rest := s.c.callee(v); path != "" && len(rest) == 0 {
			for _, rule := range s.c.rules[path] {
				if value := rule.Head.Value; value != nil && isTrue(rule.Body) {
					list = append(list, s.elements(value)...)
				}
			}
		}
	}
	return list
}

// keys are the keys of an object, or the elements of a set, that is written out.
func (s *scope) keys(t *ast.Term) []*ast.Term {
	t = s.resolve(t)
	var list []*ast.Term
	switch v := t.Value.(type) {
	case ast.Set:
		return s.elements(t)
	case ast.Object:
		v.Foreach(func(key, _ *ast.Term) { list = append(list, s.constants(key)...) })
	case ast.Ref:
		if path, rest := s.c.callee(v); path != "" && len(rest) == 0 {
			for _, rule := range s.c.rules[path] {
				if value := rule.Head.Value; value != nil && isTrue(rule.Body) {
					list = append(list, s.keys(value)...)
				}
			}
		}
	}
	return list
}

// ofRule are the constants that a rule is, as in `_servers := {"a", "b"}` and `_name := "a"`.
func (s *scope) ofRule(path string, rest ast.Ref) []*ast.Term {
	var list []*ast.Term
	for _, rule := range s.c.rules[path] {
		value := rule.Head.Value
		if value == nil || !isTrue(rule.Body) {
			continue
		}
		switch value.Value.(type) {
		case ast.String, ast.Number, ast.Boolean, ast.Null:
			if len(rest) == 0 {
				list = append(list, value)
			}
		case ast.Set, *ast.Array, ast.Object:
			if len(rest) == 1 && !rest.IsGround() {
				list = append(list, s.elements(value)...)
			}
		}
	}
	return list
}

// isTrue reports whether a body holds whatever happens.
func isTrue(body ast.Body) bool {
	return len(body) == 1 && !body[0].Negated && body[0].Equal(ast.NewExpr(ast.BooleanTerm(true)))
}

// name is a reference as people write it.
func name(ref ast.Ref) string {
	if own, ok := strings.CutPrefix(ref.String(), familiesRef.String()+"."); ok {
		if _, own, ok = strings.Cut(own, "."); ok {
			return own
		}
	}
	return ref.String()
}
