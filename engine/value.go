package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/open-policy-agent/opa/v1/ast"
)

// maxArgsDepth bounds how deep Call.Args may nest. The wire's own bound is lower.
const maxArgsDepth = 128

var (
	hookCallTerm, hookVisibleTerm           = ast.StringTerm(HookCall), ast.StringTerm(HookVisible)
	trueTerm, falseTerm, nullTerm, noString = ast.BooleanTerm(true), ast.BooleanTerm(false), ast.NullTerm(), ast.StringTerm("")
)

func key(s string) *ast.Term { return ast.StringTerm(s) }

type pair = [2]*ast.Term

// field is one field of an object of the input document: its name and how it is made from the
// Go value the object stands for. Terms are immutable as long as nobody changes them, so every
// request shares the names.
type field[T any] struct {
	name  *ast.Term
	value func(*builder, *T) *ast.Term
}

// document is the input document, object by object: of which fields it is made. A whole one
// is what Request.MarshalJSON writes.
type document struct {
	request   []field[Request]
	tool      []field[Tool]
	call      []field[Call]
	run       []field[Run]
	session   []field[Session]
	principal []field[Principal]
}

var wholeDocument = document{
	request: []field[Request]{
		{key("hook"), func(b *builder, r *Request) *ast.Term { return b.hook(r.Hook) }},
		{key("tool"), func(b *builder, r *Request) *ast.Term { return makeObject(b, b.document.tool, &r.Tool) }},
		{key("call"), func(b *builder, r *Request) *ast.Term { return makeObject(b, b.document.call, &r.Call) }},
		{key("run"), func(b *builder, r *Request) *ast.Term { return makeObject(b, b.document.run, &r.Run) }},
		{key("session"), func(b *builder, r *Request) *ast.Term { return makeObject(b, b.document.session, &r.Session) }},
		{key("principal"), func(b *builder, r *Request) *ast.Term { return makeObject(b, b.document.principal, &r.Principal) }},
		{key("time_ns"), func(b *builder, r *Request) *ast.Term { return b.num(r.TimeNS) }},
	},
	tool: []field[Tool]{
		{key("id"), func(b *builder, t *Tool) *ast.Term { return b.str(t.ID) }},
		{key("server"), func(b *builder, t *Tool) *ast.Term { return b.str(t.Server) }},
		{key("name"), func(b *builder, t *Tool) *ast.Term { return b.str(t.Name) }},
		{key("known"), func(_ *builder, t *Tool) *ast.Term { return boolean(t.Known) }},
		{key("private"), func(_ *builder, t *Tool) *ast.Term { return boolean(t.Private) }},
		{key("labels"), func(b *builder, t *Tool) *ast.Term { return b.strs(t.Labels) }},
		{key("annotations"), func(b *builder, t *Tool) *ast.Term {
			return makeMap(b, t.Annotations, func(_ *builder, on bool) *ast.Term { return boolean(on) })
		}},
		{key("definition_sha256"), func(b *builder, t *Tool) *ast.Term { return b.str(t.DefinitionSHA256) }},
	},
	call: []field[Call]{
		{key("id"), func(b *builder, c *Call) *ast.Term { return b.str(c.ID) }},
		{key("seq"), func(b *builder, c *Call) *ast.Term { return b.num(c.Seq) }},
		{key("args"), func(b *builder, c *Call) *ast.Term { return b.args(c.Args) }},
		{key("args_bytes"), func(b *builder, c *Call) *ast.Term { return b.num(int64(c.ArgsBytes)) }},
		{key("violations"), func(b *builder, c *Call) *ast.Term { return b.violations(c.Violations) }},
		{key("rules"), func(b *builder, c *Call) *ast.Term { return b.rules(c.Rules) }},
	},
	run: []field[Run]{
		{key("id"), func(b *builder, r *Run) *ast.Term { return b.str(r.ID) }},
		{key("code_sha256"), func(b *builder, r *Run) *ast.Term { return b.str(r.CodeSHA256) }},
		{key("calls"), func(b *builder, r *Run) *ast.Term { return b.num(r.Calls) }},
		{key("in_flight"), func(b *builder, r *Run) *ast.Term { return b.num(int64(r.InFlight)) }},
		{key("elapsed_ms"), func(b *builder, r *Run) *ast.Term { return b.num(r.ElapsedMS) }},
	},
	session: []field[Session]{
		{key("id"), func(b *builder, s *Session) *ast.Term { return b.str(s.ID) }},
		{key("labels"), func(b *builder, s *Session) *ast.Term { return b.strs(s.Labels) }},
		{key("label_sources"), func(b *builder, s *Session) *ast.Term { return makeMap(b, s.LabelSources, (*builder).str) }},
		{key("calls"), func(b *builder, s *Session) *ast.Term { return b.num(s.Calls) }},
		{key("calls_by_tool"), func(b *builder, s *Session) *ast.Term { return makeMap(b, s.CallsByTool, (*builder).num) }},
	},
	principal: []field[Principal]{
		{key("client"), func(b *builder, p *Principal) *ast.Term { return b.str(p.Client) }},
		{key("version"), func(b *builder, p *Principal) *ast.Term { return b.str(p.Version) }},
	},
}

// value makes the document of one request straight from Go values: no map in between, no JSON.
func (d *document) value(deadline *deadline, r *Request) (ast.Value, error) {
	b := builder{deadline: deadline, document: d}
	input := makeObject(&b, d.request, r)
	if b.err != nil {
		return nil, fmt.Errorf("reading the arguments: %w", b.err)
	}
	return input.Value, nil
}

