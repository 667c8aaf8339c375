package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/tester"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/lineage"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
)

// testTimeout bounds one Rego test, as `opa test` does.
const testTimeout = 5 * time.Second

// TestOptions say which tests run and what is printed.
type TestOptions struct {
	Source    Source    // the policy with its tests
	Run       string    // a regular expression over full test names; empty runs all
	Verbose   bool      // every test, and the trace of those that fail
	Coverage  bool      // measure which lines the tests reach
	Threshold float64   // percent of lines that must be reached; more than 0 turns Coverage on
	Out       io.Writer // the report; nil discards it
}

// TestResult counts test cases, those within a test each by itself.
type TestResult struct {
	Passed, Failed, Errors, Skipped int     // Errors are tests that gave no result
	Coverage                        float64 // percent; -1 when it was not measured
}

// ErrTests is why Test fails when the policy loads but its tests do not satisfy.
var ErrTests = errors.New("testing the policy")

// Test runs a policy's Rego tests and reports as `opa test` does, with the failing line and
// its values. It fails (ErrTests) when a test does, when there is none, and when the coverage is
// below the threshold. A policy that does not load is a *LoadError.
func Test(ctx context.Context, opts TestOptions) (TestResult, error) {
	result := TestResult{Coverage: -1}
	p, err := parse(ctx, opts.Source, loadOptions{tests: true, print: true})
	if err != nil {
		return result, describe(opts.Source.Name, err)
	}
	out := opts.Out
	if out == nil {
		out = io.Discard
	}
	var measured *cover.Cover
	if opts.Coverage || opts.Threshold > 0 {
		measured = cover.New()
	}
	results, err := p.runTests(ctx, runOptions{match: opts.Run, cover: measured, trace: measured == nil})
	if err != nil {
		return result, describe(opts.Source.Name, err)
	}
	if err := report(out, results, opts.Verbose); err != nil {
		return result, err
	}
	result.count(results)
	cases := 0
	if opts.Run == "" {
		if cases, err = result.countCases(ctx, p, opts.Source, out); err != nil {
			return result, err
		}
	}
	switch {
	case len(results)+cases == 0:
		return result, fmt.Errorf("%w: no tests were run", ErrTests)
	case result.Failed+result.Errors > 0:
		return result, fmt.Errorf("%w: %d of %d fail", ErrTests, result.Failed+result.Errors, result.Passed+result.Failed+result.Errors)
	case measured == nil:
		return result, nil
	}
	result.Coverage = reportCoverage(out, measured.Report(p.modules))
	if result.Coverage < opts.Threshold {
		return result, fmt.Errorf("%w: they cover %.2f%% of the lines, and %.2f%% are asked for", ErrTests, result.Coverage, opts.Threshold)
	}
	return result, nil
}

// runOptions say how tests run. OPA can not trace and measure coverage at once.
type runOptions struct {
	match string
	cover *cover.Cover
	trace bool
}

// runTests runs those tests that match. The results are in the order of the files.
func (p *policy) runTests(ctx context.Context, opts runOptions) ([]*tester.Result, error) {
	ch, err := p.startTests(ctx, opts)
	if err != nil {
		return nil, err
	}
	var results []*tester.Result
	for r := range ch {
		results = append(results, r)
	}
	slices.SortFunc(results, func(a, b *tester.Result) int {
		return cmp.Or(
			cmp.Compare(a.Location.File, b.Location.File),
			cmp.Compare(a.Location.Row, b.Location.Row),
			cmp.Compare(a.Name, b.Name),
		)
	})
	return results, ctx.Err()
}

// startTests compiles the policy together with its tests and starts them. The caller must read
// the channel to its end, which comes soon after the context's end.
func (p *policy) startTests(ctx context.Context, opts runOptions) (<-chan *tester.Result, error) {
	txn, err := p.store.NewTransaction(ctx) // a reading one; the store goes with the policy
	if err != nil {
		return nil, err
	}
	modules, err := otherInputs(p.modules)
	if err != nil {
		return nil, err
	}
	maps.Copy(modules, p.modules)
	p.compiler.
		WithPathConflictsCheck(storage.NonEmpty(ctx, p.store, txn)).
		WithRewriteTestRules(opts.trace)
	runner := tester.NewRunner().
		SetCompiler(p.compiler).
		SetStore(p.store).
		SetModules(modules).
		SetTimeout(testTimeout).
		SetParallel(runtime.GOMAXPROCS(0)).
		CapturePrintOutput(true).
		StackTraces(true).
		EnableTracing(opts.trace).
		Filter(opts.match)
	if opts.cover != nil {
		runner.SetCoverageQueryTracer(opts.cover)
	}
	return runner.RunTests(ctx, txn)
}

// countCases tries the policy's cases, which are tests by people who do not write Rego. The policy
// is loaded as it is served.
func (t *TestResult) countCases(ctx context.Context, p *policy, src Source, out io.Writer) (int, error) {
	all := 0
	for _, file := range p.cases {
		all += len(file.cases)
	}
	if all == 0 {
		return 0, nil
	}
	_, err := load(ctx, src, loadOptions{})
	findings, err := found(err)
	if err != nil {
		return 0, err
	}
	for _, f := range findings {
		if f.Code != check.CasesFail {
			return 0, loadError(src.Name, findings)
		}
		if _, err := fmt.Fprintln(out, "CASE: "+f.String()); err != nil {
			return 0, err
		}
	}
	t.Failed += len(findings)
	t.Passed += all - len(findings)
	return all, nil
}

func report(out io.Writer, results []*tester.Result, verbose bool) error {
	ch := make(chan *tester.Result, len(results))
	for _, r := range results {
		r.Trace = lineage.Filter(r.Trace, func(e *topdown.Event) bool {
			return e.Op == topdown.FailOp || e.Op == topdown.NoteOp
		})
		ch <- r
	}
	close(ch)
	return tester.PrettyReporter{Output: out, Verbose: verbose, FailureLine: true, LocalVars: true}.Report(ch)
}

func (t *TestResult) count(results []*tester.Result) {
	for _, r := range results {
		switch {
		case r.Skip:
			t.Skipped++
		case r.Error != nil:
			t.Errors++
		case len(r.SubResults) > 0:
			for _, sub := range r.SubResults.Iter {
				switch {
				case len(sub.SubResults) > 0:
				case sub.Fail:
					t.Failed++
				default:
					t.Passed++
				}
			}
		case r.Fail:
			t.Failed++
		default:
			t.Passed++
		}
	}
}

// reportCoverage prints the share of lines that tests reach and which ones they do not.
func reportCoverage(out io.Writer, r cover.Report) float64 {
	fmt.Fprintf(out, "COVERAGE: %.2f%% of %d lines\n", r.Coverage, r.CoveredLines+r.NotCoveredLines)
	for _, file := range slices.Sorted(maps.Keys(r.Files)) {
		for _, lines := range r.Files[file].NotCovered {
			fmt.Fprintf(out, "  not reached: %s:%d\n", file, lines.Start.Row)
		}
	}
	return r.Coverage
}
