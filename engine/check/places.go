package check

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
)

// places checks where rules are, and what no rule is for.
func (c *checker) places() {
	c.familiesInOneDirectory()
	c.rulesInTests()
	c.dispatcherOnce()
	c.grants()
	c.conflicts()
	c.unread()
}

// conflicts finds families that may say two things at once of whether they grant or show.
func (c *checker) conflicts() {
	for _, rule := range c.order {
		if family(rule) == "" || word(rule) != "grant" && word(rule) != "visible" || rule.Default || rule.Head.Value == nil {
			continue
		}
		others := 0
		for _, other := range c.rules[rulePath(rule)] {
			if !other.Default {
				others++
			}
		}
		if others > 1 && !rule.Head.Value.Equal(ast.BooleanTerm(true)) {
			c.found(ValuesConflict, rule.Location, fmt.Sprintf("%s is %s here and may be another value in another rule", word(rule), rule.Head.Value),
				"write each as `"+word(rule)+" if …`, and what speaks against it as `deny contains …`")
		}
	}
}

// Words of other programs that ask policies, which nothing asks here.
var foreignWords = []string{"allow", "block", "denied", "denies", "exception", "reject", "violation", "violations", "warn"}

// unread finds rules that nothing reads: those of a family's own, and those that another program
// would ask.
func (c *checker) unread() {
	read := map[string]bool{}
	for _, rule := range c.order {
		ast.WalkRefs(rule, func(ref ast.Ref) bool {
			if path, _ := c.callee(ref); path != "" {
				read[path] = true
			} else if ground := fixed(ref); ground[0].Equal(ast.DefaultRootDocument) {
				read[ground.String()] = true // a package, and with it all of its rules
			}
			return false
		})
	}
	for _, rule := range c.order {
		own := family(rule) != "" && strings.HasPrefix(word(rule), "_")
		foreign := family(rule) == "" && slices.Contains(foreignWords, word(rule))
		if !own && !foreign || read[rulePath(rule)] || read[rule.Module.Package.Path.String()] {
			continue
		}
		c.found(UnreadRule, rule.Location, fmt.Sprintf("nothing reads the rule %q", word(rule)), "a family says deny, grant, labels_add and visible")
	}
}

// familiesInOneDirectory finds one family in two directories: a copy whose package was not
// renamed, or a family that is opened again from elsewhere.
func (c *checker) familiesInOneDirectory() {
	dirs := map[string]string{} // by package
	for _, file := range slices.Sorted(maps.Keys(c.Rules)) {
		m := c.Rules[file]
		if !m.Package.Path.HasPrefix(familiesRef) {
			continue
		}
		pkg, dir := m.Package.Path.String(), path.Dir(file)
		if first, again := dirs[pkg]; again && first != dir {
			home := cmp.Or(ownDir(pkg, first, dir), first)
			away := file
			if home == dir {
				away = c.anyIn(first, pkg)
			}
			c.found(FamilyTwice, c.Rules[away].Package.Location, fmt.Sprintf("package %s is in the directory %q too", strings.TrimPrefix(pkg, "data."), home),
				"rename the package, or put all of its files in one directory")
		} else {
			dirs[pkg] = dir
		}
	}
}

// dispatcherOnce finds rules of the dispatcher that another file opens again: what one file grants
// or refuses, an alternative in the other would undo.
func (c *checker) dispatcherOnce() {
	first := map[string]string{} // by path: file
	for _, rule := range c.order {
		if !rule.Module.Package.Path.Equal(familiesRef[:2]) {
			continue
		}
		path := rulePath(rule)
		if file, again := first[path]; again && file != rule.Location.File {
			c.found(FamilyTwice, rule.Location, fmt.Sprintf("the dispatcher's rule %q is in %s too", word(rule), file), "put your rules in a family of their own, below codemode.rules")
		} else {
			first[path] = rule.Location.File
		}
	}
}

