package celrule

import (
	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/parser"
)

// strictLogic rewrites a checked rule so that no error gets lost:
//
//	a || b   becomes   a ? true : b
//	a && b   becomes   a ? b : false
//	a == b, a != b and a in b become calls of functions of ours
//
// and `a in b` takes a list only where the schema does not give b a type, as the macros do.
// CEL's own operators take their operands in any order and forget an error on one side when
// the other decides. A condition that is an error is an error of the whole. The macros
// expand to the same operators, so all() and exists() become strict with them.
type strictLogic struct{}

func (strictLogic) Optimize(ctx *cel.OptimizerContext, a *celast.AST) *celast.AST {
	celast.PostOrderVisit(a.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() != celast.CallKind {
			return
		}
		args := e.AsCall().Args()
		switch e.AsCall().FunctionName() {
		case operators.Equals:
			ctx.UpdateExpr(e, ctx.NewCall(sameAs, args...))
		case operators.NotEquals:
			ctx.UpdateExpr(e, ctx.NewCall(operators.LogicalNot, ctx.NewCall(sameAs, args...)))
		case operators.In:
			container := args[1]
			if a.GetType(container.ID()).Kind() == types.DynKind {
				container = ctx.NewCall(onlyList, container)
			}
			ctx.UpdateExpr(e, ctx.NewCall(memberOf, args[0], container))
		case operators.LogicalOr:
			ctx.UpdateExpr(e, ctx.NewCall(operators.Conditional, args[0], ctx.NewLiteral(types.True), args[1]))
		case operators.LogicalAnd:
			ctx.UpdateExpr(e, ctx.NewCall(operators.Conditional, args[0], args[1], ctx.NewLiteral(types.False)))
		}
	}))
	return ctx.NewAST(a.Expr())
}

// onlyList is the identity on lists and an error for all else. The macros put it around what they
// go through. Its type is the type of what it is given, or CEL would guess the elements'.
const onlyList = "@only_list"

var onlyListFunction = cel.Function(onlyList,
	cel.Overload(onlyList, []*cel.Type{typeA}, typeA),
	cel.SingletonUnaryBinding(func(v ref.Val) ref.Val {
		if _, ok := v.(traits.Lister); ok {
			return v
		}
		return types.NewErr("a list is needed, not a %s", v.Type().TypeName())
	}))

// macros are CEL's own, with has() that takes a name and the others taking lists only, and
// those of its sets library, whose functions look at no deadline while they go through both lists.
func macros() []cel.Macro {
	return []cel.Macro{
		cel.GlobalMacro(operators.Has, 1, expandHas),
		cel.ReceiverMacro(operators.All, 2, overList(parser.MakeAll)),
		cel.ReceiverMacro(operators.Exists, 2, overList(parser.MakeExists)),
		cel.ReceiverMacro(operators.ExistsOne, 2, overList(parser.MakeExistsOne)),
		cel.ReceiverMacro(operators.Map, 2, overList(parser.MakeMap)),
		cel.ReceiverMacro(operators.Map, 3, overList(parser.MakeMap)),
		cel.ReceiverMacro(operators.Filter, 2, overList(parser.MakeFilter)),
		cel.ReceiverMacro("contains", 2, ofSets(func(f cel.MacroExprFactory, a, b celast.Expr) (celast.Expr, *cel.Error) {
			return allIn(f, b, a)
		})),
		cel.ReceiverMacro("intersects", 2, ofSets(func(f cel.MacroExprFactory, a, b celast.Expr) (celast.Expr, *cel.Error) {
			return eachIn(parser.MakeExists, f, a, b)
		})),
		cel.ReceiverMacro("equivalent", 2, ofSets(func(f cel.MacroExprFactory, a, b celast.Expr) (celast.Expr, *cel.Error) {
			there, err := allIn(f, a, b)
			if err != nil {
				return nil, err
			}
			back, err := allIn(f, f.Copy(b), f.Copy(a))
			return f.NewCall(operators.LogicalAnd, there, back), err
		})),
	}
}

