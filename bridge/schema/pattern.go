package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds of regular expressions. Matching takes time proportional to the text
// times the expression, never more.
const (
	maxPattern      = 4 << 10 // bytes of one
	maxInstructions = 50_000  // of all in one schema
)

// pattern is a compiled regular expression that knows what matching costs.
// JSON Schema's are those of ECMAScript. Nearly all mean the same to package
// regexp; look-ahead, which generators of email patterns write, is matched by
// lookahead. Back-references and look-behind are not supported.
type pattern struct {
	text         string
	re2          *regexp.Regexp
	ahead        *lookahead // instead of re2
	instructions int
}

func (p *pattern) String() string { return p.text }

// MatchString implements jsonschema.Regexp.
func (p *pattern) MatchString(s string) bool {
	if p.ahead != nil {
		return p.ahead.match(s)
	}
	return p.re2.MatchString(s)
}

// cost is what matching text takes, in units of work.
func (p *pattern) cost(text string) int {
	switch {
	case p == nil:
		return 0
	case p.ahead != nil:
		return 1 + (len(text)+1)*p.instructions/16
	default:
		return 1 + len(text)*p.instructions/64
	}
}

// patterns compiles the regular expressions of one schema, each once.
type patterns struct {
	known map[string]*pattern
	left  int // instructions
}

func newPatterns() *patterns {
	return &patterns{known: map[string]*pattern{}, left: maxInstructions}
}

// compile is a jsonschema.RegexpEngine.
func (ps *patterns) compile(text string) (jsonschema.Regexp, error) {
	if p := ps.known[text]; p != nil {
		return p, nil
	}
	if len(text) > maxPattern {
		return nil, fmt.Errorf("it is longer than %d bytes", maxPattern)
	}
	p := &pattern{text: text}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err == nil {
		if p.instructions, err = ps.take(tree); err == nil {
			p.re2, err = regexp.Compile(text)
		}
	} else {
		p.ahead, p.instructions, err = ps.compileAhead(text)
	}
	if err != nil {
		return nil, err
	}
	ps.known[text] = p
	return p, nil
}

// take counts the instructions of an expression before they are written out.
func (ps *patterns) take(tree *syntax.Regexp) (int, error) {
	n := instructions(tree)
	if ps.left -= n; ps.left < 0 {
		return 0, errors.New("the regular expressions are too large")
	}
	return n, nil
}

// instructions estimates from above how large a compiled expression is.
func instructions(re *syntax.Regexp) int {
	n := 2
	if re.Op == syntax.OpLiteral {
		n += len(re.Rune)
	}
	for _, sub := range re.Sub {
		n = min(n+instructions(sub), maxInstructions+1)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1) + 1
	}
	return min(n, maxInstructions+1)
}
