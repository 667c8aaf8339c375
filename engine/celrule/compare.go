package celrule

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// What `==`, `!=` and `in` become. To CEL values of different types are just not equal, so where
// no schema gives a type `args.x != 'delete'` would hold for ["delete"]. Here comparing them
// is an error. Numbers compare with numbers, and null with everything.
const sameAs, memberOf = "@same_as", "@member_of"

var (
	typeA, typeB = cel.TypeParamType("A"), cel.TypeParamType("B")

	sameAsFunction = cel.Function(sameAs,
		cel.Overload(sameAs, []*cel.Type{typeA, typeA}, cel.BoolType),
		cel.SingletonBinaryBinding(equal))
	memberOfFunction = cel.Function(memberOf,
		cel.Overload(memberOf+"_list", []*cel.Type{typeA, cel.ListType(typeA)}, cel.BoolType),
		cel.Overload(memberOf+"_map", []*cel.Type{typeA, cel.MapType(typeA, typeB)}, cel.BoolType),
		cel.SingletonBinaryBinding(member))
)

// equal reports whether two values are the same, as a CEL value: true, false or an error.
func equal(a, b ref.Val) ref.Val {
	a, b = asMap(a), asMap(b)
	if a == types.NullValue || b == types.NullValue {
		return types.Bool(a == b)
	}
	switch x := a.(type) {
	case traits.Lister:
		if y, ok := b.(traits.Lister); ok {
			return equalLists(x, y)
		}
	case traits.Mapper:
		if y, ok := b.(traits.Mapper); ok {
			return equalMaps(x, y)
		}
	default:
		if a.Type() == b.Type() || isNumeric(a) && isNumeric(b) {
			return a.Equal(b)
		}
	}
	return types.NewErr("a %s can not be compared with a %s", a.Type().TypeName(), b.Type().TypeName())
}

func isNumeric(v ref.Val) bool {
	switch v.(type) {
	case types.Int, types.Uint, types.Double:
		return true
	}
	return false
}

func equalLists(a, b traits.Lister) ref.Val {
	if a.Size() != b.Size() {
		return types.False
	}
	for x, y := a.Iterator(), b.Iterator(); x.HasNext() == types.True; {
		if same := equal(x.Next(), y.Next()); same != types.True {
			return same
		}
	}
	return types.True
}

func equalMaps(a, b traits.Mapper) ref.Val {
	if a.Size() != b.Size() {
		return types.False
	}
	for keys := a.Iterator(); keys.HasNext() == types.True; {
		key := keys.Next()
		x, _ := a.Find(key)
		y, ok := b.Find(key)
		if !ok {
			return types.False
		}
		if same := equal(x, y); same != types.True {
			return same
		}
	}
	return types.True
}

// member reports whether a value is in a list or a key in an object. It is an error when the
// value is not found, and there is one that it can not be compared with.
func member(v, container ref.Val) ref.Val {
	var among traits.Iterator
	switch c := container.(type) {
	case traits.Lister:
		among = c.Iterator()
	case traits.Mapper:
		among = c.Iterator()
	default:
		return types.NewErr("`in` takes a list or an object, not a %s", container.Type().TypeName())
	}
	var found ref.Val = types.False
	for among.HasNext() == types.True {
		switch same := equal(v, among.Next()); {
		case same == types.True:
			return types.True
		case types.IsError(same):
			found = same
		}
	}
	return found
}

// costs charges for the calls that CEL takes for free: ours, and those whose operands
// have types that only the call tells, such as a + b.
type costs struct{}

func (costs) CallCost(function, overload string, args []ref.Val, _ ref.Val) *uint64 {
	var cost uint64
	switch {
	case function == sameAs:
		cost = min(sizeOf(args[0]), sizeOf(args[1])) / 10
	case function == memberOf:
		cost = sizeOf(args[1])
	case overload != "":
		return nil // CEL knows
	default:
		for _, arg := range args {
			cost += sizeOf(arg) / 10
		}
	}
	cost++
	return &cost
}

func sizeOf(v ref.Val) uint64 {
	if s, ok := v.(traits.Sizer); ok {
		if n, ok := s.Size().(types.Int); ok && n > 0 {
			return uint64(n)
		}
	}
	return 1
}
