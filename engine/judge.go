package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
)

// tryCases decides every case and finds those that are decided otherwise.
func (p *policy) tryCases(ctx context.Context) []check.Finding {
	ctx, cancel := context.WithTimeout(ctx, maxCasesTime)
	defer cancel()
	var findings []check.Finding
	for _, file := range p.cases {
		try, err := p.judge(ctx, file.conf)
		if err != nil {
			findings = append(findings, caseFinding(file, 0, err.Error()))
			continue
		}
		for _, c := range file.cases {
			text, err := try.wrong(&c)
			if text != "" {
				findings = append(findings, caseFinding(file, c.line, text))
			}
			if errors.Is(err, context.DeadlineExceeded) { // the others would take as long
				return append(findings, check.New(check.FailsOnPlainCall, nil, fmt.Sprintf("a call of %s, a case of %s, can not be decided: %v", c.Tool, file.name, err), ""))
			}
		}
	}
	return findings
}

func caseFinding(file caseFile, line int, text string) check.Finding {
	f := check.New(check.CasesFail, nil, text, "")
	f.File, f.Line = file.name, line
	return f
}

// judge decides requests with a config of its own.
type judge struct {
	ctx   context.Context
	query rego.PreparedEvalQuery
	conf  Config
	blame *blame
}

func (p *policy) judge(ctx context.Context, conf Config) (*judge, error) {
	text, err := json.Marshal(conf.withDefaults())
	if err != nil {
		return nil, err
	}
	value, err := ast.ValueFromReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	data := merged(p.documents.Object, ast.NewTerm(value), "codemode", "config")
	plain, err := ast.JSON(data)
	if err != nil {
		return nil, err
	}
	own := *p
	own.documents = documents{data}
	own.store = inmem.NewFromObjectWithOpts(plain.(map[string]any), inmem.OptReturnASTValuesOnRead(true), inmem.OptRoundTripOnWrite(false))
	query, err := own.prepare(ctx, decisionPath)
	return &judge{ctx: ctx, query: query, conf: conf, blame: newBlame(&own)}, err
}

// merged is an object with a value put at a path.
func merged(object ast.Object, value *ast.Term, path ...string) ast.Object {
	at := ast.StringTerm(path[0])
	if len(path) > 1 {
		inner := ast.NewObject()
		if old := object.Get(at); old != nil {
			if o, ok := old.Value.(ast.Object); ok {
				inner = o
			}
		}
		value = ast.NewTerm(merged(inner, value, path[1:]...))
	}
	copied := ast.NewObject()
	object.Foreach(func(k, v *ast.Term) { copied.Insert(k, v) })
	copied.Insert(at, value)
	return copied
}

// decide decides as Engine.Decide does, and says beside why the policy failed if it did.
func (j *judge) decide(r *Request) (Decision, error) {
	deadline := newDeadline(j.ctx, DefaultTimeout)
	defer deadline.release()
	input, err := wholeDocument.value(deadline, r)
	if err != nil {
		return refuse(""), err
	}
	var d Decision
	answer, err := evaluate(deadline, j.query, input, rego.EvalBaseCache(j.blame.policy.documents))
	if err == nil {
		d, err = readDecision(answer)
	}
	if err != nil {
		d, _ = j.blame.refusal(j.ctx, input, DefaultTimeout/2)
	}
	return d, err
}

// wrong says how a case is decided otherwise than it should be, "" when it is not. The error says
// that the policy failed, which refuses.
func (j *judge) wrong(c *policyCase) (string, error) {
	r, err := c.request(j.conf)
	if err != nil {
		return fmt.Sprintf("%s is no call: %v", c.Tool, err), err
	}
	d, err := j.decide(r)
	var codes []string
	for _, denial := range d.Denials {
		codes = append(codes, denial.Code)
	}
	said := strings.Join(slices.Compact(codes), ", ")
	switch refused := slices.Contains(codes, c.Code); {
	case c.pass && refused:
		return fmt.Sprintf("%s must pass, but is refused with %q", c.Tool, c.Code), err
	case c.pass:
		return "", err
	case c.allow && !d.Allow:
		return fmt.Sprintf("%s must go out, but is refused: %s", c.Tool, said), err
	case !c.allow && d.Allow:
		return fmt.Sprintf("%s must be refused, but goes out", c.Tool), err
	case c.Code != "" && !refused:
		return fmt.Sprintf("%s must be refused with %q, but is with %s", c.Tool, c.Code, said), err
	}
	return "", err
}

// Bounds on the calls that Check makes up.
const (
	maxPlainCalls = 200
	maxPlainTime  = 5 * time.Second
)

// tryPlainCalls makes up calls of the installation's tools and finds those that the policy fails to
// decide: it runs out of time, or answers what is no decision.
func (p *policy) tryPlainCalls(ctx context.Context, opts CheckOptions) []check.Finding {
	if slices.ContainsFunc(p.findings, func(f check.Finding) bool { return f.Code == check.HeavyRange }) {
		return nil // it has been said
	}
	ctx, cancel := context.WithTimeout(ctx, maxPlainTime)
	defer cancel()
	conf := Config{Servers: map[string]ServerConfig{"example": {Allow: AllTools()}}}
	if opts.Config != nil && len(opts.Config.Servers) > 0 {
		conf = *opts.Config
	}
	j, err := p.judge(ctx, conf)
	if err != nil {
		return []check.Finding{check.New(check.FailsOnPlainCall, nil, err.Error(), "")}
	}
	for _, id := range plainTools(conf, opts.Known) {
		c := policyCase{Tool: id}
		r, err := c.request(conf)
		if err == nil {
			_, err = j.decide(r)
		}
		if err != nil {
			return []check.Finding{check.New(check.FailsOnPlainCall, nil, fmt.Sprintf("a call of %s without arguments can not be decided: %v", id, err), "")}
		}
	}
	return nil
}

// plainTools are ids to make up calls of.
func plainTools(conf Config, known *check.Known) []string {
	var ids []string
	if known != nil {
		ids = slices.Sorted(maps.Keys(known.Tools))
	}
	for _, server := range slices.Sorted(maps.Keys(conf.Servers)) {
		ids = append(ids, server+"/example")
	}
	return ids[:min(len(ids), maxPlainCalls)]
}
