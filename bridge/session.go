package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

// LabelPrivate is the label a session carries once a private tool was called.
const LabelPrivate = "private"

// Session is one client connection: what a policy may remember from one call
// to the next. Its methods may be called from any goroutine.
type Session struct {
	bridge    *Bridge
	id        string
	principal engine.Principal

	// mu makes decide, record and commit one step: of two calls, the second is
	// decided with the first one's labels. It guards all that follows.
	mu           sync.Mutex
	labels       []string          // in the order they were earned
	labelSources map[string]string // label -> tool id of the call that earned it
	calls        int64             // refused ones included
	callsByTool  map[string]int64  // forwarded ones, by tool id
}

// NewSession returns a session without labels. The principal is what the
// client says of itself and proves nothing.
func (b *Bridge) NewSession(principal engine.Principal) *Session {
	return &Session{
		bridge: b, id: uuid.NewString(), principal: principal,
		labelSources: map[string]string{}, callsByTool: map[string]int64{},
	}
}

// Labels returns the labels the session carries, in the order they were earned.
func (s *Session) Labels() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.labels...)
}

// facts is the session as a policy sees it. The caller holds s.mu, and the
// result is only valid while it does.
func (s *Session) facts() engine.Session {
	return engine.Session{
		ID: s.id, Labels: s.labels, LabelSources: s.labelSources,
		Calls: s.calls, CallsByTool: s.callsByTool,
	}
}

// commit takes over what an allowed call earned. The caller holds s.mu.
func (s *Session) commit(effects engine.Effects, toolID string) {
	for _, label := range effects.LabelsAdd {
		if _, has := s.labelSources[label]; !has {
			s.labels = append(s.labels, label)
			s.labelSources[label] = toolID
		}
	}
}

// RunOptions configure a Run.
type RunOptions struct {
	// Code is the program; only its SHA-256 is kept.
	Code string
	// OnCall, when set, is told of every call that is about to be forwarded:
	// its number in the run and its tool id. It must not block.
	OnCall func(seq int64, toolID string)
}

// Run is one execution of a program: its budget, its calls, its refusals.
type Run struct {
	session *Session
	id      string
	code    string // SHA-256 of the program, hexadecimal
	started time.Time
	onCall  func(int64, string)

	// Guarded by session.mu.
	calls    int64
	inFlight int
	refused  int
	refusals map[refusalKey]int
}

// NewRun starts the books of one run.
func (s *Session) NewRun(opts RunOptions) *Run {
	sum := sha256.Sum256([]byte(opts.Code))
	return &Run{
		session: s, id: uuid.NewString(), code: hex.EncodeToString(sum[:]), started: time.Now(),
		onCall: opts.OnCall, refusals: map[refusalKey]int{},
	}
}

// facts is the run as a policy sees it, the call that is being decided
// included. The caller holds session.mu.
func (r *Run) facts() engine.Run {
	return engine.Run{
		ID: r.id, CodeSHA256: r.code, Calls: r.calls, InFlight: r.inFlight + 1,
		ElapsedMS: time.Since(r.started).Milliseconds(),
	}
}

// evaluate runs the tool's CEL rules. An error is not ok, and neither is a rule
// about arguments that are too large to be looked at.
func (s *Session) evaluate(ctx context.Context, t *tool, request *engine.Request) []engine.RuleResult {
	results := make([]engine.RuleResult, len(t.rules))
	for i, rule := range t.rules {
		results[i].Rule = rule.text
		if request.Call.ArgsBytes > MaxArguments {
			continue
		}
		ok, err := rule.program.Eval(ctx, request.Call.Args, t.facts, request.Session)
		if err != nil {
			s.bridge.log.Debug("rule without a result", "tool", t.facts.ID, "rule", rule.text, "error", err)
		}
		results[i].OK = ok && err == nil
	}
	return results
}
