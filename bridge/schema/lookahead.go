package schema

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"
)

// lookahead matches a regular expression with look-ahead in time proportional
// to the text times the expression. Package regexp parses and compiles it: in
// its place each look-ahead has a character that stands for it, and what is
// inside is an expression of its own. For each expression, the inner ones
// first, match finds out from the end of the text backwards where it matches.
type lookahead struct {
	parts []part // an expression comes after those inside it; the last is the whole
}

type part struct {
	prog     *syntax.Prog
	before   [][]uint32 // the instructions that lead to one without taking a character
	negative bool
}

// placeholder stands for the first look-ahead, the following characters for the
// following ones. It is private and patterns that use it are refused.
const placeholder = 0xF0000

// compileAhead compiles what package regexp does not know.
func (ps *patterns) compileAhead(text string) (*lookahead, int, error) {
	t := translator{in: []rune(text)}
	whole, err := t.sequence(0)
	if err != nil {
		return nil, 0, err
	}
	if t.pos < len(t.in) {
		return nil, 0, errors.New("a group is closed that was not opened")
	}
	t.found = append(t.found, inner{text: whole})
	l, total := &lookahead{}, 0
	for _, f := range t.found {
		tree, err := syntax.Parse(f.text, syntax.Perl)
		if err != nil {
			return nil, 0, err
		}
		n, err := ps.take(tree)
		if err != nil {
			return nil, 0, err
		}
		total += n
		prog, err := syntax.Compile(tree.Simplify())
		if err != nil {
			return nil, 0, err
		}
		l.parts = append(l.parts, part{prog, leadingTo(prog), f.negative})
	}
	return l, total, nil
}

// translator rewrites an expression of ECMAScript for package regexp.
type translator struct {
	in    []rune
	pos   int
	found []inner
}

type inner struct {
	text     string
	negative bool
}

func (t *translator) rest(prefix string) bool {
	return strings.HasPrefix(string(t.in[t.pos:min(len(t.in), t.pos+4)]), prefix)
}

// sequence reads up to the parenthesis that closes a group, or to the end.
func (t *translator) sequence(depth int) (string, error) {
	const deepest = 200 // groups in groups
	if depth > deepest {
		return "", errors.New("its groups are nested too deep")
	}
	var b strings.Builder
	for t.pos < len(t.in) {
		switch r := t.in[t.pos]; {
		case r == ')':
			return b.String(), nil
		case r == '\\':
			text, err := t.escape()
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		case r == '[':
			text, err := t.class()
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		case r == '(':
			text, err := t.group(depth)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		case r >= placeholder:
			return "", errors.New("it has a private character")
		default:
			b.WriteRune(r)
			t.pos++
		}
	}
	return b.String(), nil
}

// group reads a group and leaves a placeholder for a look-ahead.
func (t *translator) group(depth int) (string, error) {
	ahead, negative := t.rest("(?="), t.rest("(?!")
	switch {
	case t.rest("(?<=") || t.rest("(?<!"):
		return "", errors.New("look-behind is not supported")
	case ahead || negative:
		t.pos += len("(?=")
	default:
		t.pos++
	}
	text, err := t.sequence(depth + 1)
	if err != nil {
		return "", err
	}
	if t.pos == len(t.in) {
		return "", errors.New("a group is not closed")
	}
	t.pos++
	if !ahead && !negative {
		return "(" + text + ")", nil
	}
	t.found = append(t.found, inner{text, negative})
	return fmt.Sprintf(`(\x{%X})`, placeholder+len(t.found)-1), nil
}

// class reads a character class. "[^]" is any character.
func (t *translator) class() (string, error) {
	if t.rest("[^]") {
		t.pos += len("[^]")
		return `[\x00-\x{10FFFF}]`, nil
	}
	var b strings.Builder
	b.WriteRune(t.in[t.pos])
	for t.pos++; t.pos < len(t.in); {
		switch r := t.in[t.pos]; {
		case r == '\\':
			text, err := t.escape()
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			continue
		case r == '[':
			b.WriteString(`\[`)
		case r >= placeholder:
			return "", errors.New("it has a private character")
		default:
			b.WriteRune(r)
		}
		if t.pos++; t.in[t.pos-1] == ']' {
			return b.String(), nil
		}
	}
	return "", errors.New("a character class is not closed")
}

