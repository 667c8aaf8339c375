package schema

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// explain words the leaves of an error of the validator.
func (f *findings) explain(e *jsonschema.ValidationError) {
	for _, l := range leaves(e) {
		at := l.InstanceLocation
		switch k := l.ErrorKind.(type) {
		case *kind.AnyOf:
			f.alternatives(l)
		case *kind.OneOf:
			if len(k.Subschemas) > 0 {
				f.add(at, "matches more than one of the allowed forms")
				continue
			}
			f.alternatives(l)
		case *kind.AdditionalProperties:
			for _, name := range firstOf(k.Properties) {
				f.add(at, f.unknown(at, name))
			}
		case *kind.Required:
			for _, name := range k.Missing {
				f.add(at, "missing required "+quote(name))
			}
		default:
			f.add(at, word(k))
		}
	}
}

// leaves lists the errors below those that only group others. Alternatives are
// leaves: of their errors, at most one matters.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case nil, *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		var list []*jsonschema.ValidationError
		for _, cause := range e.Causes {
			list = append(list, leaves(cause)...)
		}
		return list
	}
	return []*jsonschema.ValidationError{e}
}

// branch is one of several alternatives, none of which matched.
type branch struct {
	found    *findings // what is wrong with it
	types    []string  // it wants another type
	got      string
	literals []string // it wants another literal, at the place path
	path     []string
}

// alternatives words an anyOf or oneOf without a match. Branches that want
// another type or another literal are about something else than what was
// passed; if that is true of all, it is the reason, and if just one is left,
// what is wrong with that one is.
func (f *findings) alternatives(e *jsonschema.ValidationError) {
	var near, typed, literal []branch
	for _, cause := range e.Causes {
		switch b := f.branch(cause, len(e.InstanceLocation)); {
		case b.types != nil:
			typed = append(typed, b)
		case b.literals != nil:
			literal = append(literal, b)
		default:
			near = append(near, b)
		}
	}
	switch {
	case len(near) == 1:
		f.merge(near[0].found)
	case len(near) > 1:
		f.add(e.InstanceLocation, "matches none of the allowed forms: "+firstReasons(near))
	case len(literal) > 0 && samePath(literal):
		var want []string
		for _, b := range literal {
			want = union(want, b.literals)
		}
		f.add(literal[0].path, "expected "+strings.Join(want, " or "))
	case len(literal) > 0:
		f.add(e.InstanceLocation, "matches none of the allowed forms")
	case len(typed) > 0:
		var want []string
		for _, b := range typed {
			want = union(want, b.types)
		}
		f.add(e.InstanceLocation, "expected "+strings.Join(want, " or ")+", got "+typed[0].got)
	}
}

// branch sorts out one alternative at a place of that depth.
func (f *findings) branch(cause *jsonschema.ValidationError, depth int) branch {
	b := branch{found: &findings{top: f.top}}
	b.found.explain(cause)
	for _, l := range leaves(cause) {
		below := len(l.InstanceLocation) - depth
		switch k := l.ErrorKind.(type) {
		case *kind.Type:
			if below == 0 {
				b.types, b.got = k.Want, k.Got
			}
		case *kind.Const:
			if below <= 1 {
				b.differs(l.InstanceLocation, []any{k.Want})
			}
		case *kind.Enum:
			if below == 0 {
				b.differs(l.InstanceLocation, k.Want)
			}
		}
	}
	return b
}

// differs notes that the value at path is not one of want. Of several such
// places the first in order counts.
func (b *branch) differs(path []string, want []any) {
	if b.literals != nil && slices.Compare(b.path, path) <= 0 {
		return
	}
	b.path, b.literals = path, nil
	for _, v := range want[:min(len(want), maxLiterals)] {
		b.literals = append(b.literals, literal(v))
	}
}

func samePath(branches []branch) bool {
	return !slices.ContainsFunc(branches, func(b branch) bool {
		return !slices.Equal(b.path, branches[0].path)
	})
}

// firstReasons names one reason of each branch, as many as can be read.
func firstReasons(branches []branch) string {
	const few = 4
	var reasons []string
	for _, b := range branches[:min(len(branches), few)] {
		if len(b.found.list) > 0 {
			reasons = union(reasons, []string{b.found.list[0].Message})
		}
	}
	return strings.Join(reasons, ", or ")
}

// union appends what list does not have yet.
func union(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
