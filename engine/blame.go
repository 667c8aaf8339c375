package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/rego"
)

// familyErrorText is what the model learns when one family did not answer properly.
const familyErrorText = `the rules of %q could not decide about this call, so it is refused; the operator's log says why`

// blame finds out which families failed in a decision that did, so that the refusal names them
// and still tells the reasons of all the others. It asks each family by itself, which is slow and
// happens only then.
type blame struct {
	policy  *policy
	mu      sync.Mutex
	queries map[string]rego.PreparedEvalQuery // by reference, prepared when they are wanted
}

func newBlame(p *policy) *blame {
	return &blame{policy: p, queries: map[string]rego.PreparedEvalQuery{}}
}

// broken is a family that failed, and why.
type broken struct {
	family string
	err    error
}

// refusal is the decision about an input that the policy failed for. It takes at most about the
// time given.
func (b *blame) refusal(ctx context.Context, input ast.Value, limit time.Duration) (Decision, []broken) {
	d := Decision{Revision: b.policy.revision}
	var failed []broken
	share := limit / time.Duration(max(2*len(b.policy.families), 1))
	for _, family := range b.policy.families {
		denials, err := b.ask(ctx, input, family, share)
		d.Denials = append(d.Denials, denials...)
		if err != nil {
			failed = append(failed, broken{family, err})
			d.Denials = append(d.Denials, Denial{Code: CodePolicyError, Message: fmt.Sprintf(familyErrorText, family)})
		}
	}
	if len(failed) == 0 { // then it is the dispatcher's fault, or all of them together took too long
		d.Denials = append(d.Denials, refuse("").Denials...)
	}
	slices.SortFunc(d.Denials, func(x, y Denial) int {
		return cmp.Or(cmp.Compare(rank(x.Code), rank(y.Code)), cmp.Compare(x.Code, y.Code), cmp.Compare(x.Message, y.Message))
	})
	d.Denials = slices.Compact(d.Denials)
	d.Denials = d.Denials[:min(len(d.Denials), maxDenials)]
	return d, failed
}

// ask asks one family for all that it says. Its proper denials count even when something else of
// it is broken.
func (b *blame) ask(ctx context.Context, input ast.Value, family string, share time.Duration) ([]Denial, error) {
	var denials []Denial
	var errs []error
	for _, word := range []string{"deny", "labels_add", "grant"} {
		deadline := newDeadline(ctx, share)
		value, err := b.value(deadline, input, family, word)
		deadline.release()
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", word, err))
		case value == nil:
		case word == "deny":
			found, err := readEach(value)
			denials = found
			errs = append(errs, err)
		case word == "labels_add":
			_, err := readEffects(ast.ObjectTerm(pair{answerLabelsAdd, value}))
			errs = append(errs, err)
		}
	}
	return denials, errors.Join(errs...)
}

// readEach reads those denials that are some.
func readEach(value *ast.Term) ([]Denial, error) {
	terms, err := list(value, "denials", maxDenials)
	var denials []Denial
	for _, term := range terms {
		one, wrong := readDenials(ast.SetTerm(term))
		denials = append(denials, one...)
		err = errors.Join(err, wrong)
	}
	return denials, err
}

// value is what a family says, nil when it says nothing.
func (b *blame) value(deadline *deadline, input ast.Value, family, word string) (*ast.Term, error) {
	query, err := b.query(deadline.ctx, rulesPackage.Append(ast.StringTerm(family)).Append(ast.StringTerm(word)))
	if err != nil {
		return nil, err
	}
	results, err := query.Eval(deadline.ctx, rego.EvalParsedInput(input), rego.EvalExternalCancel(deadline.stop),
		rego.EvalBaseCache(b.policy.documents), rego.EvalMetrics(metrics.NoOp()))
	switch {
	case deadline.err() != nil:
		return nil, deadline.err()
	case err != nil:
		return nil, err
	case len(results) == 0 || len(results[0].Expressions) == 0:
		return nil, nil
	}
	term, ok := results[0].Expressions[0].Value.(*ast.Term)
	if !ok {
		return nil, fmt.Errorf("it answers a %T", results[0].Expressions[0].Value)
	}
	return term, nil
}

func (b *blame) query(ctx context.Context, ref ast.Ref) (rego.PreparedEvalQuery, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	name := ref.String()
	if query, ok := b.queries[name]; ok {
		return query, nil
	}
	query, err := b.policy.prepare(ctx, name)
	if err == nil {
		b.queries[name] = query
	}
	return query, err
}
