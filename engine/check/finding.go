package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Severity says what becomes of a policy with a finding.
type Severity string

// An error keeps a policy from loading; a warning is said when it loads.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Finding is one mistake in a policy.
type Finding struct {
	Severity Severity `json:"severity"` // what becomes of the policy
	Code     string   `json:"code"`     // the kind of the mistake, [a-z_]
	File     string   `json:"file"`     // "" where it is no file's
	Line     int      `json:"line"`     // from 1; 0 where it is no line's
	Column   int      `json:"column"`   // from 1; 0 where it is no line's
	Text     string   `json:"text"`     // what is wrong
	Why      string   `json:"why"`      // why it matters, one sentence
	Fix      string   `json:"fix"`      // what to write instead; "" where Text says it
}

// Place is where the finding is, as compilers write it: file:line.
func (f Finding) Place() string {
	switch {
	case f.File == "":
		return ""
	case f.Line == 0:
		return f.File
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// String is the finding on one line, without why it matters.
func (f Finding) String() string {
	text := f.Text
	if place := f.Place(); place != "" {
		text = place + ": " + text
	}
	if f.Fix != "" {
		text += ": " + f.Fix
	}
	return text
}

// New makes a finding of a known kind. The location may be nil.
func New(code string, at *ast.Location, text, fix string) Finding {
	k, ok := kinds[code]
	if !ok {
		panic("check: no kind " + code) // every code is a constant of ours
	}
	f := Finding{Severity: k.severity, Code: code, Text: text, Why: k.why, Fix: fix}
	if at != nil {
		f.File, f.Line, f.Column = at.File, at.Row, at.Col
	}
	return f
}

// Sort puts findings in the order of the files, and leaves one of those that are the same.
func Sort(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(findings)
}

// Worst is the gravest severity among the findings, "" without any.
func Worst(findings []Finding) Severity {
	worst := Severity("")
	for _, f := range findings {
		if f.Severity == Error {
			return Error
		}
		worst = f.Severity
	}
	return worst
}
