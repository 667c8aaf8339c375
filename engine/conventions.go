package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
)

// The names that the dispatcher reads in a rule family. A policy rule with a misspelt name
// would never be evaluated, so every other name must start with `_`.
var (
	rulesPackage  = ast.MustParseRef("data.codemode.rules")
	configPackage = ast.MustParseRef("data.codemode.config")
	familyWords   = map[string]ast.RuleKind{
		"grant":      ast.SingleValue,
		"visible":    ast.SingleValue,
		"deny":       ast.MultiValue,
		"labels_add": ast.MultiValue,
	}
)

// conventions checks what a compiler cannot: that the dispatcher of the built-in pack sees
// every policy rule. A rule that it does not see would load, and its denials would silently
// be missing.
func conventions(modules map[string]*ast.Module, data map[string]any) error {
	var problems []error
	for _, file := range slices.Sorted(maps.Keys(modules)) {
		if !isTest(file) {
			problems = append(problems, moduleConventions(modules[file])...)
		}
	}
	return errors.Join(append(problems, dataConventions(data)...)...)
}

func moduleConventions(m *ast.Module) []error {
	pkg := m.Package.Path
	var problems []error
	for _, rule := range m.Rules {
		switch path := pkg.Extend(rule.Head.Ref().GroundPrefix()); {
		case path.HasPrefix(configPackage):
			problems = append(problems, misplaced(rule.Loc(), "data.codemode.config comes from the flags and the config file, a rule can not be there"))
		case path.HasPrefix(rulesPackage) && !pkg.HasPrefix(rulesPackage):
			problems = append(problems, misplaced(rule.Loc(), "a family's rules are in a package of its own below codemode.rules"))
		}
	}
	if !pkg.HasPrefix(rulesPackage) {
		return append(problems, strayRules(m)...)
	}
	if len(pkg) != len(rulesPackage)+1 {
		return append(problems, misplaced(m.Package.Loc(), "package %s: a family is one level below codemode.rules, nothing asks this one", packageName(pkg)))
	}
	for _, rule := range m.Rules {
		if err := checkFamilyRule(rule); err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

// strayRules finds policy rules with a family's names where the dispatcher does not look: most
// likely the package is misspelt. Only the entrypoint data.codemode.visible has such a name.
func strayRules(m *ast.Module) []error {
	var problems []error
	for _, rule := range m.Rules {
		name := rule.Head.Ref()[0].Value.String()
		if _, ok := familyWords[name]; !ok || m.Package.Path.Extend(rule.Head.Ref()[:1]).String() == visiblePath {
			continue
		}
		problems = append(problems, misplaced(rule.Loc(), "rule %q: nothing asks it in package %s, a family is in a package of its own below codemode.rules", name, packageName(m.Package.Path)))
	}
	return problems
}

func checkFamilyRule(rule *ast.Rule) error {
	ref := rule.Head.Ref()
	name := ref[0].Value.String()
	if strings.HasPrefix(name, "_") {
		return nil
	}
	words := strings.Join(slices.Sorted(maps.Keys(familyWords)), ", ")
	want, ok := familyWords[name]
	switch {
	case !ok:
		return misplaced(rule.Loc(), "rule %q: a family says %s; start the name with _ if it is your own", name, words)
	case want == ast.MultiValue && (rule.Head.RuleKind() != ast.MultiValue || len(ref) > 1):
		return misplaced(rule.Loc(), "rule %q: write it as `%s contains … if …`", name, name)
	case want == ast.SingleValue && (rule.Head.RuleKind() != ast.SingleValue || len(ref) > 1 || len(rule.Head.Args) > 0):
		return misplaced(rule.Loc(), "rule %q: write it as `%s if …`", name, name)
	}
	return nil
}

// dataConventions keeps data from passing for policy rules.
func dataConventions(data map[string]any) []error {
	codemode, _ := data["codemode"].(map[string]any)
	families, ok := codemode["rules"]
	if !ok {
		return nil
	}
	var problems []error
	list, ok := families.(map[string]any)
	if !ok {
		return []error{misplaced(nil, "data.codemode.rules: is where families are, not a document")}
	}
	for _, family := range slices.Sorted(maps.Keys(list)) {
		words, ok := list[family].(map[string]any)
		if !ok {
			problems = append(problems, misplaced(nil, "data.codemode.rules.%s: is where a family is, not a document", family))
		}
		for _, word := range slices.Sorted(maps.Keys(words)) {
			if _, ok := familyWords[word]; ok {
				problems = append(problems, misplaced(nil, "data.codemode.rules.%s.%s: data can not say %s, only a rule can", family, word, word))
			}
		}
	}
	return problems
}

func packageName(ref ast.Ref) string { return strings.TrimPrefix(ref.String(), "data.") }

func misplaced(at *ast.Location, format string, args ...any) error {
	return &foundError{check.New(check.MisplacedRule, at, fmt.Sprintf(format, args...), "")}
}

// families are the names of the families, sorted.
func families(modules map[string]*ast.Module) []string {
	var names []string
	for file, m := range modules {
		if path := m.Package.Path; !isTest(file) && path.HasPrefix(rulesPackage) && len(path) == len(rulesPackage)+1 {
			names = append(names, strings.Trim(path[len(path)-1].Value.String(), `"`))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
