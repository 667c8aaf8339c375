package check

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/mcp-code-mode/mcp-code-mode/internal/nearest"
)

// names looks for words that do not exist: compared with what is one of a few known words, or
// as the name of a field.
func (c *checker) names(rule *ast.Rule, s *scope) {
	ast.WalkExprs(rule, func(e *ast.Expr) bool {
		if terms, ok := e.Terms.([]*ast.Term); ok {
			c.comparedNames(terms, e, s)
		}
		return false
	})
	ast.WalkTerms(rule, func(t *ast.Term) bool {
		switch v := t.Value.(type) {
		case ast.Call:
			c.comparedNames(v, &ast.Expr{Location: t.Location}, s)
		case ast.Ref:
			c.namesIn(s.resolve(t), s)
			c.lookedUp(t, v, s)
		case ast.String:
			c.script(string(v), firstLoc(t.Location, rule.Location))
		}
		return false
	})
	eachExpr(rule.Body, c.roles[rulePath(rule)], func(e *ast.Expr, r role) {
		if r == denies {
			c.partOf(e, s)
		}
	})
}

// comparedNames checks `ref == "name"`, `ref in {"name"}` and `"name" in ref`.
func (c *checker) comparedNames(terms []*ast.Term, e *ast.Expr, s *scope) {
	if terms[0].String() == "object.get" && len(terms) == 4 {
		c.field(s, terms[1], terms[2], e.Location)
	}
	if len(terms) != 3 {
		return
	}
	switch terms[0].String() {
	case "equal", "eq", "neq":
		c.never(terms, e, s)
		c.pairs(terms[1], terms[2], e, s)
		for i := 1; i <= 2; i++ {
			c.weekday(terms[i], s.constants(terms[3-i]), e.Location, s)
			if ref, _, known := s.look(terms[i]); known {
				c.values(ref, s.constants(terms[3-i]), e.Location, s)
			}
		}
	case "internal.member_2":
		c.weekday(terms[1], s.elements(terms[2]), e.Location, s)
		if ref, _, known := s.look(terms[1]); known {
			c.values(ref, s.elements(terms[2]), e.Location, s)
		}
		if ref, _, known := s.look(terms[2]); known {
			c.values(ref.Append(ast.VarTerm("_")), s.constants(terms[1]), e.Location, s)
		}
	}
}

func (c *checker) values(ref ast.Ref, values []*ast.Term, loc *ast.Location, s *scope) {
	for _, value := range values {
		text, ok := value.Value.(ast.String)
		if ok {
			c.value(ref, string(text), firstLoc(loc, value.Location), s)
		}
	}
}

// value checks one word that a field of the input is compared with.
func (c *checker) value(ref ast.Ref, text string, loc *ast.Location, s *scope) {
	switch path := ref.String(); {
	case path == "input.hook":
		c.oneOf(NoSuchValue, text, []string{"call", "visible"}, "input.hook", loc)
	case path == "input.tool.id":
		if !strings.Contains(text, "/") {
			c.found(NoSuchTool, loc, fmt.Sprintf("%q is not the id of a tool", text), "an id is server/name")
		} else if c.Known != nil {
			c.oneOf(NoSuchTool, text, c.Known.ids(), "the id of a tool", loc)
		}
	case path == "input.tool.name" && c.Known != nil:
		c.oneOf(NoSuchTool, text, c.Known.names(), "the name of a tool", loc)
	case path == "input.tool.server" && c.Known != nil:
		c.oneOf(NoSuchServer, text, c.Known.Servers, "the name of a server", loc)
	case isLabels(ref):
		c.knownLabel(text, loc)
	case ref.HasPrefix(argsRef) && len(ref) == len(argsRef)+1 && s.tool != nil:
		argument, _ := ref[len(argsRef)].Value.(ast.String)
		if words := s.tool.enums[string(argument)]; len(words) > 0 {
			c.oneOf(NoSuchValue, text, words, fmt.Sprintf("a value of the argument %q", string(argument)), loc)
		}
	}
}

func isLabels(ref ast.Ref) bool {
	prefix := ref[:max(len(ref)-1, 1)].String()
	return len(ref) == 4 && (prefix == "input.session.labels" || prefix == "input.tool.labels")
}