// ownDir is the directory that is named as the package is.
func ownDir(pkg string, dirs ...string) string {
	for _, dir := range dirs {
		if strings.HasSuffix(pkg, "."+path.Base(dir)) {
			return dir
		}
	}
	return ""
}

func (c *checker) anyIn(dir, pkg string) string {
	for _, file := range slices.Sorted(maps.Keys(c.Rules)) {
		if path.Dir(file) == dir && c.Rules[file].Package.Path.String() == pkg {
			return file
		}
	}
	return ""
}

// rulesInTests finds families in files that serving leaves out.
func (c *checker) rulesInTests() {
	for _, file := range slices.Sorted(maps.Keys(c.Tests)) {
		m := c.Tests[file]
		for _, rule := range m.Rules {
			if wordRoles[word(rule)] != 0 && family(rule) != "" && !strings.HasSuffix(family(rule), "_test") {
				c.found(RuleInTestFile, rule.Location, fmt.Sprintf("the rule %q is in a file of tests", word(rule)), "rename the file, or the package to "+family(rule)+"_test")
			}
		}
	}
}

// grants finds families that grant every call, and policies that grant none.
func (c *checker) grants() {
	some := false
	for _, rule := range c.order {
		if family(rule) == "" || word(rule) != "grant" {
			continue
		}
		value := rule.Head.Value
		some = some || value == nil || !value.Equal(ast.BooleanTerm(false))
		if (value == nil || value.Equal(ast.BooleanTerm(true))) && (rule.Default || !c.depends(rule, map[string]bool{})) {
			c.found(GrantsEverything, rule.Location, "it grants every call", "say under which condition: `grant if …`")
		}
	}
	if !some && len(c.rules["data.codemode.decision"]) > 0 && c.readsFamilies() {
		c.found(DeniesEverything, nil, "no family grants anything", "add a family with `grant if …`, as the built-in allowlist has")
	}
}

// sayNothing are the parts of the input that are the same for every call that may be granted.
var sayNothing = []string{"input.hook", "input.tool.known", "input.tool", "input.call", "input"}

// depends reports whether it matters for a rule which call it is asked about.
func (c *checker) depends(rule *ast.Rule, seen map[string]bool) bool {
	found := false
	ast.WalkRefs(rule, func(ref ast.Ref) bool {
		if ref[0].Equal(ast.InputRootDocument) && !slices.Contains(sayNothing, ref.String()) {
			found = true
		}
		path, _ := c.callee(ref)
		if path == "" || seen[path] {
			return found
		}
		seen[path] = true
		for _, used := range c.rules[path] {
			found = found || c.depends(used, seen)
		}
		return found
	})
	return found
}

// readsFamilies reports whether the dispatcher is one that asks the families for grants.
func (c *checker) readsFamilies() bool {
	for _, m := range c.Rules {
		found := false
		ast.WalkRefs(m, func(ref ast.Ref) bool {
			found = found || ref.HasPrefix(familiesRef) && ref[len(ref)-1].Equal(ast.StringTerm("grant"))
			return found
		})
		if found {
			return true
		}
	}
	return false
}

// documents finds references to data that is not there when the policy is served.
func (c *checker) documents(rule *ast.Rule) {
	ast.WalkRefs(rule, func(ref ast.Ref) bool {
		if !ref[0].Equal(ast.DefaultRootDocument) || len(ref) < 2 || c.exists(ref) {
			return false
		}
		what := fixed(ref).String()
		loc := firstLoc(ref[0].Location, rule.Location)
		if c.inTests(ref) {
			c.found(TestDocument, loc, what+" is defined in tests only", "move it to a file that does not end in _test.rego")
		} else {
			c.found(NoSuchDocument, loc, what+" is defined nowhere", "see how it is spelt, and where its file is")
		}
		return false
	})
}

// fixed is the part of a reference whose keys are written out.
func fixed(ref ast.Ref) ast.Ref {
	for i, key := range ref[1:] {
		if !isScalar(key) {
			return ref[:i+1]
		}
	}
	return ref
}

