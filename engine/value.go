package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/open-policy-agent/opa/v1/ast"
)

// maxArgsDepth bounds how deep Call.Args may nest. The wire's own bound is lower.
const maxArgsDepth = 128

// Keys of the input document. Terms are immutable as long as nobody changes them, so every
// request shares these.
var (
	keyHook, keyTool, keyCall, keyRun       = key("hook"), key("tool"), key("call"), key("run")
	keySession, keyPrincipal, keyTimeNS     = key("session"), key("principal"), key("time_ns")
	keyID, keyServer, keyName, keyKnown     = key("id"), key("server"), key("name"), key("known")
	keyPrivate, keyLabels, keyAnnotations   = key("private"), key("labels"), key("annotations")
	keyDefinition, keySeq, keyArgs          = key("definition_sha256"), key("seq"), key("args")
	keyArgsBytes, keyViolations, keyRules   = key("args_bytes"), key("violations"), key("rules")
	keyPath, keyMessage, keyRule, keyOK     = key("path"), key("message"), key("rule"), key("ok")
	keyCode, keyCalls, keyInFlight          = key("code_sha256"), key("calls"), key("in_flight")
	keyElapsed, keySources, keyCallsByTool  = key("elapsed_ms"), key("label_sources"), key("calls_by_tool")
	keyClient, keyVersion                   = key("client"), key("version")
	hookCallTerm, hookVisibleTerm           = ast.StringTerm(HookCall), ast.StringTerm(HookVisible)
	trueTerm, falseTerm, nullTerm, noString = ast.BooleanTerm(true), ast.BooleanTerm(false), ast.NullTerm(), ast.StringTerm("")
)

func key(s string) *ast.Term { return ast.StringTerm(s) }

type pair = [2]*ast.Term

// inputValue builds the input document straight from Go values: no map in between, no JSON.
// It is the same document that Request.MarshalJSON writes, except that session.calls_by_tool is
// empty unless byTool is set: it is the only part that grows, and few policies look at it.
func inputValue(ctx context.Context, r *Request, byTool bool) (ast.Value, error) {
	b := builder{ctx: ctx}
	args, err := b.value(r.Call.Args, 0)
	if err != nil {
		return nil, fmt.Errorf("reading the arguments: %w", err)
	}
	return ast.NewObject(
		pair{keyHook, b.hook(r.Hook)},
		pair{keyTool, b.tool(&r.Tool)},
		pair{keyCall, b.call(&r.Call, args)},
		pair{keyRun, b.object(
			pair{keyID, b.str(r.Run.ID)},
			pair{keyCode, b.str(r.Run.CodeSHA256)},
			pair{keyCalls, b.num(r.Run.Calls)},
			pair{keyInFlight, b.num(int64(r.Run.InFlight))},
			pair{keyElapsed, b.num(r.Run.ElapsedMS)},
		)},
		pair{keySession, b.session(&r.Session, byTool)},
		pair{keyPrincipal, b.object(
			pair{keyClient, b.str(r.Principal.Client)},
			pair{keyVersion, b.str(r.Principal.Version)},
		)},
		pair{keyTimeNS, b.num(r.TimeNS)},
	), nil
}

// visibleValue builds the input of the visible entrypoint, which knows a tool and no call.
func visibleValue(t *Tool) ast.Value {
	var b builder
	return ast.NewObject(pair{keyHook, hookVisibleTerm}, pair{keyTool, b.tool(t)})
}

// builder makes the terms of one request. It takes them from slabs, which saves every other
// allocation. The arguments are the only part whose size and keys a hostile program chooses
// (also keys made to collide), so building them stops with the context.
type builder struct {
	ctx   context.Context
	steps int
	slab  []ast.Term
}

const slabSize = 48 // about what one request needs

func (b *builder) term(v ast.Value) *ast.Term {
	if len(b.slab) == 0 {
		b.slab = make([]ast.Term, slabSize)
	}
	t := &b.slab[0]
	b.slab = b.slab[1:]
	t.Value = v
	return t
}

func (b *builder) tool(t *Tool) *ast.Term {
	annotations := make([]pair, 0, len(t.Annotations))
	for name, on := range t.Annotations {
		annotations = append(annotations, pair{b.str(name), boolean(on)})
	}
	return b.object(
		pair{keyID, b.str(t.ID)},
		pair{keyServer, b.str(t.Server)},
		pair{keyName, b.str(t.Name)},
		pair{keyKnown, boolean(t.Known)},
		pair{keyPrivate, boolean(t.Private)},
		pair{keyLabels, b.strs(t.Labels)},
		pair{keyAnnotations, b.object(annotations...)},
		pair{keyDefinition, b.str(t.DefinitionSHA256)},
	)
}

func (b *builder) call(c *Call, args *ast.Term) *ast.Term {
	violations := make([]*ast.Term, len(c.Violations))
	for i, v := range c.Violations {
		violations[i] = b.object(pair{keyPath, b.str(v.Path)}, pair{keyMessage, b.str(v.Message)})
	}
	rules := make([]*ast.Term, len(c.Rules))
	for i, r := range c.Rules {
		rules[i] = b.object(pair{keyRule, b.str(r.Rule)}, pair{keyOK, boolean(r.OK)})
	}
	return b.object(
		pair{keyID, b.str(c.ID)},
		pair{keySeq, b.num(c.Seq)},
		pair{keyArgs, args},
		pair{keyArgsBytes, b.num(int64(c.ArgsBytes))},
		pair{keyViolations, b.array(violations)},
		pair{keyRules, b.array(rules)},
	)
}

func (b *builder) session(s *Session, byTool bool) *ast.Term {
	sources := make([]pair, 0, len(s.LabelSources))
	for label, tool := range s.LabelSources {
		sources = append(sources, pair{b.str(label), b.str(tool)})
	}
	var calls []pair
	if byTool {
		calls = make([]pair, 0, len(s.CallsByTool))
		for tool, n := range s.CallsByTool {
			calls = append(calls, pair{b.str(tool), b.num(n)})
		}
	}
	return b.object(
		pair{keyID, b.str(s.ID)},
		pair{keyLabels, b.strs(s.Labels)},
		pair{keySources, b.object(sources...)},
		pair{keyCalls, b.num(s.Calls)},
		pair{keyCallsByTool, b.object(calls...)},
	)
}

func (b *builder) value(x any, depth int) (*ast.Term, error) {
	if b.steps++; b.steps%256 == 0 && b.ctx.Err() != nil {
		return nil, b.ctx.Err()
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

func (b *builder) object(pairs ...pair) *ast.Term {
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
