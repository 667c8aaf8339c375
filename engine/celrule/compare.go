package celrule

import (
	"iter"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// This file replaces `==`, `!=` and `in`. In standard CEL, values of different types are just not
// equal, so without a type from the schema `args.x != 'delete'` would hold for ["delete"] and for
// null. Here comparing them is an error. Numbers compare with numbers, exactly. Whether a value is null is
// asked by `x == null`, with null written out.
const sameAs, memberOf, nullTest = "@same_as", "@member_of", "@is_null"

var (
	typeA, typeB = cel.TypeParamType("A"), cel.TypeParamType("B")

	sameAsFunction = cel.Function(sameAs,
		cel.Overload(sameAs, []*cel.Type{typeA, typeA}, cel.BoolType),
		cel.SingletonBinaryBinding(equal))
	memberOfFunction = cel.Function(memberOf,
		cel.Overload(memberOf+"_list", []*cel.Type{typeA, cel.ListType(typeA)}, cel.BoolType),
		cel.Overload(memberOf+"_map", []*cel.Type{typeA, cel.MapType(typeA, typeB)}, cel.BoolType),
		cel.SingletonBinaryBinding(member))
	nullFunction = cel.Function(nullTest,
		cel.Overload(nullTest, []*cel.Type{cel.DynType}, cel.BoolType),
		cel.SingletonUnaryBinding(func(v ref.Val) ref.Val { return types.Bool(v == types.NullValue) }))
)

func differentKinds(a, b ref.Val) ref.Val {
	return types.NewErr("%s and %s do not compare", a.Type().TypeName(), b.Type().TypeName())
}

// equal reports whether two values are the same, as a CEL value: true, false or an error.
func equal(a, b ref.Val) ref.Val {
	a, b = asMap(a), asMap(b)
	switch x := a.(type) {
	case *types.Err: // an element that does not fit the schema
		return x
	case traits.Lister:
		if y, ok := b.(traits.Lister); ok {
			return equalLists(x, y)
		}
	case traits.Mapper:
		if y, ok := b.(traits.Mapper); ok {
			return equalMaps(x, y)
		}
	default:
		if a.Type() == b.Type() {
			return a.Equal(b)
		}
		if x, y := exact(a), exact(b); x != nil && y != nil {
			return types.Bool(x.Cmp(y) == 0)
		}
	}
	return differentKinds(a, b)
}

// every reports whether all comparisons are true. An error counts for more than false, so the
// answer does not depend on the order.
func every(same iter.Seq[ref.Val]) ref.Val {
	var all ref.Val = types.True
	for one := range same {
		switch {
		case types.IsError(one):
			return one
		case one != types.True:
			all = types.False
		}
	}
	return all
}

func equalLists(a, b traits.Lister) ref.Val {
	if a.Size() != b.Size() {
		return types.False
	}
	return every(func(yield func(ref.Val) bool) {
		for x, y := a.Iterator(), b.Iterator(); x.HasNext() == types.True; {
			if !yield(equal(x.Next(), y.Next())) {
				return
			}
		}
	})
}

func equalMaps(a, b traits.Mapper) ref.Val {
	if a.Size() != b.Size() {
		return types.False
	}
	return every(func(yield func(ref.Val) bool) {
		for keys := a.Iterator(); keys.HasNext() == types.True; {
			key := keys.Next()
			same := hasKey(key, b)
			if same == types.True {
				x, _ := a.Find(key)
				y, _ := b.Find(key)
				same = equal(x, y)
			}
			if !yield(same) {
				return
			}
		}
	})
}

// member reports whether a value is in a list or a key in an object. It is an error when the list
// has an element that it cannot be compared with, at whatever position.
func member(v, container ref.Val) ref.Val {
	switch among := container.(type) {
	case traits.Mapper:
		return hasKey(v, among)
	case traits.Lister:
		return not(every(func(yield func(ref.Val) bool) {
			for elements := among.Iterator(); elements.HasNext() == types.True; {
				if !yield(not(equal(v, elements.Next()))) {
					return
				}
			}
		}))
	}
	return types.NewErr("`in` takes a list or an object, not a %s", container.Type().TypeName())
}

// hasKey compares with one other key if the key is absent: all keys of an object are of one kind.
func hasKey(key ref.Val, object traits.Mapper) ref.Val {
	if _, ok := object.Find(key); ok {
		return types.True
	}
	if keys := object.Iterator(); keys.HasNext() == types.True {
		if same := equal(key, keys.Next()); types.IsError(same) {
			return same
		}
	}
	return types.False
}

func not(v ref.Val) ref.Val {
	if b, ok := v.(types.Bool); ok {
		return !b
	}
	return v
}

// costs gives a cost to the calls that CEL counts as free: our own functions, and those whose
// operand types are known only at run time, such as a + b.
type costs struct{}

func (costs) CallCost(function, overload string, args []ref.Val, _ ref.Val) *uint64 {
	var cost uint64
	switch {
	case function == sameAs:
		cost = min(sizeOf(args[0]), sizeOf(args[1])) / 10
	case function == memberOf:
		cost = sizeOf(args[1])
	case function == nullTest:
		cost = 0
	case overload != "":
		return nil // CEL knows the cost
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
