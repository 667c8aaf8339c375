package bridge

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/internal/cputime"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// Verdict is what the gate makes of a call.
type Verdict struct {
	// Answer answers the call: it forwards it to its server, or refuses it. It must
	// be called once, and waits for the server.
	Answer func() wire.Reply
	// Bytes is how many the result may have: its text, or structured content, and its
	// content blocks. It is zero for a refusal.
	Bytes int
	// Work is the processor time that deciding took.
	Work time.Duration
	// End is the reason to stop the run, as a text for the model; "" lets it go on.
	End string
}

// Call decides a call and answers it.
func (r *Run) Call(ctx context.Context, call wire.Call) wire.Reply {
	return r.Decide(ctx, call).Answer()
}

// Decide is the gate: the one way from code to an upstream. It takes a call that
// was decoded once and says how it is answered; a refusal and a failure are
// answers too. The bytes sent upstream are the encoding of the very value the
// policy saw. Only these bytes are kept, not the value.
//
// Deciding about a call, recording the decision and committing its effects is one
// step per session. Forwarding runs in parallel. Only one call of a sandbox is
// decided at a time, so of every run at most one call waits for the session's lock.
func (r *Run) Decide(ctx context.Context, call wire.Call) Verdict {
	work := cputime.Start()
	verdict := r.judge(ctx, call)
	verdict.Work = work.Stop()
	return verdict
}

func (r *Run) judge(ctx context.Context, call wire.Call) Verdict {
	t := r.session.bridge.catalog.find(call.Tool)
	args, err := strictjson.Append(nil, call.Args)
	if err != nil {
		return answered(r.fault(&sentCall{tool: t}, "encoding arguments", err), "")
	}
	request := asked{args: args, Request: engine.Request{
		Hook: engine.HookCall, Tool: t.facts,
		Call:      engine.Call{ID: uuid.NewString(), ArgsBytes: len(args)},
		Principal: r.principal, TimeNS: time.Now().UnixNano(),
	}}
	if len(args) <= r.session.bridge.arguments {
		request.Call.Args, request.Call.Violations = call.Args, t.violations(call.Args)
	} else {
		request.Call.Violations = []engine.Violation{{Message: "too large to be looked at"}}
	}
	decision, end := r.admit(ctx, t, &request)
	if !decision.Allow {
		return answered(refusal(t.facts.ID, decision.Denials), end)
	}
	// The closure must not hold request, which holds the arguments.
	sent := &sentCall{
		tool: t, seq: request.Run.Calls, id: request.Call.ID, toolID: request.shownTool, revision: decision.Revision, hidden: request.hidden,
		made: request.made,
	}
	return Verdict{Answer: func() wire.Reply { return r.forward(ctx, sent, args) }, Bytes: 2 * t.limits.Result}
}

func answered(reply wire.Reply, end string) Verdict {
	return Verdict{Answer: func() wire.Reply { return reply }, End: end}
}

// sentCall is what is kept of an admitted call.
type sentCall struct {
	tool     *tool
	seq      int64  // in its run
	id       string // decision_id
	toolID   string // as the decision log may show it
	revision string // of what decided
	made     *Made  // counts it; guarded by session.mu
	hidden   hidden
}

// forward sends an admitted call to its server, bounds what comes back, and records how it went.
func (r *Run) forward(ctx context.Context, c *sentCall, args []byte) wire.Reply {
	if r.onCall != nil {
		r.onCall(c.seq, c.tool.facts.ID)
	}
	ctx, progress, cancel := c.tool.limits.timed(ctx)
	defer cancel()
	started := time.Now()
	result, err := c.tool.upstream.CallWatched(ctx, c.tool.facts.Name, args, progress)
	took := time.Since(started)
	var reply wire.Reply
	if err != nil {
		reply = r.failure(ctx, c, err)
	} else {
		reply = bounded(c.tool.facts.ID, result, c.tool.limits.Result)
	}
	r.release(c, reply)
	r.session.seen.learn(c.tool, reply)
	r.outcome(c, len(result.Content)+len(result.Structured), reply, took)
	return reply
}

