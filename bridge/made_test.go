package bridge

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

func TestCallsThatWentOutAreCountedByWhatBecameOfThem(t *testing.T) {
	counts := made{}
	look := &tool{facts: engine.Tool{ID: "s/look", Annotations: map[string]bool{"readOnlyHint": true}}}
	file := &tool{facts: engine.Tool{ID: "s/file", Annotations: map[string]bool{"readOnlyHint": false}}}
	for _, code := range []string{"", CodeToolError, CodeTimeout, CodeUpstreamUnavailable, CodeResultTooLarge} {
		reply := wire.Reply{}
		if code != "" {
			reply = errorReply("x", "m", code)
		}
		counts.sent(look).ended(reply)
		counts.sent(file).ended(reply)
	}
	run := &Run{session: &Session{}, made: counts}
	want := []Made{{Tool: "s/file", Count: 5, Failed: 1, Unanswered: 2}, {Tool: "s/look", Count: 5, Failed: 1, Unanswered: 2, ReadOnly: true}}
	if diff := cmp.Diff(want, run.Made()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := run.Made(); len(again) > 0 {
		t.Errorf("told twice: %+v", again)
	}
}

func TestToolsBeyondThoseToldOfAreCountedTogether(t *testing.T) {
	counts := made{}
	for i := range 2 * maxMade {
		counts.sent(&tool{facts: engine.Tool{ID: fmt.Sprint(i), Annotations: map[string]bool{"readOnlyHint": i != maxMade+3}}})
	}
	if len(counts) != maxMade+1 || counts[otherTools].Count != maxMade || counts[otherTools].ReadOnly || !counts["0"].ReadOnly {
		t.Errorf("%d rows, %+v", len(counts), counts[otherTools])
	}
}
