package schema

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-code-mode/mcp-code-mode/internal/nearest"
	"github.com/mcp-code-mode/mcp-code-mode/internal/schemaview"
)

// arguments are the names a schema gives to what is passed on the top level.
type arguments struct {
	known    map[string]bool
	names    []string // sorted
	patterns []jsonschema.Regexp
	open     bool // others are allowed, and checked by the schema itself
}

// topLevel gathers the names that a schema gives, in itself and in every schema it
// applies to the same object. A pattern that does not compile has stopped the
// compiler before.
func topLevel(d *schemaview.Document) arguments {
	r := d.Reader()
	names := r.Names(r.Root())
	a := arguments{known: names.Known, open: names.Open, names: slices.Sorted(maps.Keys(names.Known))}
	patterns := newPatterns()
	for _, text := range names.Patterns {
		if re, err := patterns.compile(text); err == nil {
			a.patterns = append(a.patterns, re)
		}
	}
	return a
}

// refuses reports whether an argument of that name is not allowed, whatever the
// schema says of its value.
func (a *arguments) refuses(name string) bool {
	return !a.open && !a.known[name] && !a.matches(name)
}

func (a *arguments) matches(name string) bool {
	return slices.ContainsFunc(a.patterns, func(re jsonschema.Regexp) bool { return re.MatchString(name) })
}

// passed are the arguments of one call beside the names the schema gives. Only
// the first unknown ones are worded with what may have been meant, each once:
// finding that out takes far more than anything else about a name.
type passed struct {
	*arguments
	unknown []string          // the first MaxViolations that no schema names
	worded  map[string]string // those of them whose refusal was worded
}

func (a *arguments) pass(args map[string]any) *passed {
	p := &passed{arguments: a}
	for name := range args {
		if !a.known[name] && among(p.unknown, name) && !a.matches(name) {
			p.unknown = first(p.unknown, name)
		}
	}
	return p
}

// among reports whether s would be among the first, the list of which is known
// so far.
func among(known []string, s string) bool {
	return len(known) < MaxViolations || s < known[MaxViolations-1]
}

// first adds s to the sorted list of the first MaxViolations.
func first(list []string, s string) []string {
	if !among(list, s) {
		return list
	}
	i, _ := slices.BinarySearch(list, s)
	list = slices.Insert(list, i, s)
	return list[:min(len(list), MaxViolations)]
}

// firstOf is the first MaxViolations of names, in order.
func firstOf(names []string) []string {
	var list []string
	for _, name := range names {
		list = first(list, name)
	}
	return list
}

// check finds arguments that are not named.
func (p *passed) check(found *findings) {
	if p.open {
		return
	}
	for _, name := range p.unknown {
		found.add(nil, p.refusal(name))
	}
}

// refusal words that an argument is not allowed.
func (p *passed) refusal(name string) string {
	if p.known[name] {
		return "argument " + quote(name) + " is not allowed"
	}
	if !slices.Contains(p.unknown, name) {
		return "unknown argument " + quote(name)
	}
	message, ok := p.worded[name]
	if !ok {
		message = p.word(name)
		if p.worded == nil {
			p.worded = map[string]string{}
		}
		p.worded[name] = message
	}
	return message
}

// word words the refusal of an unknown argument, with what may have been meant.
func (a *arguments) word(name string) string {
	const few = 8
	message := "unknown argument " + quote(name)
	if near := nearest.Of(name, a.names); near != "" {
		return message + "; did you mean " + quote(near) + "?"
	}
	switch {
	case len(a.names) == 0 && len(a.patterns) == 0:
		return message + "; the tool takes none"
	case len(a.names) > 0 && len(a.names) <= few:
		return message + "; the tool takes " + quoteAll(a.names)
	}
	return message
}