// admit decides one call, records the decision and commits its effects, in one step
// for the whole session. The labels that a call adds are on the session before the
// call leaves. A decision that cannot be recorded becomes a denial. After too many
// denials admit returns the reason why the run is to end.
func (r *Run) admit(ctx context.Context, t *tool, request *asked) (decision engine.Decision, end string) {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return deny("", CodeUpstreamUnavailable, "the run has ended"), ""
	}
	s.calls++
	r.calls++
	if r.refused.total >= MaxRefused {
		end = fmt.Sprintf("more than %d refused calls", MaxRefused)
		decision = r.endRefused(ctx, request, end)
	} else {
		decision = r.decide(ctx, t, request)
	}
	if decision.Allow {
		s.commit(decision.Effects, t.facts.ID)
		s.callsByTool[t.facts.ID]++
		r.inFlight++
		request.made = r.made.sent(t)
	} else {
		r.refused.add(t.facts.ID, decision.Denials)
	}
	return decision, end
}

// decide evaluates the rules, asks the policy, and records the decision. The caller
// holds session.mu.
func (r *Run) decide(ctx context.Context, t *tool, request *asked) engine.Decision {
	s := r.session
	// If the run ends during the decision, that must not become a policy error.
	// Rules and policy have time limits of their own.
	ctx = context.WithoutCancel(ctx)
	request.Call.Seq = s.calls
	request.Run, request.Session = r.facts(), s.facts()
	request.Call.Rules = t.ruleResults(ctx, request, s.bridge.arguments)

	started := time.Now()
	decision := s.bridge.engine.Decide(ctx, &request.Request)
	if decision.Allow {
		decision = t.overrule(decision, request.Call.ArgsBytes, s.bridge.arguments)
	}
	return r.writeDown(ctx, request, decision, time.Since(started))
}

// endRefused denies a call undecided because too many before it were refused, and records
// once for the run that this is why it ended. The caller holds session.mu.
func (r *Run) endRefused(ctx context.Context, request *asked, why string) engine.Decision {
	decision := deny("", engine.CodeBudgetExhausted, why)
	if r.refused.total > MaxRefused {
		return decision
	}
	request.Call.Seq = r.session.calls
	request.Run, request.Session = r.facts(), r.session.facts()
	request.Call.Rules = []engine.RuleResult{}
	return r.writeDown(context.WithoutCancel(ctx), request, decision, 0)
}

// overrule denies calls that no policy may allow: of unknown tools, and with too large
// arguments. The built-in pack denies both itself.
func (t *tool) overrule(decision engine.Decision, argsBytes, most int) engine.Decision {
	switch {
	case t.upstream == nil:
		return deny(decision.Revision, engine.CodeToolNotAllowed, "this tool does not exist")
	case argsBytes > most:
		return deny(decision.Revision, engine.CodeArgumentsTooLarge, fmt.Sprintf("arguments are at most %s (--max-arguments)", size(most)))
	}
	return decision
}

// release notes the end of a call.
func (r *Run) release(c *sentCall, reply wire.Reply) {
	r.session.mu.Lock()
	defer r.session.mu.Unlock()
	r.inFlight--
	c.made.ended(reply)
}

func deny(revision, code, message string) engine.Decision {
	return engine.Decision{Denials: []engine.Denial{{Code: code, Message: message}}, Revision: revision}
}

// violations says where the arguments break the upstream's own input schema.
func (t *tool) violations(args any) []engine.Violation {
	if t.schema == nil {
		return []engine.Violation{}
	}
	found := t.schema.Violations(args)
	violations := make([]engine.Violation, len(found))
	for i, v := range found {
		violations[i] = engine.Violation{Path: v.Path, Message: v.Message}
	}
	return violations
}

// ruleResults evaluates the tool's rules. A rule that fails to evaluate does not hold.
// If the arguments are too large to be looked at, no rule holds.
func (t *tool) ruleResults(ctx context.Context, request *asked, most int) []engine.RuleResult {
	results := make([]engine.RuleResult, len(t.rules))
	for i, rule := range t.rules {
		results[i].Rule = rule.text
		if request.Call.ArgsBytes > most {
			continue
		}
		ok, err := rule.program.Eval(ctx, request.Call.Args, t.facts, request.Session)
		if err != nil {
			request.ruleErrors = append(request.ruleErrors, ruleError{rule.text, err})
		}
		results[i].OK = ok && err == nil
	}
	return results
}
