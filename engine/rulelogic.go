package engine

import (
	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"
)

// strictLogic rewrites a checked rule so that no error gets lost:
//
//	a || b   becomes   a ? true : b
//	a && b   becomes   a ? b : false
//
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
		case operators.LogicalOr:
			ctx.UpdateExpr(e, ctx.NewCall(operators.Conditional, args[0], ctx.NewLiteral(types.True), args[1]))
		case operators.LogicalAnd:
			ctx.UpdateExpr(e, ctx.NewCall(operators.Conditional, args[0], args[1], ctx.NewLiteral(types.False)))
		}
	}))
	return ctx.NewAST(a.Expr())
}

// onlyList is the identity on lists. The macros put it around what they go through, so that an
// object there is an error: to the compiler where the schema tells, else when the rule runs.
const onlyList = "@only_list"

var anyList = cel.ListType(cel.TypeParamType("A"))

// macros are CEL's own, with has() that takes a name and the others taking lists only.
func macros() []cel.Macro {
	return []cel.Macro{
		cel.GlobalMacro(operators.Has, 1, expandHas),
		cel.ReceiverMacro(operators.All, 2, overList(parser.MakeAll)),
		cel.ReceiverMacro(operators.Exists, 2, overList(parser.MakeExists)),
		cel.ReceiverMacro(operators.ExistsOne, 2, overList(parser.MakeExistsOne)),
		cel.ReceiverMacro(operators.Map, 2, overList(parser.MakeMap)),
		cel.ReceiverMacro(operators.Map, 3, overList(parser.MakeMap)),
		cel.ReceiverMacro(operators.Filter, 2, overList(parser.MakeFilter)),
	}
}

func overList(expand cel.MacroFactory) cel.MacroFactory {
	return func(f cel.MacroExprFactory, target celast.Expr, args []celast.Expr) (celast.Expr, *cel.Error) {
		return expand(f, f.NewCall(onlyList, target), args)
	}
}

// selectByIndex makes x["name"] the same as x.name, so that arguments whose names are no
// identifiers are typed like all others.
func selectByIndex(a *celast.AST) {
	factory := celast.NewExprFactory()
	celast.PostOrderVisit(a.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if operand, name, ok := indexByName(e); ok {
			e.SetKindCase(factory.NewSelect(e.ID(), operand, name))
		}
	}))
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
