package bridge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// policyName is what the decision log calls the policy among its bundles.
const policyName = "codemode"

// Bounds on the arguments of refused calls in the decision log, in bytes. What is more is
// cut, and its size and hash are kept: refused calls cost code nothing, so the log would be
// the code's to fill.
const (
	MaxRefusedArguments    = 16 << 10  // of one call
	MaxRefusedArgumentsRun = 256 << 10 // of a run
)

const argumentsPath = "/input/call/args"

// asked is a call that is being decided.
type asked struct {
	engine.Request
	args       []byte // as they are sent
	ruleErrors []ruleError
	hidden     hidden // what the decision log must not show
	shownTool  string // the tool's id as the decision log may show it
	made       *Made  // counts the call, once it is admitted
}

type ruleError struct {
	rule string
	err  error
}

// recordConfig records the configuration that policies read, once for this policy. Each decision
// holds its digest.
func (b *Bridge) recordConfig(opts Options) error {
	document, err := PolicyConfig(opts).Document()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := json.Compact(&text, document); err != nil {
		return err
	}
	sum := sha256.Sum256(text.Bytes())
	b.config = "sha256:" + hex.EncodeToString(sum[:])
	if b.record == nil {
		return nil
	}
	err = b.record.Begin(&record.Entry{
		Labels: b.labels, Bundles: b.bundles(b.engine.Revision()), Path: record.ConfigPath,
		Input: json.RawMessage(text.Bytes()), Custom: &record.Custom{Config: b.config},
	})
	if err != nil {
		b.log.Error("the decision log does not take the configuration; calls are denied until it does", "error", err)
	}
	return nil
}

func (b *Bridge) bundles(revision string) map[string]record.Bundle {
	return map[string]record.Bundle{policyName: {Revision: revision}}
}

// writeDown records a decision, and tells the operator what went wrong with it. What cannot be
// recorded becomes a denial. The caller holds session.mu.
func (r *Run) writeDown(ctx context.Context, request *asked, decision engine.Decision, took time.Duration) engine.Decision {
	b := r.session.bridge
	request.shownTool = request.Tool.ID
	if b.record != nil || decision.Problem != "" || len(request.ruleErrors) > 0 {
		entry := r.entry(request, decision, took)
		err := b.applyLogRules(ctx, request, entry)
		if err != nil {
			b.log.Error("decision log not masked, call denied", "tool", request.Tool.ID, "error", err)
			decision = deny(decision.Revision, engine.CodePolicyError, notRecorded)
			entry.reduce(record.DigestOf(nil))
			entry.Result = decision
			entry.Error = &record.Error{Code: codeMask, Message: err.Error()}
		}
		request.shownTool = entry.toolID
		if b.record != nil {
			if err := b.record.Write(&entry.Entry); err != nil {
				b.log.Error("decision not recorded, call denied", "tool", request.Tool.ID, "error", err)
				decision = deny(decision.Revision, engine.CodePolicyError, notRecorded)
			}
		}
	}
	if decision.Problem != "" {
		b.log.Error("the policy could not decide", "tool", request.Tool.ID, "call", request.Call.ID, "error", request.hidden.text(decision.Problem))
	}
	for _, e := range request.ruleErrors {
		b.log.Debug("rule without a result", "tool", request.Tool.ID, "rule", e.rule, "error", request.hidden.text(e.err.Error()))
	}
	return decision
}

const (
	notRecorded = "the decision could not be recorded, so the call was not made"
	codeMask    = "mask_error" // the code of an event whose masking failed
)

// logEntry is an event that is being made.
type logEntry struct {
	record.Entry
	toolID string // as the event may show it
}

// entry is the event of a decision. The request is in it as the policy saw it, so that the line
// replays with stock OPA.
func (r *Run) entry(request *asked, decision engine.Decision, took time.Duration) *logEntry {
	b := r.session.bridge
	e := &logEntry{toolID: request.Tool.ID, Entry: record.Entry{
		Labels: b.labels, DecisionID: request.Call.ID, TraceID: r.trace.trace, SpanID: r.trace.span,
		Bundles: b.bundles(decision.Revision), Path: record.Path, Input: request.Request, Result: decision,
		RequestedBy: request.Principal.Client, Timestamp: time.Unix(0, request.TimeNS).UTC(),
		Metrics:   map[string]int64{record.QueryTime: took.Nanoseconds()},
		RequestID: r.number, Custom: &record.Custom{Config: b.config},
	}}
	if decision.Problem != "" {
		e.Error = &record.Error{Code: engine.CodePolicyError, Message: decision.Problem}
	}
	if !decision.Allow && request.Call.Args != nil {
		if n := len(request.args); n > MaxRefusedArguments || r.refusedArguments+n > MaxRefusedArgumentsRun {
			cut := request.Request
			if cut.Call.Args = nil; isObject(request.Call.Args) {
				cut.Call.Args = map[string]any{} // so that it still is what it was
			}
			e.Input, e.Erased = cut, []string{argumentsPath}
			e.Custom.Cut = map[string]record.Digest{argumentsPath: record.DigestOf(request.args)}
		} else {
			r.refusedArguments += n
		}
	}
	return e
}

