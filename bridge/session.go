package bridge

import (
	"sync"

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
	seen      seen // what calls have returned

	// mu makes decide, record and commit one step: of two calls, the second is
	// decided with the labels that the first one added. It guards the fields below.
	mu           sync.Mutex
	labels       []string          // in the order they were added
	labelSources map[string]string // label -> tool id of the call that added it
	calls        int64             // refused ones included
	callsByTool  map[string]int64  // forwarded ones, by tool id
}

// NewSession returns a session without labels. The principal is what the client
// says about itself; it proves nothing.
func (b *Bridge) NewSession(principal engine.Principal) *Session {
	return &Session{
		bridge: b, id: uuid.NewString(), principal: principal,
		labelSources: map[string]string{}, callsByTool: map[string]int64{},
	}
}

// Labels returns the labels the session carries, in the order they were added.
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

// commit adds the labels of an allowed call. The caller holds s.mu.
func (s *Session) commit(effects engine.Effects, toolID string) {
	for _, label := range effects.LabelsAdd {
		if _, has := s.labelSources[label]; !has {
			s.labels = append(s.labels, label)
			s.labelSources[label] = toolID
		}
	}
}
