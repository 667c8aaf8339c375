package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// What a policy says about the decision log, under the names that OPA's own decision log
// reads: https://www.openpolicyagent.org/docs/management-decision-logs
const (
	maskPath = "data.system.log.mask"
	dropPath = "data.system.log.drop"
)

// MaskRule is one element of data.system.log.mask.
type MaskRule struct {
	Path   []string // into the event; begins with input or result
	Text   string   // the path as the policy wrote it
	Upsert bool     // put Value there, instead of taking away what is there
	Value  any      // of an Upsert
}

// LogRules is what the policy wants of one event of the decision log.
type LogRules struct {
	Drop bool       // keep no more of it than must be kept
	Mask []MaskRule // what to hide, in the policy's order
}

// maxMaskRules bounds what is done to one event.
const maxMaskRules = 1000

// logQueries are prepared where the policy has rules for the log.
type logQueries struct{ mask, drop *rego.PreparedEvalQuery }

// logPolicy is the part of a policy that is about the decision log. Its input is an event and not
// a call, so it is compiled apart, without the type that the input has elsewhere.
type logPolicy struct {
	modules  map[string]*ast.Module
	compiler *ast.Compiler
}

var logPackage = ast.MustParseRef("data.system.log")

// takeLogModules takes the modules that are about the decision log out of the others.
func (p *policy) takeLogModules() {
	p.log.modules = map[string]*ast.Module{}
	for file, m := range p.modules {
		if m.Package.Path.HasPrefix(logPackage) {
			p.log.modules[file] = m
			delete(p.modules, file)
		}
	}
}

// untyped is a compiler to which the input is anything.
func (p *policy) untyped() *ast.Compiler {
	return ast.NewCompiler().WithCapabilities(p.caps).WithEnablePrintStatements(p.print).WithStrict(true)
}

// compileLog compiles them with all that they may refer to.
func (p *policy) compileLog(ctx context.Context) error {
	if len(p.log.modules) == 0 {
		return nil
	}
	txn, err := p.store.NewTransaction(ctx)
	if err != nil {
		return err
	}
	defer p.store.Abort(ctx, txn)
	all := maps.Clone(p.modules)
	maps.Copy(all, p.log.modules)
	p.log.compiler = p.untyped().WithPathConflictsCheck(storage.NonEmpty(ctx, p.store, txn))
	if p.log.compiler.Compile(all); p.log.compiler.Failed() {
		return p.log.compiler.Errors
	}
	return nil
}

func (p *policy) logQueries(ctx context.Context) (q logQueries, err error) {
	if p.log.compiler == nil {
		return q, nil
	}
	for path, to := range map[string]**rego.PreparedEvalQuery{maskPath: &q.mask, dropPath: &q.drop} {
		if len(p.log.compiler.GetRules(ast.MustParseRef(path))) == 0 {
			continue
		}
		prepared, err := p.prepare(ctx, path, rego.GenerateJSON(nil), rego.Compiler(p.log.compiler))
		if err != nil {
			return q, err
		}
		*to = &prepared
	}
	return q, nil
}

// HasLogRules reports whether the policy says anything about the decision log.
func (e *Engine) HasLogRules() bool { return e.logs.mask != nil || e.logs.drop != nil }

// LogRules asks the policy what to leave out of an event of the decision log, given as
// encoding/json decodes it with numbers kept. The error holds nothing of the event, which may be
// secret.
func (e *Engine) LogRules(ctx context.Context, event map[string]any) (rules LogRules, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("asking the policy about the decision log: it panics")
		}
	}()
	input, err := ast.InterfaceToValue(event)
	if err != nil {
		return rules, errors.New("asking the policy about the decision log: the event is not JSON")
	}
	if rules.Drop, err = e.drops(ctx, input); err != nil {
		return rules, err
	}
	answer, err := e.askLog(ctx, maskPath, e.logs.mask, input)
	if err != nil || answer == nil {
		return rules, err
	}
	list, ok := answer.([]any)
	if !ok || len(list) > maxMaskRules {
		return rules, fmt.Errorf("asking the policy: %s is not a set of at most %d rules", maskPath, maxMaskRules)
	}
	for _, one := range list {
		rule, err := readMaskRule(one)
		if err != nil {
			return LogRules{}, fmt.Errorf("asking the policy: %s: %w", maskPath, err)
		}
		rules.Mask = append(rules.Mask, rule)
	}
	return rules, nil
}

func (e *Engine) drops(ctx context.Context, input ast.Value) (bool, error) {
	answer, err := e.askLog(ctx, dropPath, e.logs.drop, input)
	if err != nil || answer == nil {
		return false, err
	}
	drop, ok := answer.(bool)
	if !ok {
		return false, fmt.Errorf("asking the policy: %s is not true or false", dropPath)
	}
	return drop, nil
}

// askLog returns nil where the rule is undefined.
func (e *Engine) askLog(ctx context.Context, path string, q *rego.PreparedEvalQuery, input ast.Value) (any, error) {
	if q == nil {
		return nil, nil
	}
	deadline := newDeadline(ctx, e.timeout)
	defer deadline.release()
	results, err := q.Eval(ctx, rego.EvalParsedInput(input), rego.EvalTransaction(e.txn),
		rego.EvalBaseCache(e.data), rego.EvalExternalCancel(deadline.stop))
	var failed *topdown.Error
	switch {
	case deadline.err() != nil:
		return nil, fmt.Errorf("asking the policy: %s: %w", path, deadline.err())
	case errors.As(err, &failed): // its message may hold a part of the event
		return nil, fmt.Errorf("asking the policy: %s: %s at %v", path, failed.Code, failed.Location)
	case err != nil:
		return nil, fmt.Errorf("asking the policy: %s cannot be evaluated", path)
	case len(results) == 0:
		return nil, nil
	}
	return results[0].Expressions[0].Value, nil
}

// readMaskRule reads a rule as OPA does: a path, or an object with op, path and value.
func readMaskRule(from any) (MaskRule, error) {
	path, ok := from.(string)
	rule := MaskRule{}
	if object, is := from.(map[string]any); is {
		op, _ := object["op"].(string)
		if op != "remove" && op != "upsert" {
			return rule, errors.New(`the "op" of a rule is not "remove" or "upsert"`)
		}
		path, ok = object["path"].(string)
		rule.Upsert, rule.Value = op == "upsert", object["value"]
	}
	rule.Text = path
	rest, slash := strings.CutPrefix(path, "/")
	rule.Path = strings.Split(rest, "/")
	if !ok || !slash || rule.Path[0] != "input" && rule.Path[0] != "result" && rule.Path[0] != "nd_builtin_cache" {
		return rule, errors.New(`the path of a rule does not begin with "/input" or "/result"`)
	}
	return rule, nil
}
