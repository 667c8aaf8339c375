package check

import (
	"context"
	"fmt"
	"regexp/syntax"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/types"
)

// patternAt says which operand of a builtin is a pattern.
var patternAt = map[string]int{
	"regex.match": 1, "regex.find_n": 1, "regex.find_all_string_submatch_n": 1, "regex.split": 1,
	"regex.replace": 2, "regex.template_match": 1, "glob.match": 1, "re_match": 1,
}

// patterns compiles every constant pattern and looks at what it can match.
func (c *checker) patterns(rule *ast.Rule, s *scope) {
	r := c.roles[rulePath(rule)]
	ast.WalkTerms(rule, func(t *ast.Term) bool {
		if call, ok := t.Value.(ast.Call); ok {
			c.compiles(call, t.Location, s)
		}
		return false
	})
	ast.WalkExprs(rule, func(e *ast.Expr) bool {
		if terms, ok := e.Terms.([]*ast.Term); ok {
			c.compiles(terms, e.Location, s)
		}
		return false
	})
	eachExpr(rule.Body, r, func(e *ast.Expr, r role) {
		if terms, ok := e.Terms.([]*ast.Term); ok && r&proves != 0 {
			c.loose(terms, e.Location, s)
		}
	})
}

func (c *checker) compiles(call []*ast.Term, loc *ast.Location, s *scope) {
	op := call[0].String()
	n := patternAt[op]
	if n == 0 || n >= len(call) {
		return
	}
	for _, pattern := range s.constants(call[n]) {
		text, ok := pattern.Value.(ast.String)
		if !ok {
			continue
		}
		err := error(nil)
		if op == "glob.match" {
			err = tryBuiltin(op, pattern, ast.ArrayTerm(), ast.StringTerm("x"))
		} else if op != "regex.template_match" {
			_, err = syntax.Parse(string(text), syntax.Perl)
		}
		if err != nil {
			c.found(BadPattern, firstLoc(pattern.Location, loc), fmt.Sprintf("the pattern %q does not compile: %v", string(text), err), "")
		}
	}
}

// tryBuiltin runs a builtin once and says whether it fails.
func tryBuiltin(name string, operands ...*ast.Term) (err error) {
	f := topdown.GetBuiltin(name)
	if f == nil {
		return nil
	}
	return f(topdown.BuiltinContext{Context: context.Background()}, operands, func(*ast.Term) error { return nil })
}

// fold is the text that a builtin makes of constants, nil where it is not one.
func fold(call ast.Call, at *ast.Location) *ast.Term {
	b := ast.BuiltinMap[call[0].String()]
	f := topdown.GetBuiltin(call[0].String())
	if b == nil || f == nil || b.Nondeterministic || types.Compare(b.Decl.Result(), types.S) != 0 {
		return nil
	}
	for _, operand := range call[1:] {
		if ast.IsConstant(operand.Value) {
			continue
		}
		return nil
	}
	var folded *ast.Term
	err := f(topdown.BuiltinContext{Context: context.Background()}, call[1:], func(t *ast.Term) error {
		folded = ast.NewTerm(t.Value).SetLocation(at)
		return nil
	})
	if err != nil {
		return nil
	}
	return folded
}

// loose finds patterns that prove less than they seem to. Only where they prove something.
func (c *checker) loose(call []*ast.Term, loc *ast.Location, s *scope) {
	switch op := call[0].String(); op {
	case "regex.match":
		for _, pattern := range s.constants(call[1]) {
			text, _ := pattern.Value.(ast.String)
			if start, end := anchored(string(text)); !start || !end {
				c.found(LoosePattern, loc, fmt.Sprintf("the pattern %q matches in the middle of something else", string(text)), "begin it with ^ and end it with $")
			}
		}
	case "contains", "startswith", "endswith":
		if len(call) != 3 {
			return
		}
		ref, _, known := s.look(call[1])
		for _, part := range s.constants(call[2]) {
			text, _ := part.Value.(ast.String)
			if known && looseText(op, string(text), ref.HasPrefix(argsRef)) {
				c.found(LoosePattern, loc, fmt.Sprintf("%s with %q also holds for something longer", op, string(text)), looseFix[op])
			}
		}
	}
}

var looseFix = map[string]string{
	"contains":   "compare the whole, or match it with a pattern from ^ to $",
	"startswith": "end the text with the separator, as in \"/data/\"",
	"endswith":   "begin the text with the separator, as in \".example.com\"",
}

// looseText reports whether a part of a text lets more through than is meant: anything with the
// text in it, a path beside the path, a host that ends like the host.
func looseText(op, text string, args bool) bool {
	switch op {
	case "contains":
		return args
	case "startswith":
		isPath := strings.HasPrefix(text, "/") || strings.Contains(text, "://")
		return args && isPath && !strings.HasSuffix(text, "/") && !strings.HasSuffix(text, "?")
	default:
		return args && text != "" && isWord(text[0]) && strings.Contains(text, ".")
	}
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// anchored reports whether a regular expression says what comes first and what comes last.
func anchored(pattern string) (start, end bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return true, true // another finding
	}
	return anchor(re, true), anchor(re, false)
}

func anchor(re *syntax.Regexp, first bool) bool {
	switch re.Op {
	case syntax.OpBeginText:
		return first
	case syntax.OpEndText:
		return !first
	case syntax.OpStar, syntax.OpPlus: // .* says that anything may come
		return re.Sub[0].Op == syntax.OpAnyCharNotNL || re.Sub[0].Op == syntax.OpAnyChar
	case syntax.OpLiteral: // a prefix that ends with a separator is one on purpose
		return !first && re.Rune[len(re.Rune)-1] == '/'
	case syntax.OpCapture:
		return anchor(re.Sub[0], first)
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if !anchor(sub, first) {
				return false
			}
		}
		return true
	case syntax.OpConcat:
		if first {
			return anchor(re.Sub[0], true)
		}
		return anchor(re.Sub[len(re.Sub)-1], false)
	}
	return false
}