// visible makes the document of the visible entrypoint, which knows a tool and no call.
func (d *document) visible(t *Tool) ast.Value {
	b := builder{document: d}
	return ast.NewObject(pair{key("hook"), hookVisibleTerm}, pair{key("tool"), makeObject(&b, d.tool, t)})
}

// builder makes the terms of one request. It takes them from slabs, which saves half of the
// allocations. The arguments are the only part whose size and keys a hostile program chooses
// (keys can be made to collide), so building them stops at the deadline.
type builder struct {
	deadline *deadline
	document *document
	steps    int
	slab     []ast.Term
	err      error // why there are no arguments
}

const slabSize = 24 // about what one request needs with the built-in pack

func (b *builder) term(v ast.Value) *ast.Term {
	if len(b.slab) == 0 {
		b.slab = make([]ast.Term, slabSize)
	}
	t := &b.slab[0]
	b.slab = b.slab[1:]
	t.Value = v
	return t
}

func makeObject[T any](b *builder, fields []field[T], from *T) *ast.Term {
	pairs := make([]pair, len(fields))
	for i, f := range fields {
		pairs[i] = pair{f.name, f.value(b, from)}
	}
	return b.object(pairs)
}

func makeMap[V any](b *builder, from map[string]V, value func(*builder, V) *ast.Term) *ast.Term {
	pairs := make([]pair, 0, len(from))
	for name, v := range from {
		pairs = append(pairs, pair{b.str(name), value(b, v)})
	}
	return b.object(pairs)
}

func (b *builder) violations(list []Violation) *ast.Term {
	terms := make([]*ast.Term, len(list))
	for i, v := range list {
		terms[i] = b.object([]pair{{keyPath, b.str(v.Path)}, {keyMessage, b.str(v.Message)}})
	}
	return b.array(terms)
}

func (b *builder) rules(list []RuleResult) *ast.Term {
	terms := make([]*ast.Term, len(list))
	for i, r := range list {
		terms[i] = b.object([]pair{{keyRule, b.str(r.Rule)}, {keyOK, boolean(r.OK)}})
	}
	return b.array(terms)
}

var keyPath, keyMessage, keyRule, keyOK = key("path"), key("message"), key("rule"), key("ok")

func (b *builder) args(x any) *ast.Term {
	t, err := b.value(x, 0)
	if err != nil {
		b.err = err
		return nullTerm
	}
	return t
}

func (b *builder) value(x any, depth int) (*ast.Term, error) {
	if b.steps++; b.steps%256 == 0 && b.deadline.stop.Cancelled() {
		return nil, b.deadline.err()
	}
	if depth > maxArgsDepth {
		return nil, fmt.Errorf("nested more than %d levels deep", maxArgsDepth)
	}
	switch x := x.(type) {
	case nil:
		return nullTerm, nil
	case bool:
		return boolean(x), nil
	case string:
		return b.str(x), nil
	case json.Number:
		if !isNumber(string(x)) {
			return nil, errors.New("a number that is not one")
		}
		return b.term(ast.Number(x)), nil
	case []any:
		elems := make([]*ast.Term, len(x))
		for i := range x {
			elem, err := b.value(x[i], depth+1)
			if err != nil {
				return nil, err
			}
			elems[i] = elem
		}
		return b.array(elems), nil
	case map[string]any:
		obj := ast.NewObjectWithCapacity(len(x))
		for name, v := range x {
			elem, err := b.value(v, depth+1)
			if err != nil {
				return nil, err
			}
			obj.Insert(b.str(name), elem)
		}
		return b.term(obj), nil
	default:
		return nil, fmt.Errorf("a value of Go type %T", x)
	}
}

func (b *builder) object(pairs []pair) *ast.Term {
	if len(pairs) == 0 {
		return ast.InternedEmptyObject
	}
	return b.term(ast.NewObject(pairs...))
}

func (b *builder) array(elems []*ast.Term) *ast.Term {
	if len(elems) == 0 {
		return ast.InternedEmptyArray
	}
	return b.term(ast.NewArray(elems...))
}

func (b *builder) strs(list []string) *ast.Term {
	terms := make([]*ast.Term, len(list))
	for i, s := range list {
		terms[i] = b.str(s)
	}
	return b.array(terms)
}

func (b *builder) str(s string) *ast.Term {
	if s == "" {
		return noString
	}
	return b.term(ast.String(s))
}

func (b *builder) hook(s string) *ast.Term {
	if s == HookCall {
		return hookCallTerm
	}
	return b.str(s)
}

func (b *builder) num(n int64) *ast.Term {
	if 0 <= n && n < 256 {
		return ast.InternedTerm(int(n))
	}
	return b.term(ast.Number(strconv.FormatInt(n, 10)))
}

func boolean(v bool) *ast.Term {
	if v {
		return trueTerm
	}
	return falseTerm
}

// isNumber reports whether s is a number as JSON writes them (RFC 8259, section 6).
func isNumber(s string) bool {
	digits := func() bool {
		n := 0
		for n < len(s) && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n > 0
	}
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	if s != "" && s[0] == '0' {
		s = s[1:]
	} else if !digits() {
		return false
	}
	if s != "" && s[0] == '.' {
		if s = s[1:]; !digits() {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}
