package bridge

import (
	"cmp"
	"slices"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// Made is how many calls of one tool went out, and what became of them.
type Made struct {
	Tool  string `json:"tool"`  // tool id, or "(other)": see maxMade
	Count int    `json:"count"` // of calls
	// Failed of them ended with an error that the server gave.
	Failed int `json:"failed"`
	// Unanswered of them timed out, were cancelled or got lost: whether the server did what
	// they asked for is not known.
	Unanswered int `json:"unanswered"`
	// ReadOnly is what the server says of the tool; it is no proof.
	ReadOnly bool `json:"read_only"`
}

// maxMade bounds the tools that are told of. Further ones are counted under otherTools, which
// is read-only if all of them are.
const maxMade = 50

// made counts the calls that went out, by tool id.
type made map[string]*Made

// sent notes a call that is about to go out, and returns where its end is to be noted.
func (m made) sent(t *tool) *Made {
	id, readOnly := t.facts.ID, t.facts.Annotations["readOnlyHint"]
	if m[id] == nil && len(m) >= maxMade {
		id = otherTools
	}
	if m[id] == nil {
		m[id] = &Made{Tool: id, ReadOnly: true}
	}
	m[id].Count++
	m[id].ReadOnly = m[id].ReadOnly && readOnly
	return m[id]
}

// ended notes how a call ended.
func (m *Made) ended(reply wire.Reply) {
	switch {
	case reply.Err == nil || reply.Err.Code == CodeResultTooLarge: // the server did its work
	case reply.Err.Code == CodeToolError:
		m.Failed++
	default:
		m.Unanswered++
	}
}

// Made returns the calls that went out since it was called last, sorted by tool. It is
// to be called when none of them is under way.
func (r *Run) Made() []Made {
	r.session.mu.Lock()
	defer r.session.mu.Unlock()
	list := make([]Made, 0, len(r.made))
	for _, m := range r.made {
		list = append(list, *m)
	}
	r.made = made{}
	slices.SortFunc(list, func(a, b Made) int { return cmp.Compare(a.Tool, b.Tool) })
	return list
}
