package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/util"
)

// maxInput bounds the input document that Eval reads.
const maxInput = 16 << 20

// EvalResult is a decision and what led to it.
type EvalResult struct {
	Decision Decision     `json:"decision"`         // the decision of Engine.Decide
	Rules    []PolicyRule `json:"rules"`            // those that held, in the order of the files
	Printed  string       `json:"printed"`          // what print() in policy rules said
	Problem  string       `json:"problem,omitzero"` // why the decision is policy_error
}

// PolicyRule is a rule of the policy, in Rego, that held, as its METADATA describes it.
type PolicyRule struct {
	Name        string `json:"name"`        // "budget.deny"; outside the families the whole path
	Title       string `json:"title"`       // of its METADATA, "" without
	Description string `json:"description"` // of its METADATA, "" without
	Code        string `json:"code"`        // custom.code
	Location    string `json:"location"`    // file:line
}

// Eval decides about an input document or a whole line of a decision log, and tells which
// policy rules led to the decision. It decides exactly as Engine.Decide does. An error means
// that the policy does not load, or that the input is not a JSON object with the parts that
// every call has.
func Eval(ctx context.Context, src Source, config Config, input []byte) (*EvalResult, error) {
	if len(input) > maxInput {
		return nil, fmt.Errorf("reading the input: larger than %d bytes", maxInput)
	}
	var document any
	if err := util.UnmarshalJSON(input, &document); err != nil {
		return nil, fmt.Errorf("reading the input: %w", err)
	}
	document, err := call(document)
	if err != nil {
		return nil, fmt.Errorf("reading the input: %w", err)
	}
	value, err := ast.InterfaceToValue(document)
	if err != nil {
		return nil, fmt.Errorf("reading the input: %w", err)
	}
	p, err := load(ctx, src, loadOptions{config: &config, print: true})
	if err != nil {
		return nil, err
	}
	return p.explain(ctx, value)
}

// call returns the input document that a person gave: the document itself, or that of a line
// of a decision log. A document without the parts that every call has is refused: the decision
// would only reflect what is missing.
func call(document any) (any, error) {
	object, ok := document.(map[string]any)
	if !ok {
		return nil, errors.New("it is not a JSON object")
	}
	if logged, ok := object["input"].(map[string]any); ok && object["decision_id"] != nil {
		object = logged
	}
	var missing []string
	for _, part := range []string{"hook", "tool", "call", "run", "session"} {
		if _, ok := object[part]; !ok {
			missing = append(missing, part)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("it has no %s, which every call has", strings.Join(missing, ", "))
	}
	return object, nil
}

func (p *policy) explain(ctx context.Context, input ast.Value) (*EvalResult, error) {
	var printed bytes.Buffer
	query, err := p.prepare(ctx, decisionPath, rego.PrintHook(topdown.NewPrintHook(&printed)))
	if err != nil {
		return nil, err
	}
	held := heldRules{rules: map[*ast.Rule]bool{}}
	result := &EvalResult{}
	deadline := newDeadline(ctx, DefaultTimeout)
	defer deadline.release()
	answer, err := evaluate(deadline, query, input, rego.EvalQueryTracer(&held))
	if err == nil {
		result.Decision, err = readDecision(answer)
	}
	if err != nil {
		var failed []broken
		result.Decision, failed = newBlame(p).refusal(ctx, input, DefaultTimeout/2)
		result.Problem = err.Error()
		for _, b := range failed {
			result.Problem += fmt.Sprintf("; %s: %v", b.family, b.err)
		}
	}
	result.Printed = printed.String()
	result.Rules = held.describe(p.compiler.GetAnnotationSet())
	result.Decision.Revision = p.revision
	return result, nil
}

// heldRules traces which policy rules held.
type heldRules struct{ rules map[*ast.Rule]bool }

func (h *heldRules) Enabled() bool               { return true }
func (h *heldRules) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

func (h *heldRules) TraceEvent(e topdown.Event) {
	if rule, ok := e.Node.(*ast.Rule); ok && e.Op == topdown.ExitOp {
		h.rules[rule] = true
	}
}

// describe lists the policy rules that a reader needs to know: not those that begin with `_`, and
// not the dispatcher's.
func (h *heldRules) describe(annotations *ast.AnnotationSet) []PolicyRule {
	rules := make([]*ast.Rule, 0, len(h.rules))
	for rule := range h.rules {
		name := rule.Head.Ref()[0].Value.String()
		if !strings.HasPrefix(name, "_") && rule.Module.Package.Path.String() != "data.codemode" {
			rules = append(rules, rule)
		}
	}
	slices.SortFunc(rules, func(a, b *ast.Rule) int {
		return cmp.Or(cmp.Compare(a.Loc().File, b.Loc().File), cmp.Compare(a.Loc().Row, b.Loc().Row))
	})
	held := make([]PolicyRule, len(rules))
	for i, rule := range rules {
		held[i] = PolicyRule{
			Name:     policyRuleName(rule),
			Location: fmt.Sprintf("%s:%d", rule.Loc().File, rule.Loc().Row),
		}
		for _, a := range annotations.GetRuleScope(rule) {
			code, _ := a.Custom["code"].(string)
			held[i].Title, held[i].Description, held[i].Code = a.Title, a.Description, code
		}
	}
	return held
}

func policyRuleName(rule *ast.Rule) string {
	path := rule.Module.Package.Path
	name := rule.Head.Ref()[0].Value.String()
	if path.HasPrefix(rulesPackage) && len(path) == len(rulesPackage)+1 {
		return strings.Trim(path[len(path)-1].Value.String(), `"`) + "." + name
	}
	return packageName(path) + "." + name
}

// String is the result as `policy eval` prints it.
func (r *EvalResult) String() string {
	var b strings.Builder
	verdict := "refused"
	if r.Decision.Allow {
		verdict = "allowed"
	}
	fmt.Fprintln(&b, verdict)
	for _, d := range r.Decision.Denials {
		fmt.Fprintf(&b, "  %s: %s\n", d.Code, d.Message)
	}
	if r.Problem != "" {
		fmt.Fprintf(&b, "  because %s\n", r.Problem)
	}
	for _, label := range r.Decision.Effects.LabelsAdd {
		fmt.Fprintf(&b, "  the session earns the label %q\n", label)
	}
	if len(r.Rules) > 0 {
		fmt.Fprintln(&b, "rules that held")
	}
	for _, rule := range r.Rules {
		fmt.Fprintf(&b, "  %s (%s)", rule.Name, rule.Location)
		if rule.Title != "" {
			fmt.Fprintf(&b, ": %s", rule.Title)
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprintf(&b, "revision %s\n", r.Decision.Revision)
	if r.Printed != "" {
		fmt.Fprintf(&b, "printed\n%s", r.Printed)
	}
	return b.String()
}
