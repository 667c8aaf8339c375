package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
)

// close makes denials that can vanish deny all the same. For every rule of a family whose body may
// hold while its element is undefined, it compiles one more: the same body, the element undefined,
// a constant denial in the family's name. Stock OPA drops the first and has not the second, so
// here more is refused and nothing less. A policy in which nothing can vanish, as the built-in
// one, stays as it is and costs nothing more.
func (p *policy) close(ctx context.Context) error {
	guards := map[string]*ast.Module{}
	for _, lost := range check.Vanishing(p.checked(nil)) {
		rule := guardRule(lost)
		pkg := rule.Module.Package.Path.String()
		if guards[pkg] == nil {
			m := &ast.Module{Package: &ast.Package{Path: rule.Module.Package.Path, Location: rule.Location}}
			m.SetRegoVersionSpan(lost.Rule.Module.RegoVersionSpan())
			guards[pkg] = m
		}
		rule.Module = guards[pkg]
		guards[pkg].Rules = append(guards[pkg].Rules, rule)
	}
	if len(guards) == 0 {
		return nil
	}
	modules := copies(p.modules)
	for pkg, m := range guards {
		modules["guards of "+pkg] = m
	}
	p.compiler = p.newCompiler()
	return p.compileModules(ctx, modules)
}

// elementVar is the element of the rule that is guarded; no policy has a name with a space.
const elementVar = ast.Var("the element")

// guardRule is the rule that denies where the lost one should and has no element to do it with.
func guardRule(lost check.Lost) *ast.Rule {
	rule := lost.Rule.Copy()
	body := ast.Body{}
	inner := ast.Body{}
	for _, e := range rule.Body {
		if slices.ContainsFunc(lost.Naming, func(naming *ast.Expr) bool { return naming.Equal(e) }) {
			inner.Append(e)
		} else {
			body.Append(e)
		}
	}
	inner.Append(ast.Equality.Expr(ast.NewTerm(elementVar), rule.Head.Key))
	elements := ast.ArrayComprehensionTerm(ast.NewTerm(elementVar), inner)
	body.Append(ast.Equality.Expr(ast.ArrayTerm(), elements))
	location(body, rule.Location)
	denial := ast.ObjectTerm(
		pair{answerCode, ast.StringTerm(CodePolicyError)},
		pair{answerMessage, ast.StringTerm(fmt.Sprintf(familyErrorText, lost.Family))},
	)
	head := ast.NewHead(ast.Var("deny"), denial)
	head.Location = rule.Location
	return &ast.Rule{Head: head, Body: body, Module: rule.Module, Location: rule.Location}
}

// location gives what we have made the place of what it was made for.
func location(body ast.Body, at *ast.Location) {
	for _, e := range body {
		if e.Location == nil {
			e.Location = at
		}
	}
}

// checked is the policy as package check looks at it.
func (p *policy) checked(known *check.Known) check.Policy {
	_, typed := ownSchemas()
	return check.Policy{
		Rules: p.resolved, Tests: p.tests, Compiler: p.compiler, Data: p.documents.Object,
		Input: typed[inputSchemaFile], Config: typed[configSchemaFile], Known: known,
	}
}