func (c *checker) oneOf(code, text string, known []string, what string, loc *ast.Location) {
	if slices.Contains(known, text) {
		return
	}
	fix := ""
	if near := nearest.Of(text, known); near != "" {
		fix = fmt.Sprintf("did you mean %q?", near)
	} else if len(known) <= 10 {
		fix = fmt.Sprintf("there are %s", strings.Join(known, ", "))
	}
	c.found(code, loc, fmt.Sprintf("%q is not %s", text, what), fix)
}

// lookedUp checks the keys of a list of the policy's own that the input is looked up in.
func (c *checker) lookedUp(t *ast.Term, ref ast.Ref, s *scope) {
	path, rest := c.callee(ref)
	if path == "" || len(rest) != 1 {
		return
	}
	if key, _, known := s.look(rest[0]); known {
		c.values(key, s.keys(ast.NewTerm(ref[:len(ref)-1])), t.Location, s)
	}
}

// pairs takes two lists or two objects apart that are compared with each other.
func (c *checker) pairs(a, b *ast.Term, e *ast.Expr, s *scope) {
	switch x := a.Value.(type) {
	case *ast.Array:
		if y, ok := b.Value.(*ast.Array); ok && x.Len() == y.Len() {
			for i := range x.Len() {
				c.comparedNames([]*ast.Term{ast.NewTerm(ast.Equal.Ref()), x.Elem(i), y.Elem(i)}, e, s)
			}
		}
	case ast.Object:
		if y, ok := b.Value.(ast.Object); ok {
			x.Foreach(func(key, value *ast.Term) {
				if other := y.Get(key); other != nil {
					c.comparedNames([]*ast.Term{ast.NewTerm(ast.Equal.Ref()), value, other}, e, s)
				}
			})
		}
	}
}

// namedFields are the objects whose fields have names that the schema does not know.
var namedFields = []ast.Ref{
	ast.MustParseRef("input.tool.annotations"), ast.MustParseRef("input.session.label_sources"),
	ast.MustParseRef("input.session.calls_by_tool"), argsRef, ast.MustParseRef("data.codemode.config.servers"),
}

var (
	toolIDRef     = ast.MustParseRef("input.tool.id")
	toolServerRef = ast.MustParseRef("input.tool.server")
)

// namesIn checks the names of fields in a reference.
func (c *checker) namesIn(t *ast.Term, s *scope) {
	ref, ok := t.Value.(ast.Ref)
	if !ok {
		return
	}
	for _, of := range namedFields {
		if ref.HasPrefix(of) && len(ref) > len(of) {
			c.field(s, ast.NewTerm(of), ref[len(of)], t.Location)
		}
	}
}

// field checks the name of one field of an object whose fields are known by other means than
// the schema.
func (c *checker) field(s *scope, object, key *ast.Term, loc *ast.Location) {
	ref, _, known := s.look(object)
	text, ok := key.Value.(ast.String)
	if !known || !ok {
		return
	}
	switch name := string(text); ref.String() {
	case "input.tool.annotations":
		c.oneOf(NoSuchAnnotation, name, slices.Sorted(maps.Keys(annotationDefaults)), "an annotation of MCP", loc)
	case "input.session.label_sources":
		c.knownLabel(name, loc)
	case "input.session.calls_by_tool":
		c.value(toolIDRef, name, loc, s)
	case "data.codemode.config.servers":
		c.value(toolServerRef, name, loc, s)
	case "input.call.args":
		if s.tool != nil && s.tool.closed {
			c.oneOf(NoSuchArgument, name, s.tool.arguments(), fmt.Sprintf("an argument of %s/%s", s.tool.Server, s.tool.Name), loc)
		}
	}
}

// knownLabel checks that some family puts the label on a session.
func (c *checker) knownLabel(label string, loc *ast.Location) {
	labels := []string{"private"} // of tools that are marked private
	for _, rule := range c.order {
		if family(rule) == "" || word(rule) != "labels_add" || rule.Head.Key == nil {
			continue
		}
		values := c.newScope(rule).constants(rule.Head.Key)
		if len(values) == 0 {
			return // a label that is made from something else
		}
		for _, value := range values {
			if text, ok := value.Value.(ast.String); ok {
				labels = append(labels, string(text))
			}
		}
	}
	slices.Sort(labels)
	c.oneOf(NoSuchLabel, label, slices.Compact(labels), "a label that a family adds", loc)
}

