package bridge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/google/uuid"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// RunOptions configure a Run.
type RunOptions struct {
	// Code is the program; only its SHA-256 is kept.
	Code string
	// Principal is who asked for the run, as the client says; the zero value is the
	// session's.
	Principal engine.Principal
	// TraceParent is the client's place in its trace, as W3C Trace Context writes it. The
	// decision log names it.
	TraceParent string
	// OnCall, when set, is told of every call that is about to be forwarded:
	// its number in the run and its tool id. It must not block.
	OnCall func(seq int64, toolID string)
}

// Run is one execution of a program. Its calls share one budget, and it counts
// those that were refused. Its methods may be called from any goroutine.
type Run struct {
	session *Session
	id      string
	code    string // SHA-256 of the program, hexadecimal
	started time.Time
	onCall  func(int64, string)
	told    map[string]string // the shapes that Seen has returned, by Python name

	principal engine.Principal
	trace     trace
	number    uint64 // of the run in this process

	// Guarded by session.mu.
	calls    int64 // refused ones included
	inFlight int
	refused  refusals
	made     made

	refusedArguments int // bytes of them in the decision log
}

// NewRun begins a run in this session.
func (s *Session) NewRun(opts RunOptions) *Run {
	sum := sha256.Sum256([]byte(opts.Code))
	return &Run{
		session: s, id: uuid.NewString(), code: hex.EncodeToString(sum[:]), started: time.Now(),
		onCall: opts.OnCall, refused: refusals{byKey: map[refusalKey]int{}}, made: made{}, told: map[string]string{},
		principal: cmp.Or(opts.Principal, s.principal), trace: parseTrace(opts.TraceParent),
		number: s.bridge.runs.Add(1),
	}
}

// Seen returns what calls of this session have returned, of tools whose servers do not
// say it, as far as it is new since Seen was last called. It is for one goroutine.
func (r *Run) Seen() []wire.Seen { return r.session.seen.news(r.told) }

// Refused returns the refusals so far, sorted by tool and code.
func (r *Run) Refused() []Refusal {
	r.session.mu.Lock()
	defer r.session.mu.Unlock()
	return r.refused.list()
}

// facts is the run as a policy sees it. Its counters include the call that is being
// decided. The caller holds session.mu.
func (r *Run) facts() engine.Run {
	return engine.Run{
		ID: r.id, CodeSHA256: r.code, Calls: r.calls, InFlight: r.inFlight + 1,
		ElapsedMS: time.Since(r.started).Milliseconds(),
	}
}
