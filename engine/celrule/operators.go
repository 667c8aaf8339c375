package celrule

import (
	"math/big"
	"regexp"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/env"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/stdlib"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// exactOperators are CEL's own operators, with CEL's types, but each is exact or an error.
// Standard CEL rounds an int to compare it with a double, rounds the results of doubles, and drops
// the remainder when it divides ints.
var exactOperators = map[string]functions.BinaryOp{
	operators.Less:          order(func(c int) bool { return c < 0 }),
	operators.LessEquals:    order(func(c int) bool { return c <= 0 }),
	operators.Greater:       order(func(c int) bool { return c > 0 }),
	operators.GreaterEquals: order(func(c int) bool { return c >= 0 }),
	operators.Add: func(a, b ref.Val) ref.Val {
		return arithmetic(a, b, (*big.Rat).Add, traits.Adder.Add)
	},
	operators.Subtract: func(a, b ref.Val) ref.Val {
		return arithmetic(a, b, (*big.Rat).Sub, traits.Subtractor.Subtract)
	},
	operators.Multiply: func(a, b ref.Val) ref.Val {
		return arithmetic(a, b, (*big.Rat).Mul, traits.Multiplier.Multiply)
	},
	operators.Divide: divide,
}

// exactConversions take the place of the overloads of CEL's conversions that round.
var exactConversions = map[string]functions.UnaryOp{
	overloads.DoubleToInt:       func(v ref.Val) ref.Val { return toInteger(v, types.IntType) },
	overloads.DoubleToUint:      func(v ref.Val) ref.Val { return toInteger(v, types.UintType) },
	overloads.IntToDouble:       func(v ref.Val) ref.Val { return asDouble(exact(v)) },
	overloads.UintToDouble:      func(v ref.Val) ref.Val { return asDouble(exact(v)) },
	overloads.StringToDouble:    stringToDouble,
	overloads.StringToTimestamp: unlessFiner(fineTimestamp, types.TimestampType),
	overloads.StringToDuration:  unlessFiner(fineDuration, types.DurationType),
	overloads.TimestampToInt:    timestampToInt,
}

// truncating are overloads that rules cannot use: duration('1h59m').getHours() is 1.
// Durations compare as they are.
var truncating = []string{
	overloads.DurationToHours, overloads.DurationToMinutes, overloads.DurationToSeconds, overloads.DurationToMilliseconds,
}

// standardLibrary is CEL's library with exact functions in place of inexact ones.
func standardLibrary() cel.EnvOption {
	without := env.NewLibrarySubset()
	var ours []*decls.FunctionDecl
	for _, f := range stdlib.Functions() {
		left, replaced := replace(f)
		if left != nil {
			without.AddExcludedFunctions(left)
		}
		if replaced != nil {
			ours = append(ours, replaced)
		}
	}
	return func(e *cel.Env) (*cel.Env, error) {
		e, err := cel.StdLib(cel.StdLibSubset(without))(e)
		if err != nil {
			return nil, err
		}
		return cel.FunctionDecls(ours...)(e)
	}
}

// replace returns which overloads of a CEL function are left out, and which replace them.
func replace(f *decls.FunctionDecl) (left *env.Function, replaced *decls.FunctionDecl) {
	var opts []decls.FunctionOpt
	if op := exactOperators[f.Name()]; op != nil {
		for _, o := range f.OverloadDecls() {
			opts = append(opts, decls.Overload(o.ID(), o.ArgTypes(), o.ResultType()))
		}
		opts = append(opts, decls.SingletonBinaryBinding(op))
		left = env.NewFunction(f.Name())
	} else {
		var out []*env.Overload
		for _, o := range f.OverloadDecls() {
			convert := exactConversions[o.ID()]
			if convert != nil {
				opts = append(opts, decls.Overload(o.ID(), o.ArgTypes(), o.ResultType(), decls.UnaryBinding(convert)))
			}
			if convert != nil || slices.Contains(truncating, o.ID()) {
				out = append(out, &env.Overload{ID: o.ID()})
			}
		}
		if len(out) > 0 {
			left = env.NewFunction(f.Name(), out...)
		}
	}
	if len(opts) > 0 {
		replaced, _ = decls.NewFunction(f.Name(), opts...) // as valid as CEL's own
	}
	return left, replaced
}

// order compares two values of one kind.
func order(holds func(int) bool) functions.BinaryOp {
	return func(a, b ref.Val) ref.Val {
		if c, ok := a.(traits.Comparer); ok && a.Type() == b.Type() {
			result := c.Compare(b)
			if n, ok := result.(types.Int); ok {
				return types.Bool(holds(int(n)))
			}
			return result
		}
		x, y := exact(a), exact(b)
		if x == nil || y == nil {
			return differentKinds(a, b)
		}
		return types.Bool(holds(x.Cmp(y)))
	}
}

// arithmetic leaves to CEL what CEL does exactly, and does the rest with fractions.
func arithmetic[T any](a, b ref.Val, rat func(z, x, y *big.Rat) *big.Rat, standard func(T, ref.Val) ref.Val) ref.Val {
	if a.Type() == types.DoubleType || b.Type() == types.DoubleType {
		x, y := exact(a), exact(b)
		if x == nil || y == nil {
			return noOperation(a, b)
		}
		return asDouble(rat(x, x, y))
	}
	if v, ok := a.(T); ok {
		return standard(v, b)
	}
	return noOperation(a, b)
}

func divide(a, b ref.Val) ref.Val {
	if divisor := exact(b); divisor != nil && divisor.Sign() == 0 {
		return types.NewErr("division by zero")
	}
	if whole, ok := a.(traits.Modder); ok && a.Type() == b.Type() {
		if rest := exact(whole.Modulo(b)); rest != nil && rest.Sign() != 0 {
			return types.NewErr("the division leaves a remainder, which would be lost")
		}
	}
	return arithmetic(a, b, (*big.Rat).Quo, traits.Divider.Divide)
}

func noOperation(a, b ref.Val) ref.Val {
	return types.NewErr("there is no such operation between %s and %s", a.Type().TypeName(), b.Type().TypeName())
}

// toInteger is the double as an int or uint, when it is one.
func toInteger(v ref.Val, t ref.Type) ref.Val {
	r := exact(v)
	if !r.IsInt() {
		return types.NewErr("%s() does not round: the number has a fraction", t.TypeName())
	}
	return types.String(r.Num().String()).ConvertToType(t)
}

func stringToDouble(v ref.Val) ref.Val {
	text, _ := v.Value().(string)
	if !isNumber(text) { // which leaves out what is not a number by name
		return types.NewErr("double() takes a number as JSON writes them")
	}
	f, err := parseDouble(text)
	if err != nil {
		return types.WrapErr(err)
	}
	return f
}

// CEL cuts off what is finer than a nanosecond.
var (
	fineTimestamp = regexp.MustCompile(`\.\d{10}`)
	fineDuration  = regexp.MustCompile(`\.(\d{10}|\d{7,}ms|\d{4,}[uµμ]s|\d+ns)`)
)

func unlessFiner(fine *regexp.Regexp, t ref.Type) functions.UnaryOp {
	return func(v ref.Val) ref.Val {
		if text, ok := v.Value().(string); !ok || fine.MatchString(text) {
			return types.NewErr("it is finer than a nanosecond")
		}
		return v.ConvertToType(t)
	}
}

func timestampToInt(v ref.Val) ref.Val {
	if t, ok := v.(types.Timestamp); !ok || t.Nanosecond() != 0 {
		return types.NewErr("int() does not round: the timestamp has a fraction of a second")
	}
	return v.ConvertToType(types.IntType)
}