func isObject(args any) bool {
	_, is := args.(map[string]any)
	return is
}

// reduce leaves of an event what must be there for every call: id, time, tool, outcome, and the
// hash of the rest.
func (e *logEntry) reduce(whole record.Digest) {
	e.Input = map[string]any{"tool": map[string]any{"id": e.toolID}}
	allow := false
	switch result := e.Result.(type) {
	case engine.Decision:
		allow = result.Allow
	case map[string]any:
		allow, _ = result["allow"].(bool)
	}
	e.Result = map[string]any{"allow": allow}
	e.Error, e.Erased, e.Masked, e.Metrics, e.RequestedBy = nil, nil, nil, nil, ""
	e.Custom = &record.Custom{Config: e.Custom.Config, Dropped: &whole}
}

// outcome records what came of a call that went out. It has happened by now, so what cannot be
// recorded is only told to the operator; the next decision cannot be recorded either, most likely.
func (r *Run) outcome(c *sentCall, received int, reply wire.Reply, took time.Duration) {
	b := r.session.bridge
	if b.record == nil {
		return
	}
	result := outcome{Outcome: "ok", Received: received}
	var failed *record.Error
	if reply.Err != nil {
		result.Outcome = reply.Err.Code
		failed = &record.Error{Code: reply.Err.Code, Message: c.hidden.text(reply.Err.Message)}
	} else {
		digest := record.DigestOf([]byte(reply.Text))
		result.Digest = &digest
	}
	err := b.record.Write(&record.Entry{
		Labels: b.labels, DecisionID: uuid.NewString(), BatchID: c.id, TraceID: r.trace.trace, SpanID: r.trace.span,
		Bundles: b.bundles(c.revision), Path: record.OutcomePath,
		Input: map[string]any{
			"tool": map[string]any{"id": c.toolID}, "call": map[string]any{"id": c.id},
			"run": map[string]any{"id": r.id}, "session": map[string]any{"id": r.session.id},
		},
		Result: result, Error: failed, RequestedBy: r.principal.Client, RequestID: r.number,
		Metrics: map[string]int64{record.CallTime: took.Nanoseconds()}, Custom: &record.Custom{Config: b.config},
	})
	if err != nil {
		b.log.Error("outcome of a call not recorded", "tool", c.tool.facts.ID, "call", c.id, "error", err)
	}
}

// outcome is the result of an outcome event.
type outcome struct {
	Outcome  string `json:"outcome"`        // ok, or the code of the failure
	Received int    `json:"received_bytes"` // what the server sent as content and as structured content
	*record.Digest
}

// applyLogRules does to an event what the policy's rules for the decision log say. After an error
// the event must not be shown.
func (b *Bridge) applyLogRules(ctx context.Context, request *asked, e *logEntry) error {
	if !b.engine.HasLogRules() {
		return nil
	}
	request.hidden = hidden{all: true}
	text, err := json.Marshal(&e.Entry)
	if err != nil {
		return fmt.Errorf("encoding an event: %T", err)
	}
	bounds := strictjson.Bounds{Bytes: record.MaxLine, Values: record.MaxLine}
	value, err := strictjson.Decode(text, bounds)
	event, ok := value.(map[string]any)
	if err != nil || !ok {
		return fmt.Errorf("decoding an event: %w", err) // such an error holds no value
	}
	rules, err := b.engine.LogRules(ctx, event)
	if err != nil {
		return err
	}
	request.hidden = e.mask(event, rules.Mask)
	if rules.Drop {
		whole, err := json.Marshal(&e.Entry)
		if err != nil {
			return fmt.Errorf("encoding an event: %T", err)
		}
		e.reduce(record.DigestOf(whole))
	}
	return nil
}
