package engine

import (
	"context"
	"errors"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
)

// CheckOptions say what is checked, and what is known of the installation that it is for.
type CheckOptions struct {
	Source Source       // the policy
	Config *Config      // nil when it is not known
	Known  *check.Known // servers and tools, nil when they are not known
}

// Check is Findings for those who want to know no more than whether a policy and its tests load.
// The error is a *LoadError.
func Check(ctx context.Context, src Source) error {
	findings, err := Findings(ctx, CheckOptions{Source: src})
	if err != nil {
		return err
	}
	return (&policy{findings: findings}).refused(src.Name)
}

// Findings says what is wrong with a policy: all that `opa check --strict` says with its schemas
// and its capabilities, and what package check finds beyond that. A finding that is an error keeps
// the policy from loading. The tests of the policy are compiled as well.
func Findings(ctx context.Context, opts CheckOptions) ([]check.Finding, error) {
	var findings []check.Finding
	// The policy must also compile without its tests, as it is served.
	p, err := load(ctx, opts.Source, loadOptions{config: opts.Config, known: opts.Known})
	if findings, err = found(err); err != nil || p == nil {
		return findings, err
	}
	findings = append(findings, p.findings...)
	findings = append(findings, p.tryPlainCalls(ctx, opts)...)
	_, err = load(ctx, opts.Source, loadOptions{tests: true, print: true})
	more, err := found(err)
	return check.Sort(append(findings, more...)), err
}

// found are the findings that a policy did not load for. Another error stays one.
func found(err error) ([]check.Finding, error) {
	var load *LoadError
	if errors.As(err, &load) {
		return load.Findings, nil
	}
	return nil, err
}

// look adds what package check finds in a policy that has compiled.
func (p *policy) look(opts loadOptions) {
	found := check.Run(p.checked(opts.known))
	found = append(found, unreadGuards(p.compiler.Modules, opts.config)...)
	p.findings = check.Ignore(check.Sort(append(p.findings, found...)), p.modules)
}

// A guard of the installation works when some policy rule reads what it is about.
var guardRefs = []struct {
	what string
	refs []ast.Ref
	set  func(*Config) bool
}{
	{"the limit calls_per_run", []ast.Ref{ast.MustParseRef("data.codemode.config.limits.calls_per_run")}, always},
	{"the limit argument_bytes", []ast.Ref{ast.MustParseRef("data.codemode.config.limits.argument_bytes")}, always},
	{"input.call.violations, which says whether arguments fit their schema,", []ast.Ref{ast.MustParseRef("input.call.violations")}, always},
	{"input.call.rules, the results of the CEL rules,", []ast.Ref{ast.MustParseRef("input.call.rules")}, hasRules},
	{"input.tool.private", []ast.Ref{ast.MustParseRef("input.tool.private"), ast.MustParseRef("data.codemode.config.servers.x.private")}, hasPrivate},
}

func always(*Config) bool { return true }

func hasRules(c *Config) bool {
	for _, s := range c.Servers {
		if len(s.Rules) > 0 {
			return true
		}
	}
	return false
}

func hasPrivate(c *Config) bool {
	for _, s := range c.Servers {
		if s.Private.All || len(s.Private.Names) > 0 {
			return true
		}
	}
	return false
}

// unreadGuards finds what the installation configures and no policy rule reads. Without a
// config anything may be configured.
func unreadGuards(modules map[string]*ast.Module, config *Config) []check.Finding {
	read := append(inputRefs(modules), configRefs(modules)...)
	var findings []check.Finding
	for _, guard := range guardRefs {
		if config != nil && !guard.set(config) || readsAny(read, guard.refs) {
			continue
		}
		findings = append(findings, check.New(check.GuardUnread, nil, "no rule reads "+guard.what, "keep the built-in family that does, or write one"))
	}
	return findings
}

func readsAny(read, wanted []ast.Ref) bool {
	for _, ref := range read {
		for _, want := range wanted {
			if overlap(ref, want) {
				return true
			}
		}
	}
	return false
}

// configRefs lists where policy rules look at the config.
func configRefs(modules map[string]*ast.Module) []ast.Ref {
	var refs []ast.Ref
	for _, m := range modules {
		ast.WalkRefs(m, func(ref ast.Ref) bool {
			if ref.HasPrefix(configPackage) {
				refs = append(refs, ref)
			}
			return false
		})
	}
	return refs
}
