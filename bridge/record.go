package bridge

import (
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

// policyName is what the decision log calls the policy among its bundles.
const policyName = "codemode"

// writeRecord writes one line of the decision log. The request is written as
// the policy saw it, so that the line replays with stock OPA.
func (b *Bridge) writeRecord(request *engine.Request, decision engine.Decision, took time.Duration) error {
	if b.record == nil {
		return nil
	}
	return b.record.Write(&record.Entry{
		Labels:      b.labels,
		DecisionID:  request.Call.ID,
		Bundles:     map[string]record.Bundle{policyName: {Revision: decision.Revision}},
		Input:       request,
		Result:      decision,
		RequestedBy: request.Principal.Client,
		Timestamp:   time.Unix(0, request.TimeNS).UTC(),
		Metrics:     map[string]int64{record.QueryTime: took.Nanoseconds()},
	})
}