// script finds words of letters from several alphabets, in which some only look right.
func (c *checker) script(text string, loc *ast.Location) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		var latin, other bool
		for _, r := range word {
			latin = latin || unicode.Is(unicode.Latin, r)
			other = other || unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee)
		}
		if latin && other {
			c.found(MixedScripts, loc, fmt.Sprintf("%+q mixes letters of two alphabets", word), "type it again on one keyboard")
			return
		}
	}
	if strings.ContainsFunc(text, unseen) {
		c.found(MixedScripts, loc, fmt.Sprintf("%+q has characters that are not seen, or look like others", text), "type it again on one keyboard")
	}
}

// unseen are characters without a shape, and letters and digits in the width of others.
func unseen(r rune) bool {
	const firstWide, lastWide = 0xff01, 0xff5e
	return unicode.Is(unicode.Cf, r) || r >= firstWide && r <= lastWide || unicode.Is(unicode.Zs, r) && r != ' '
}

// never finds comparisons of a text in one case with a text in another.
func (c *checker) never(terms []*ast.Term, e *ast.Expr, s *scope) {
	for i := 1; i <= 2; i++ {
		call, ok := s.resolve(terms[i]).Value.(ast.Call)
		if !ok || len(call) != 2 {
			continue
		}
		to := map[string]func(string) string{"lower": strings.ToLower, "upper": strings.ToUpper}[call[0].String()]
		for _, value := range s.constants(terms[3-i]) {
			if text, ok := value.Value.(ast.String); ok && to != nil && to(string(text)) != string(text) {
				c.found(NoSuchValue, firstLoc(e.Location, value.Location), fmt.Sprintf("%s is never %q", source(terms[i]), string(text)), fmt.Sprintf("write %q", to(string(text))))
			}
		}
	}
}

// partOf checks what a denial takes for a part of the name of a tool or a server: the server at the
// beginning of an id, and capitals. Another part may well be looked for before there is such a tool.
func (c *checker) partOf(e *ast.Expr, s *scope) {
	terms, ok := e.Terms.([]*ast.Term)
	if !ok || len(terms) != 3 || c.Known == nil || partly[terms[0].String()] == nil {
		return
	}
	of, part := terms[1], terms[2]
	if terms[0].String() == "regex.match" {
		of, part = part, of
	}
	ref, _, known := s.look(of)
	if !known {
		return
	}
	names := map[string][]string{"input.tool.id": c.Known.ids(), "input.tool.name": c.Known.names(), "input.tool.server": c.Known.Servers}[ref.String()]
	fits := partly[terms[0].String()]
	for _, value := range s.constants(part) {
		text, _ := value.Value.(ast.String)
		loc := firstLoc(e.Location, value.Location)
		if server, _, whole := strings.Cut(string(text), "/"); whole && ref.Equal(toolIDRef) && terms[0].String() == "startswith" {
			c.oneOf(NoSuchServer, server, c.Known.Servers, "the name of a server", loc)
			continue
		}
		as := func(text string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return fits(name, text) })
		}
		if lower := strings.ToLower(string(text)); !as(string(text)) && as(lower) {
			c.found(NoSuchTool, loc, fmt.Sprintf("no %s fits %s with %q", ref, terms[0], string(text)), fmt.Sprintf("did you mean %q?", lower))
		}
	}
}

var partly = map[string]func(name, part string) bool{
	"startswith": strings.HasPrefix, "endswith": strings.HasSuffix, "contains": strings.Contains,
	"regex.match": func(name, pattern string) bool {
		re, err := regexp.Compile(pattern)
		return err == nil && re.MatchString(name)
	},
}

var weekdays = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// weekday checks what the name of a day is compared with.
func (c *checker) weekday(t *ast.Term, values []*ast.Term, loc *ast.Location, s *scope) {
	call, ok := s.resolve(t).Value.(ast.Call)
	if !ok || call[0].String() != "time.weekday" {
		return
	}
	for _, value := range values {
		if text, ok := value.Value.(ast.String); ok {
			c.oneOf(NoSuchValue, string(text), weekdays, "a day of the week", firstLoc(loc, value.Location))
		}
	}
}
