package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
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
			problems = append(problems, fmt.Errorf("%s: data.codemode.config comes from the flags and the config file, a rule can not be there", rule.Loc()))
		case path.HasPrefix(rulesPackage) && !pkg.HasPrefix(rulesPackage):
			problems = append(problems, fmt.Errorf("%s: a family's rules are in a package of its own below codemode.rules", rule.Loc()))
		}
	}
	if !pkg.HasPrefix(rulesPackage) {
		return append(problems, strayRules(m)...)
	}
	if len(pkg) != len(rulesPackage)+1 {
		return append(problems, fmt.Errorf("%s: package %s: a family is one level below codemode.rules, nothing asks this one", m.Package.Loc(), packageName(pkg)))
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
		problems = append(problems, fmt.Errorf("%s: rule %q: nothing asks it in package %s, a family is in a package of its own below codemode.rules", rule.Loc(), name, packageName(m.Package.Path)))
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
		return fmt.Errorf("%s: rule %q: a family says %s; start the name with _ if it is your own", rule.Loc(), name, words)
	case want == ast.MultiValue && (rule.Head.RuleKind() != ast.MultiValue || len(ref) > 1):
		return fmt.Errorf("%s: rule %q: write it as `%s contains … if …`", rule.Loc(), name, name)
	case want == ast.SingleValue && (rule.Head.RuleKind() != ast.SingleValue || len(ref) > 1 || len(rule.Head.Args) > 0):
		return fmt.Errorf("%s: rule %q: write it as `%s if …`", rule.Loc(), name, name)
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
		return []error{fmt.Errorf("data.codemode.rules: is where families are, not a document")}
	}
	for _, family := range slices.Sorted(maps.Keys(list)) {
		words, ok := list[family].(map[string]any)
		if !ok {
			problems = append(problems, fmt.Errorf("data.codemode.rules.%s: is where a family is, not a document", family))
		}
		for _, word := range slices.Sorted(maps.Keys(words)) {
			if _, ok := familyWords[word]; ok {
				problems = append(problems, fmt.Errorf("data.codemode.rules.%s.%s: data can not say %s, only a rule can", family, word, word))
			}
		}
	}
	return problems
}

func packageName(ref ast.Ref) string { return strings.TrimPrefix(ref.String(), "data.") }
