package celrule

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// A rule that could never be exact, or could never hold, is refused when it is compiled.

// unbounded are the functions of CEL's string library whose work grows with the product of two
// argument sizes, or with a number in an argument. The cost limit and the deadline do not stop them.
var unbounded = []string{"format", "indexOf", "join", "lastIndexOf", "replace"}

// checkParsed looks at a rule that has no types yet.
func checkParsed(expr string, a *celast.AST) error {
	return inspect(a, func(e celast.Expr) error {
		switch e.Kind() {
		case celast.CallKind:
			if name := e.AsCall().FunctionName(); slices.Contains(unbounded, name) {
				return fmt.Errorf("%s() is not for rules: what it costs has no bound", name)
			}
		case celast.LiteralKind:
			if _, ok := e.AsLiteral().(types.Double); ok {
				_, err := parseDouble(numberAt(expr, a, e.ID()))
				return err
			}
		}
		return nil
	})
}

var numberText = regexp.MustCompile(`^-?\s*([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?`)

// numberAt is the text of a number in the rule, of which CEL keeps only the value.
func numberAt(expr string, a *celast.AST, id int64) string {
	at, _ := a.SourceInfo().GetOffsetRange(id)
	text := numberText.FindString(string([]rune(expr)[at.Start:]))
	return spaces.ReplaceAllString(text, "")
}

var spaces = regexp.MustCompile(`\s`)

// checkTyped looks at a rule whose types are known.
func checkTyped(a *celast.AST) error {
	return inspect(a, func(e celast.Expr) error {
		if e.Kind() != celast.CallKind {
			return nil
		}
		call := e.AsCall()
		args := call.Args()
		switch call.FunctionName() {
		case nullTest:
			return checkNullable(a.GetType(args[0].ID()))
		case onlyList:
			return checkList(a.GetType(args[0].ID()))
		case operators.In:
			return checkMembers(a, args[0], args[1])
		case overloads.Size:
			if call.IsMemberFunction() {
				args = []celast.Expr{call.Target()}
			}
			return checkSize(a.GetType(args[0].ID()))
		}
		return nil
	})
}

// checkNullable refuses x == null where x is never null.
func checkNullable(t *types.Type) error {
	switch t.Kind() {
	case types.ListKind, types.MapKind, types.StructKind: // whether it may be null is known only at run time
		return nil
	}
	if !t.IsAssignableType(types.NullType) {
		return fmt.Errorf("it is never null: the schema says it is of type %s", typeName(t))
	}
	return nil
}

// checkList refuses a macro over a value that is not a list. Over an object, CEL would visit its keys.
func checkList(t *types.Type) error {
	switch t.Kind() {
	case types.ListKind, types.DynKind:
		return nil
	}
	return fmt.Errorf(wantsList, typeName(t))
}

const wantsList = "all(), exists(), exists_one(), filter(), map() and the functions of sets take a list and not %s"

// checkSize requires a known type: otherwise a limit on the characters of a string would also hold
// for a list of one string of any length.
func checkSize(t *types.Type) error {
	if t.Kind() == types.DynKind {
		return errors.New("size() counts the characters of a string, the elements of a list or the fields of an object, and the schema does not say which this is: for a string write size(string(x))")
	}
	return nil
}

// checkMembers refuses to compare a value with values of several kinds: it cannot be of all of them.
func checkMembers(a *celast.AST, x, among celast.Expr) error {
	if isNullLiteral(x) {
		return errors.New("null can not be looked for in a list: write x.exists(e, e == null)")
	}
	if among.Kind() == celast.CallKind && among.AsCall().FunctionName() == onlyList {
		among = among.AsCall().Args()[0]
	}
	if among.Kind() != celast.ListKind {
		return nil
	}
	var kinds []string
	for _, e := range among.AsList().Elements() {
		if kind := kindOf(a.GetType(e.ID())); kind != "" && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	switch {
	case len(kinds) < 2:
		return nil
	case slices.Contains(kinds, "null"):
		return errors.New("the list has null beside other values: write x == null || x in […]")
	}
	return fmt.Errorf("the list has values of several kinds, %s and %s: no value compares with both", kinds[0], kinds[1])
}

// kindOf names the kind that values of a type can be compared with, or is empty if it is known only
// at run time.
func kindOf(t *types.Type) string {
	switch t.Kind() {
	case types.DynKind, types.AnyKind, types.TypeParamKind:
		return ""
	case types.IntKind, types.UintKind, types.DoubleKind:
		return "number"
	case types.MapKind, types.StructKind:
		return "object"
	case types.NullTypeKind:
		return "null"
	}
	return t.TypeName()
}

// inspect calls a check for every expression of a rule until there is an error, and adds its place.
func inspect(a *celast.AST, check func(celast.Expr) error) error {
	var found error
	celast.PostOrderVisit(a.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if found != nil {
			return
		}
		if err := check(e); err != nil {
			found = fmt.Errorf("%s: %w", position(a.SourceInfo().GetStartLocation(e.ID())), err)
		}
	}))
	return found
}