// ofSets is a macro for sets.name(a, b).
func ofSets(expand func(f cel.MacroExprFactory, a, b celast.Expr) (celast.Expr, *cel.Error)) cel.MacroFactory {
	return func(f cel.MacroExprFactory, target celast.Expr, args []celast.Expr) (celast.Expr, *cel.Error) {
		if target.Kind() != celast.IdentKind || target.AsIdent() != "sets" {
			return nil, nil
		}
		return expand(f, args[0], args[1])
	}
}

// allIn is part.all(e, e in whole).
func allIn(f cel.MacroExprFactory, part, whole celast.Expr) (celast.Expr, *cel.Error) {
	return eachIn(parser.MakeAll, f, part, whole)
}

func eachIn(quantify cel.MacroFactory, f cel.MacroExprFactory, a, b celast.Expr) (celast.Expr, *cel.Error) {
	const element = "@element" // a name that no rule can use
	in := f.NewCall(operators.In, f.NewIdent(element), f.NewCall(onlyList, b))
	return quantify(f, f.NewCall(onlyList, a), []celast.Expr{f.NewIdent(element), in})
}

func overList(expand cel.MacroFactory) cel.MacroFactory {
	return func(f cel.MacroExprFactory, target celast.Expr, args []celast.Expr) (celast.Expr, *cel.Error) {
		return expand(f, f.NewCall(onlyList, target), args)
	}
}

// normalize makes x["name"] the same as x.name, so that arguments whose names are no identifiers
// are typed like all others, and comparisons with a null that is written out calls of nullTest.
func normalize(a *celast.AST) {
	factory := celast.NewExprFactory()
	next := celast.MaxID(a)
	celast.PostOrderVisit(a.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if operand, name, ok := indexByName(e); ok {
			e.SetKindCase(factory.NewSelect(e.ID(), operand, name))
		}
		if x, negated, ok := comparedWithNull(e); ok {
			test := factory.NewCall(e.ID(), nullTest, x)
			if negated {
				next++
				test = factory.NewCall(e.ID(), operators.LogicalNot, factory.NewCall(next, nullTest, x))
			}
			e.SetKindCase(test)
		}
	}))
}

// comparedWithNull takes x == null and x != null apart, whichever side null is on.
func comparedWithNull(e celast.Expr) (x celast.Expr, negated, ok bool) {
	if e.Kind() != celast.CallKind {
		return nil, false, false
	}
	call := e.AsCall()
	negated = call.FunctionName() == operators.NotEquals
	if !negated && call.FunctionName() != operators.Equals {
		return nil, false, false
	}
	switch args := call.Args(); {
	case isNullLiteral(args[1]):
		return args[0], negated, true
	case isNullLiteral(args[0]):
		return args[1], negated, true
	}
	return nil, false, false
}

func isNullLiteral(e celast.Expr) bool {
	return e.Kind() == celast.LiteralKind && e.AsLiteral() == types.NullValue
}

// expandHas is CEL's has(), which also takes has(x["name"]).
func expandHas(f cel.MacroExprFactory, _ celast.Expr, args []celast.Expr) (celast.Expr, *cel.Error) {
	if args[0].Kind() == celast.SelectKind {
		s := args[0].AsSelect()
		return f.NewPresenceTest(s.Operand(), s.FieldName()), nil
	}
	if operand, name, ok := indexByName(args[0]); ok {
		return f.NewPresenceTest(operand, name), nil
	}
	return nil, f.NewError(args[0].ID(), `has() takes a field, as in has(x.y) or has(x["y"])`)
}

// indexByName takes x["name"] apart.
func indexByName(e celast.Expr) (operand celast.Expr, name string, ok bool) {
	if e.Kind() != celast.CallKind || e.AsCall().FunctionName() != operators.Index {
		return nil, "", false
	}
	args := e.AsCall().Args()
	if len(args) != 2 || args[1].Kind() != celast.LiteralKind {
		return nil, "", false
	}
	s, ok := args[1].AsLiteral().(types.String)
	return args[0], string(s), ok
}
