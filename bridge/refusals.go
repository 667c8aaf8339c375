package bridge

import (
	"cmp"
	"slices"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

// Refusal is how many calls of a run were refused, of one tool and for one reason.
type Refusal struct {
	Tool  string `json:"tool"`  // tool id, or "(other)": see maxRefusals
	Code  string `json:"code"`  // of the first denial
	Count int    `json:"count"` // of calls
}

// maxRefusals bounds the rows that are kept for a run, because code can invent tool
// ids. Further refusals are counted under otherTools.
const (
	maxRefusals = 50
	otherTools  = "(other)"
)

// refusals counts the refused calls of a run.
type refusals struct {
	total int
	byKey map[refusalKey]int
}

type refusalKey struct{ tool, code string }

func (r *refusals) add(toolID string, denials []engine.Denial) {
	r.total++
	key := refusalKey{toolID, denials[0].Code}
	if _, has := r.byKey[key]; !has && len(r.byKey) >= maxRefusals {
		key.tool = otherTools
	}
	r.byKey[key]++
}

// list returns the counts, sorted by tool and code.
func (r *refusals) list() []Refusal {
	list := make([]Refusal, 0, len(r.byKey))
	for key, n := range r.byKey {
		list = append(list, Refusal{Tool: key.tool, Code: key.code, Count: n})
	}
	slices.SortFunc(list, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Code, b.Code))
	})
	return list
}
