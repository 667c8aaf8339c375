package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits of regular expressions. Matching takes time proportional to the text
// times the expression, never more.
const (
	maxPattern  = 4 << 10 // bytes of one
	maxPrograms = 100_000 // instructions of all in one schema
)

// pattern is a compiled regular expression that knows what matching costs.
type pattern struct {
	*regexp.Regexp
	instructions int
}

// cost is what matching text takes, in units of work.
func (p *pattern) cost(text string) int {
	if p == nil {
		return 0
	}
	return 1 + len(text)/64*(1+p.instructions/4)
}

// patterns compiles the regular expressions of one schema, each once.
type patterns struct {
	known map[string]*pattern
	left  int
}

func newPatterns() *patterns {
	return &patterns{known: map[string]*pattern{}, left: maxPrograms}
}

func (ps *patterns) compile(text string) (jsonschema.Regexp, error) {
	if p := ps.known[text]; p != nil {
		return p, nil
	}
	if len(text) > maxPattern {
		return nil, fmt.Errorf("it is longer than %d bytes", maxPattern)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	n := instructions(tree)
	if ps.left -= n; ps.left < 0 {
		return nil, errors.New("the regular expressions are too large")
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	p := &pattern{Regexp: re, instructions: n}
	ps.known[text] = p
	return p, nil
}

// instructions estimates the size of a compiled expression from above, without
// writing repetitions out.
func instructions(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		if n += instructions(sub); n > maxPrograms {
			return maxPrograms + 1
		}
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1) + 1
	}
	return min(n, maxPrograms+1)
}