// escape reads a backslash and what belongs to it. Characters by number are
// written as package regexp wants them; the rest is left to it.
func (t *translator) escape() (string, error) {
	t.pos++
	if t.pos == len(t.in) {
		return "", errors.New("it ends in a backslash")
	}
	r := t.in[t.pos]
	t.pos++
	if r != 'u' && r != 'x' {
		return `\` + string(r), nil
	}
	digits := string(t.in[t.pos:min(len(t.in), t.pos+map[rune]int{'u': 4, 'x': 2}[r])])
	if strings.HasPrefix(digits, "{") {
		all := string(t.in[t.pos+1:])
		end := strings.IndexByte(all, '}')
		if end < 0 {
			return "", errors.New("a character number is not closed")
		}
		digits = all[:end]
		t.pos += len("{}")
	}
	n, err := strconv.ParseUint(digits, 16, 21)
	switch {
	case err != nil:
		return "", fmt.Errorf("%q is not a character number", shortened(digits, maxName))
	case n >= placeholder || n >= 0xD800 && n < 0xE000:
		return "", fmt.Errorf("the character %X is not supported", n)
	}
	t.pos += len(digits)
	return fmt.Sprintf(`\x{%X}`, n), nil
}

// leadingTo turns the steps of a program that take no character around.
func leadingTo(prog *syntax.Prog) [][]uint32 {
	before := make([][]uint32, len(prog.Inst))
	for pc := range prog.Inst {
		switch i := &prog.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			before[i.Out] = append(before[i.Out], uint32(pc))
			before[i.Arg] = append(before[i.Arg], uint32(pc))
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
			before[i.Out] = append(before[i.Out], uint32(pc))
		default:
			if standsFor(i) >= 0 {
				before[i.Out] = append(before[i.Out], uint32(pc))
			}
		}
	}
	return before
}

// standsFor is the look-ahead that i stands for, or -1.
func standsFor(i *syntax.Inst) int {
	if i.Op == syntax.InstRune1 && i.Rune[0] >= placeholder {
		return int(i.Rune[0] - placeholder)
	}
	return -1
}

// match reports whether s contains a match.
func (l *lookahead) match(s string) bool {
	text := []rune(s)
	holds := make([][]bool, 0, len(l.parts)) // by expression and position
	for i := range l.parts {
		holds = append(holds, l.parts[i].positions(text, holds))
	}
	for _, yes := range holds[len(holds)-1] {
		if yes {
			return true
		}
	}
	return false
}

// positions finds where in text the expression matches, or where it does not
// if it is a negative look-ahead.
func (p *part) positions(text []rune, holds [][]bool) []bool {
	result := make([]bool, len(text)+1)
	here, next := make([]bool, len(p.prog.Inst)), make([]bool, len(p.prog.Inst))
	var todo []uint32
	for pos := len(text); pos >= 0; pos-- {
		clear(here)
		for pc := range p.prog.Inst {
			if p.starts(pc, text, pos, next) {
				here[pc] = true
				todo = append(todo, uint32(pc))
			}
		}
		for len(todo) > 0 {
			pc := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, from := range p.before[pc] {
				if !here[from] && passes(&p.prog.Inst[from], text, pos, holds) {
					here[from] = true
					todo = append(todo, from)
				}
			}
		}
		result[pos] = here[p.prog.Start] != p.negative
		here, next = next, here
	}
	return result
}

// starts reports whether a match goes on from the instruction by taking the
// character at pos, or ends there.
func (p *part) starts(pc int, text []rune, pos int, next []bool) bool {
	i := &p.prog.Inst[pc]
	switch i.Op {
	case syntax.InstMatch:
		return true
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return pos < len(text) && next[i.Out] && standsFor(i) < 0 && takes(i, text[pos])
	}
	return false
}

func takes(i *syntax.Inst, r rune) bool {
	switch i.Op {
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	}
	return i.MatchRune(r)
}

// passes reports whether an instruction that takes no character lets a match
// through at pos.
func passes(i *syntax.Inst, text []rune, pos int, holds [][]bool) bool {
	if n := standsFor(i); n >= 0 {
		return n < len(holds) && holds[n][pos]
	}
	if i.Op != syntax.InstEmptyWidth {
		return true
	}
	before, after := rune(-1), rune(-1)
	if pos > 0 {
		before = text[pos-1]
	}
	if pos < len(text) {
		after = text[pos]
	}
	return i.MatchEmptyWidth(before, after)
}