// exists reports whether a reference leads to a rule or to data, as far as its names are known.
func (c *checker) exists(ref ast.Ref) bool {
	ground := fixed(ref)
	if configRef.HasPrefix(ground) {
		return true
	}
	if ground.HasPrefix(configRef) {
		return inType(c.Config, ground[len(configRef):])
	}
	if p, _ := c.callee(ref); p != "" {
		return true
	}
	text := ground.String()
	for p := range c.rules {
		if strings.HasPrefix(p, text+".") || strings.HasPrefix(p, text+"[") {
			return true // a package, or a part of a rule
		}
	}
	if familiesRef.HasPrefix(ground) || ground.Equal(familiesRef) {
		return true
	}
	_, err := c.Data.Find(ground[1:])
	return err == nil
}

// inType reports whether values of a type may have something at a path.
func inType(t types.Type, rest ast.Ref) bool {
	for _, key := range rest {
		object, is := t.(*types.Object)
		name, ok := key.Value.(ast.String)
		if !is || !ok {
			return true // for OPA to say
		}
		next := property(object, string(name))
		if next == nil {
			next = object.DynamicValue()
		}
		if next == nil {
			return false
		}
		t = next
	}
	return true
}

func (c *checker) inTests(ref ast.Ref) bool {
	for _, m := range c.Tests {
		if ref.HasPrefix(m.Package.Path) || m.Package.Path.HasPrefix(ref.GroundPrefix()) {
			return true
		}
	}
	return false
}

// maxRange is the longest list of numbers that a decision may make.
const maxRange = 1_000_000

// maxDenials is how many denials one decision holds.
const maxDenials = 64

// leftovers finds what belongs to tests, and what is too much for a decision.
func (c *checker) leftovers(rule *ast.Rule) {
	ast.WalkExprs(rule, func(e *ast.Expr) bool {
		if e.IsCall() && e.Operator().String() == "print" {
			c.found(PrintLeft, e.Location, "print in a rule", "take it out")
		}
		if len(e.With) > 0 {
			c.found(MockInRule, e.Location, "`with` in a rule that is no test", "take it out")
		}
		if terms, ok := e.Terms.([]*ast.Term); ok {
			c.tooMuch(rule, terms, e.Location)
		}
		if decl, ok := e.Terms.(*ast.SomeDecl); ok && len(decl.Symbols) > 0 {
			if call, ok := decl.Symbols[0].Value.(ast.Call); ok {
				if n := rangeLength(call[len(call)-1]); n > maxDenials && isTop(rule.Body, e) && rule.Head.Key != nil && wordRoles[word(rule)] != 0 {
					c.found(TooManyDenials, e.Location, fmt.Sprintf("up to %d elements of %s", n, word(rule)), "make one denial that tells them all")
				}
			}
		}
		return false
	})
	ast.WalkTerms(rule, func(t *ast.Term) bool {
		if call, ok := t.Value.(ast.Call); ok {
			c.tooMuch(rule, call, t.Location)
		}
		return false
	})
}

func isTop(body ast.Body, e *ast.Expr) bool { return slices.Contains(body, e) }

func (c *checker) tooMuch(rule *ast.Rule, call []*ast.Term, loc *ast.Location) {
	if n := rangeLength(ast.NewTerm(ast.Call(call))); n > maxRange {
		c.found(HeavyRange, firstLoc(loc, rule.Location), fmt.Sprintf("a list of %d numbers", n), "compare with bounds instead")
	}
}

// rangeLength is how many numbers a call of numbers.range with constants makes, 0 for anything else.
func rangeLength(t *ast.Term) int64 {
	call, ok := t.Value.(ast.Call)
	if !ok || len(call) < 3 || !strings.HasPrefix(call[0].String(), "numbers.range") {
		return 0
	}
	from, err1 := strconv.ParseInt(call[1].String(), 10, 64)
	to, err2 := strconv.ParseInt(call[2].String(), 10, 64)
	if err1 != nil || err2 != nil {
		return 0
	}
	return max(to-from, from-to) + 1
}
