package engine

import (
	"context"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

// Replay answers an input document as the decision log has it: decoded JSON with numbers kept. It
// decides exactly as Decide does.
func (e *Engine) Replay(ctx context.Context, input map[string]any) Decision {
	d, _ := e.replay(ctx, input)
	return d
}

// Explain is Replay, and names the policy rules that held, as Eval does.
func (e *Engine) Explain(ctx context.Context, input map[string]any) (Decision, []PolicyRule) {
	held := heldRules{rules: map[*ast.Rule]bool{}}
	d, err := e.replay(ctx, input, rego.EvalQueryTracer(&held))
	if err != nil {
		return d, nil
	}
	return d, held.describe(e.annotations)
}

func (e *Engine) replay(ctx context.Context, input map[string]any, how ...rego.EvalOption) (d Decision, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
			d = e.failed(err)
		}
	}()
	value, err := ast.InterfaceToValue(input)
	if err != nil {
		return e.failed(err), err
	}
	deadline := newDeadline(ctx, e.timeout)
	defer deadline.release()
	answer, err := e.ask(deadline, e.decision, value, how...)
	if err == nil {
		d, err = readDecision(answer)
	}
	if err != nil {
		return e.blamed(ctx, value, err), err
	}
	d.Revision = e.revision
	return d, nil
}

// Reads reports whether a policy rule may look at that part of the input, or at a part of it, or
// at something that it is a part of. Where that is not certain, it may. Whether something is an
// object or an array can be asked without looking into it; emptied says that the part itself
// still is what it was.
func (e *Engine) Reads(emptied bool, path ...string) bool {
	part := ast.InputRootRef.Copy()
	for _, name := range path {
		part = append(part, ast.StringTerm(name))
	}
	for _, ref := range e.reads.values {
		if overlap(ref, part) {
			return true
		}
	}
	for _, ref := range e.reads.kinds {
		within := len(part) > len(ref) || emptied && len(part) == len(ref)
		if !within && overlap(ref, part) {
			return true
		}
	}
	return false
}

// reads is where policy rules look at the input.
type reads struct {
	values []ast.Ref
	kinds  []ast.Ref // where they only ask whether something is an object or an array
}

// readsOf finds them in compiled modules, where the operand of a builtin is a variable of its own:
// `is_object(input.x)` is `__local1__ = input.x; is_object(__local1__)`.
func readsOf(modules map[string]*ast.Module) reads {
	var r reads
	for _, m := range modules {
		for _, rule := range m.Rules {
			r.of(rule)
		}
	}
	return r
}

func (r *reads) of(rule *ast.Rule) {
	uses, tests, from := map[ast.Var]int{}, map[ast.Var]int{}, map[*ast.Term]ast.Var{}
	ast.WalkVars(rule, func(v ast.Var) bool { uses[v]++; return false })
	ast.WalkExprs(rule, func(e *ast.Expr) bool {
		switch {
		case e.IsEquality() && len(e.With) == 0:
			for i, o := range e.Operands() {
				if v, ok := e.Operand(1 - i).Value.(ast.Var); ok && isInput(o) {
					from[o] = v
				}
			}
		case e.IsCall() && len(e.With) == 0 && (e.Operator().String() == ast.IsObject.Name || e.Operator().String() == ast.IsArray.Name):
			if v, ok := e.Operand(0).Value.(ast.Var); ok && len(e.Operands()) == 1 {
				tests[v]++
			}
		}
		return false
	})
	var walker *ast.GenericVisitor
	walker = ast.NewGenericVisitor(func(node any) bool {
		switch node := node.(type) {
		case *ast.Term:
			if v, ok := from[node]; ok && uses[v] == 1+tests[v] {
				r.kinds = append(r.kinds, node.Value.(ast.Ref))
				return true
			}
		case ast.Ref:
			if node[0].Equal(ast.InputRootDocument) {
				r.values = append(r.values, node)
			}
			for _, t := range node[1:] { // keys may be references too
				walker.Walk(t)
			}
			return true
		case ast.Var: // the whole input, given to something else
			if node.Equal(ast.InputRootDocument.Value) {
				r.values = append(r.values, ast.InputRootRef)
			}
		}
		return false
	})
	walker.Walk(rule)
}

func isInput(t *ast.Term) bool {
	ref, ok := t.Value.(ast.Ref)
	return ok && ref[0].Equal(ast.InputRootDocument) && ref.IsGround()
}
