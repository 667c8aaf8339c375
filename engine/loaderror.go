package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
)

// LoadError says why a policy does not load, one problem a line.
type LoadError struct {
	Policy   string          // the directory or bundle; may be empty
	Problems []string        // each with file and line where there is one
	Findings []check.Finding // the same, in parts
}

func (e *LoadError) Error() string {
	what := "loading the policy"
	if e.Policy != "" {
		what = fmt.Sprintf("loading the policy %q", e.Policy)
	}
	if len(e.Problems) == 1 {
		return what + ": " + e.Problems[0]
	}
	return what + ":\n  " + strings.Join(e.Problems, "\n  ")
}

// describe flattens lists of errors, OPA's and ours.
func describe(name string, err error) error { return loadError(name, flatten(err)) }

func loadError(name string, findings []check.Finding) *LoadError {
	e := &LoadError{Policy: name, Findings: check.Sort(findings)}
	for _, f := range e.Findings {
		e.Problems = append(e.Problems, f.String())
	}
	slices.Sort(e.Problems)
	return e
}

// foundError is a finding on its way up as an error.
type foundError struct{ check.Finding }

func (e *foundError) Error() string { return e.String() }

func flatten(err error) []check.Finding {
	var findings []check.Finding
	switch list := err.(type) { //nolint:errorlint // the lists are looked for in what load returns itself, unwrapped
	case ast.Errors:
		for _, one := range list {
			findings = append(findings, compileError(one))
		}
	case *ast.Error:
		findings = append(findings, compileError(list))
	case *foundError:
		findings = append(findings, list.Finding)
	case interface{ Unwrap() []error }:
		for _, one := range list.Unwrap() {
			findings = append(findings, flatten(one)...)
		}
	default:
		findings = append(findings, check.New(check.BrokenPolicy, nil, err.Error(), ""))
	}
	return findings
}

// instead says what to use instead of a builtin that policies may not use.
var instead = map[string]string{
	"undefined function time.now_ns": "input.time_ns is when the call arrived",
	"undefined function http.send":   "a policy reaches nothing outside; put what it needs in its data",
}

func compileError(err *ast.Error) check.Finding {
	text := fmt.Sprintf("%s: %s", err.Code, err.Message)
	if err.Details != nil {
		for _, line := range err.Details.Lines() {
			text += "\n\t" + line
		}
	}
	return check.New(check.BrokenPolicy, err.Location, text, instead[err.Message])
}
