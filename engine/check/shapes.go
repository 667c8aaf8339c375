package check

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
)

// What the host takes as a denial and as a label.
var (
	codeForm  = regexp.MustCompile(`^[a-z_]{1,64}$`)
	labelForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
)

const denialForm = `write {"code": "…", "message": "…"}`

// shapes checks what denials and labels look like.
func (c *checker) shapes() {
	for _, rule := range c.order {
		if family(rule) == "" || rule.Head.Key == nil {
			continue
		}
		s := c.newScope(rule)
		switch word(rule) {
		case "deny":
			c.denial(rule, s)
		case "labels_add":
			c.label(rule, s)
		default:
			continue
		}
		if lost := c.vanishingElement(rule); lost != nil {
			c.found(DenialVanishes, firstLoc(lost.Location, rule.Location), fmt.Sprintf("%s reads %s, which may be absent", word(rule), source(lost)),
				"use a template string, $\"… {x} …\", which writes <undefined> for what is absent, or a rule with a default")
		}
	}
}

func firstLoc(locations ...*ast.Location) *ast.Location {
	for _, l := range locations {
		if l != nil {
			return l
		}
	}
	return nil
}

func (c *checker) denial(rule *ast.Rule, s *scope) {
	element := s.resolve(rule.Head.Key)
	loc := firstLoc(rule.Head.Key.Location, rule.Location)
	object, ok := element.Value.(ast.Object)
	if !ok {
		if isScalar(element) || isComprehension(element) || isCollection(element) {
			c.found(DenialShape, loc, fmt.Sprintf("a denial is an object, not %s", ast.ValueName(element.Value)), denialForm)
		}
		return
	}
	var keys []string
	object.Foreach(func(k, _ *ast.Term) {
		if text, ok := k.Value.(ast.String); ok {
			keys = append(keys, string(text))
		}
	})
	if len(keys) != object.Len() {
		return // computed keys are for the host to look at
	}
	slices.Sort(keys)
	if !slices.Equal(keys, []string{"code", "message"}) {
		c.found(DenialShape, loc, fmt.Sprintf("a denial has code and message and nothing else, not %q", keys), denialForm)
		return
	}
	c.code(rule, s, object.Get(ast.StringTerm("code")), loc)
	c.message(s, object.Get(ast.StringTerm("message")), loc)
}

func isCollection(t *ast.Term) bool {
	switch t.Value.(type) {
	case ast.Set, *ast.Array, *ast.TemplateString:
		return true
	}
	return false
}

func (c *checker) code(rule *ast.Rule, s *scope, code *ast.Term, loc *ast.Location) {
	c.isString(s, code, "code", loc)
	for _, value := range s.constants(code) {
		text, ok := value.Value.(ast.String)
		if ok && !codeForm.MatchString(string(text)) {
			c.found(DenialShape, loc, fmt.Sprintf("the code %q is not 1 to 64 of a to z and _", string(text)), "")
		}
		for _, a := range rule.Annotations {
			if says, ok := a.Custom["code"].(string); ok && says != string(text) {
				c.found(CodeDiffers, loc, fmt.Sprintf("METADATA says the code %q, the denial says %q", says, string(text)), "let both say the same")
			}
		}
	}
}

func (c *checker) message(s *scope, message *ast.Term, loc *ast.Location) {
	c.isString(s, message, "message", loc)
	for _, value := range s.constants(message) {
		if text, ok := value.Value.(ast.String); ok && text == "" {
			c.found(DenialShape, loc, "the message is empty", "say what the model may do instead")
		}
	}
}

// isString checks that a part of a denial is text whatever happens.
func (c *checker) isString(s *scope, t *ast.Term, what string, loc *ast.Location) {
	b := &body{c: c, s: s}
	resolved := s.resolve(t)
	typ := b.typeOf(resolved)
	if isCollection(resolved) && typ == nil {
		c.found(DenialShape, loc, fmt.Sprintf("the %s is not a string but %s", what, ast.ValueName(resolved.Value)), "")
		return
	}
	if typ != nil && types.Compare(typ, types.S) != 0 {
		c.found(DenialShape, loc, fmt.Sprintf("the %s is not a string but a %s", what, typeName(typ)), "")
		return
	}
	if _, p, known := s.look(resolved); known && typ == nil && p.args {
		c.found(MessageNoString, loc, fmt.Sprintf("the %s is %s, which may be no string", what, source(t)),
			"use a template string, $\"… {x} …\"")
	}
}

func (c *checker) label(rule *ast.Rule, s *scope) {
	loc := firstLoc(rule.Head.Key.Location, rule.Location)
	for _, value := range s.constants(rule.Head.Key) {
		text, ok := value.Value.(ast.String)
		if !ok || !labelForm.MatchString(string(text)) {
			c.found(LabelShape, loc, fmt.Sprintf("the label %s is not 1 to 64 of A to Z, a to z, 0 to 9, _, - and .", value), "")
		}
	}
	switch element := s.resolve(rule.Head.Key); element.Value.(type) {
	case ast.Object, ast.Set, *ast.Array:
		c.found(LabelShape, loc, fmt.Sprintf("a label is a string, not %s", ast.ValueName(element.Value)), "")
	}
}
