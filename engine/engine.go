package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// DefaultTimeout bounds one decision.
const DefaultTimeout = time.Second

// Options say what an Engine decides with.
type Options struct {
	Policy fs.FS  // the policy as a tree of files …
	Bundle string // … or the path of a bundle (.tar.gz); exactly one of the two
	Name   string // put before file names in errors; usually the policy's directory

	Config Config // becomes data.codemode.config; the zero value allows no tool
	// Timeout is of one decision, which then denies; zero means DefaultTimeout. To find out which
	// family took so long takes up to half of it again.
	Timeout time.Duration
	Logger  *slog.Logger // what is odd about the policy; nil discards
}

// Engine decides about calls. It is safe for use by any number of goroutines and keeps
// nothing between decisions.
type Engine struct {
	decision rego.PreparedEvalQuery
	visible  rego.PreparedEvalQuery
	logs     logQueries
	txn      storage.Transaction // for reading; never closed, since nothing writes
	data     documents
	input    *document // as much of it as a policy rule may look at
	reads    reads

	annotations *ast.AnnotationSet // of the policy rules

	revision string
	timeout  time.Duration
	blame    *blame
	log      *slog.Logger
}

// New loads and compiles a policy. A policy that is not one (it does not compile, misses an
// entrypoint, uses what it may not) is a *LoadError whose lines name file and line.
func New(ctx context.Context, opts Options) (*Engine, error) {
	p, err := load(ctx, opts.source(), loadOptions{config: &opts.Config})
	if err != nil {
		return nil, err
	}
	e := &Engine{
		revision: p.revision, data: p.documents, timeout: opts.Timeout, log: opts.Logger,
		input: wholeDocument.seenBy(p.compiler.Modules), reads: readsOf(p.compiler.Modules), blame: newBlame(p),
		annotations: p.compiler.GetAnnotationSet(),
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if e.timeout == 0 {
		e.timeout = DefaultTimeout
	}
	for _, f := range p.findings { // errors would have kept it from loading
		e.log.Warn(f.String(), "code", f.Code)
	}
	if e.txn, err = p.store.NewTransaction(ctx); err != nil {
		return nil, err
	}
	if e.decision, err = p.prepare(ctx, decisionPath); err != nil {
		return nil, describe(opts.Name, err)
	}
	if e.visible, err = p.prepare(ctx, visiblePath); err != nil {
		return nil, describe(opts.Name, err)
	}
	if e.logs, err = p.logQueries(ctx); err != nil {
		return nil, describe(opts.Name, err)
	}
	return e, nil
}

func (o Options) source() Source { return Source{FS: o.Policy, Bundle: o.Bundle, Name: o.Name} }

// prepare compiles one query. A builtin that fails stops the decision; by default OPA would
// go on as if the policy rule were not there. The answer stays a term, so no JSON is needed to
// read it.
func (p *policy) prepare(ctx context.Context, query string, more ...func(*rego.Rego)) (rego.PreparedEvalQuery, error) {
	return rego.New(append([]func(*rego.Rego){
		rego.Query(query),
		rego.Compiler(p.compiler),
		rego.Store(p.store),
		rego.StrictBuiltinErrors(true),
		rego.GenerateJSON(func(t *ast.Term, _ *rego.EvalContext) (any, error) { return t, nil }),
	}, more...)...).PrepareForEval(ctx)
}

// Revision names the policy and its data. It is what every Decision carries.
func (e *Engine) Revision() string { return e.revision }

// Decide answers the request. There is no error beside the answer: when the policy fails, takes
// too long or answers anything but one well-formed decision, the decision is a refusal with the
// code policy_error, whose Problem says why.
func (e *Engine) Decide(ctx context.Context, r *Request) (d Decision) {
	defer func() {
		if p := recover(); p != nil {
			d = e.failed(fmt.Errorf("panic: %v", p))
		}
	}()
	if r == nil {
		return e.failed(errors.New("no request"))
	}
	deadline := newDeadline(ctx, e.timeout)
	defer deadline.release()
	input, err := e.input.value(deadline, r)
	if err != nil {
		return e.failed(err)
	}
	answer, err := e.ask(deadline, e.decision, input)
	if err == nil {
		d, err = readDecision(answer)
	}
	if err != nil {
		return e.blamed(ctx, input, err)
	}
	d.Revision = e.revision
	for _, denial := range d.Denials {
		if denial.Code == CodePolicyError {
			d.Problem = denial.Message
		}
	}
	return d
}

// blamed is the refusal for a policy that failed, with the names of the families whose fault it is.
func (e *Engine) blamed(ctx context.Context, input ast.Value, err error) Decision {
	if ctx.Err() != nil {
		return e.failed(err)
	}
	d, failed := e.blame.refusal(ctx, input, e.timeout/2)
	for _, b := range failed {
		err = errors.Join(err, fmt.Errorf("family %q: %w", b.family, b.err))
	}
	d.Problem = err.Error()
	return d
}

func (e *Engine) failed(err error) Decision {
	d := refuse(e.revision)
	d.Problem = err.Error()
	return d
}

// ask evaluates with what is kept from one decision to the next.
func (e *Engine) ask(deadline *deadline, q rego.PreparedEvalQuery, input ast.Value, how ...rego.EvalOption) (*ast.Term, error) {
	return evaluate(deadline, q, input, append(how, rego.EvalTransaction(e.txn), rego.EvalBaseCache(e.data))...)
}

// evaluate runs one prepared query and wants exactly one result with exactly one value.
func evaluate(deadline *deadline, q rego.PreparedEvalQuery, input ast.Value, how ...rego.EvalOption) (*ast.Term, error) {
	results, err := q.Eval(deadline.ctx, append(how,
		rego.EvalParsedInput(input), rego.EvalExternalCancel(deadline.stop), rego.EvalMetrics(metrics.NoOp()))...)
	switch {
	case deadline.err() != nil:
		return nil, fmt.Errorf("deciding: %w", deadline.err())
	case err != nil:
		return nil, err
	case len(results) == 0:
		return nil, errors.New("the policy answers nothing: its entrypoint is undefined for this input")
	case len(results) > 1 || len(results[0].Expressions) != 1:
		return nil, errors.New("the policy answers more than once")
	}
	term, ok := results[0].Expressions[0].Value.(*ast.Term)
	if !ok {
		return nil, fmt.Errorf("the policy answers a %T", results[0].Expressions[0].Value)
	}
	return term, nil
}

// deadline ends one decision when its time is over or when its context ends.
// A context with a timeout does the same for 8 µs more, where a decision takes 106
// (docs/decisions/042-speed-code-on-the-policy-path.md).
type deadline struct {
	stop  topdown.Cancel
	ctx   context.Context
	timer *time.Timer
	leave func() bool // stops watching ctx
}

func newDeadline(ctx context.Context, timeout time.Duration) *deadline {
	d := &deadline{stop: topdown.NewCancel(), ctx: ctx}
	d.timer = time.AfterFunc(timeout, d.stop.Cancel)
	if ctx.Done() != nil {
		d.leave = context.AfterFunc(ctx, d.stop.Cancel)
	}
	return d
}

func (d *deadline) release() {
	d.timer.Stop()
	if d.leave != nil {
		d.leave()
	}
}

// err says why the decision has ended early, if it has.
func (d *deadline) err() error {
	switch {
	case d.ctx.Err() != nil:
		return context.Cause(d.ctx)
	case d.stop.Cancelled():
		return context.DeadlineExceeded
	}
	return nil
}

// documents is the policy's data as terms. OPA asks this cache before it asks the store. The
// data never changes, so all decisions share one cache.
type documents struct{ ast.Object }

func (d documents) Get(ref ast.Ref) ast.Value {
	v, err := d.Find(ref[1:])
	if err != nil {
		return nil
	}
	return v
}

func (documents) Put(ast.Ref, ast.Value) {}

// Visible reports which of the tools exist for the model, by tool id. An error means that
// the policy could not say; then no tool should be shown.
func (e *Engine) Visible(ctx context.Context, tools []Tool) (map[string]bool, error) {
	visible := make(map[string]bool, len(tools))
	for i := range tools {
		ok, err := e.visibleTool(ctx, &tools[i])
		if err != nil {
			return nil, fmt.Errorf("asking the policy whether %q is visible: %w", tools[i].ID, err)
		}
		visible[tools[i].ID] = ok
	}
	return visible, nil
}

func (e *Engine) visibleTool(ctx context.Context, t *Tool) (bool, error) {
	deadline := newDeadline(ctx, e.timeout)
	defer deadline.release()
	answer, err := e.ask(deadline, e.visible, e.input.visible(t))
	if err != nil {
		return false, err
	}
	visible, ok := answer.Value.(ast.Boolean)
	if !ok {
		return false, fmt.Errorf("%s is not true or false", visiblePath)
	}
	return bool(visible), nil
}
