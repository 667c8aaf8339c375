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
// It is the same document that Request.MarshalJSON writes.
func inputValue(ctx context.Context, r *Request) (ast.Value, error) {
	b := builder{ctx: ctx}
	args, err := b.value(r.Call.Args, 0)
	if err != nil {
		return nil, fmt.Errorf("reading the arguments: %w", err)
	}
	return ast.NewObject(
		pair{keyHook, hook(r.Hook)},
		pair{keyTool, toolTerm(&r.Tool)},
		pair{keyCall, callTerm(&r.Call, args)},
		pair{keyRun, object(
			pair{keyID, str(r.Run.ID)},
			pair{keyCode, str(r.Run.CodeSHA256)},
			pair{keyCalls, num(r.Run.Calls)},
			pair{keyInFlight, num(int64(r.Run.InFlight))},
			pair{keyElapsed, num(r.Run.ElapsedMS)},
		)},
		pair{keySession, sessionTerm(&r.Session)},
		pair{keyPrincipal, object(
			pair{keyClient, str(r.Principal.Client)},
			pair{keyVersion, str(r.Principal.Version)},
		)},
		pair{keyTimeNS, num(r.TimeNS)},
	), nil
}

func toolTerm(t *Tool) *ast.Term {
	annotations := make([]pair, 0, len(t.Annotations))
	for name, on := range t.Annotations {
		annotations = append(annotations, pair{str(name), boolean(on)})
	}
	return object(
		pair{keyID, str(t.ID)},
		pair{keyServer, str(t.Server)},
		pair{keyName, str(t.Name)},
		pair{keyKnown, boolean(t.Known)},
		pair{keyPrivate, boolean(t.Private)},
		pair{keyLabels, strs(t.Labels)},
		pair{keyAnnotations, object(annotations...)},
		pair{keyDefinition, str(t.DefinitionSHA256)},
	)
}

func callTerm(c *Call, args *ast.Term) *ast.Term {
	violations := make([]*ast.Term, len(c.Violations))
	for i, v := range c.Violations {
		violations[i] = object(pair{keyPath, str(v.Path)}, pair{keyMessage, str(v.Message)})
	}
	rules := make([]*ast.Term, len(c.Rules))
	for i, r := range c.Rules {
		rules[i] = object(pair{keyRule, str(r.Rule)}, pair{keyOK, boolean(r.OK)})
	}
	return object(
		pair{keyID, str(c.ID)},
		pair{keySeq, num(c.Seq)},
		pair{keyArgs, args},
		pair{keyArgsBytes, num(int64(c.ArgsBytes))},
		pair{keyViolations, ast.NewTerm(ast.NewArray(violations...))},
		pair{keyRules, ast.NewTerm(ast.NewArray(rules...))},
	)
}

func sessionTerm(s *Session) *ast.Term {
	sources := make([]pair, 0, len(s.LabelSources))
	for label, tool := range s.LabelSources {
		sources = append(sources, pair{str(label), str(tool)})
	}
	calls := make([]pair, 0, len(s.CallsByTool))
	for tool, n := range s.CallsByTool {
		calls = append(calls, pair{str(tool), num(n)})
	}
	return object(
		pair{keyID, str(s.ID)},
		pair{keyLabels, strs(s.Labels)},
		pair{keySources, object(sources...)},
		pair{keyCalls, num(s.Calls)},
		pair{keyCallsByTool, object(calls...)},
	)
}

// builder turns the arguments into a term. They are the only part of a request whose size
// and keys a hostile program chooses (also keys made to collide), so it stops with its context.
type builder struct {
	ctx   context.Context
	steps int
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
		return str(x), nil
	case json.Number:
		if !isNumber(string(x)) {
			return nil, errors.New("a number that is not one")
		}
		return ast.NewTerm(ast.Number(x)), nil
	case []any:
		elems := make([]*ast.Term, len(x))
		for i := range x {
			elem, err := b.value(x[i], depth+1)
			if err != nil {
				return nil, err
			}
			elems[i] = elem
		}
		return ast.NewTerm(ast.NewArray(elems...)), nil
	case map[string]any:
		obj := ast.NewObjectWithCapacity(len(x))
		for name, v := range x {
			elem, err := b.value(v, depth+1)
			if err != nil {
				return nil, err
			}
			obj.Insert(str(name), elem)
		}
		return ast.NewTerm(obj), nil
	default:
		return nil, fmt.Errorf("a value of Go type %T", x)
	}
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

func object(pairs ...pair) *ast.Term {
	if len(pairs) == 0 {
		return ast.InternedEmptyObject
	}
	return ast.NewTerm(ast.NewObject(pairs...))
}

func hook(s string) *ast.Term {
	if s == HookCall {
		return hookCallTerm
	}
	return str(s)
}

func str(s string) *ast.Term {
	if s == "" {
		return noString
	}
	return ast.NewTerm(ast.String(s))
}

func strs(list []string) *ast.Term {
	if len(list) == 0 {
		return ast.InternedEmptyArray
	}
	terms := make([]*ast.Term, len(list))
	for i, s := range list {
		terms[i] = str(s)
	}
	return ast.NewTerm(ast.NewArray(terms...))
}

func num(n int64) *ast.Term {
	if 0 <= n && n < 256 {
		return ast.InternedTerm(int(n))
	}
	return ast.NewTerm(ast.Number(strconv.FormatInt(n, 10)))
}

func boolean(v bool) *ast.Term {
	if v {
		return trueTerm
	}
	return falseTerm
}
