package record_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
)

func Example() {
	var lines strings.Builder
	log := record.New(&lines)
	err := log.Write(&record.Entry{
		Labels:     map[string]string{"id": "session-1"},
		DecisionID: "9f2c1a52-3c3b-4d0e-9a55-6c0f6a1d8d11",
		Bundles:    map[string]record.Bundle{"codemode": {Revision: "builtin"}},
		Input:      map[string]any{"tool": map[string]any{"id": "notes/search"}},
		Result:     map[string]any{"allow": true},
		Timestamp:  time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Metrics:    map[string]int64{record.QueryTime: 48_000},
	})
	if err != nil {
		fmt.Println("the call is denied:", err)
	}
	event, links, _ := strings.Cut(lines.String(), `,"chain":`)
	fmt.Println(event)
	fmt.Println(strings.Contains(links, `"seq":1,"prev":""`))
	// Output:
	// {"labels":{"id":"session-1"},"decision_id":"9f2c1a52-3c3b-4d0e-9a55-6c0f6a1d8d11","bundles":{"codemode":{"revision":"builtin"}},"path":"codemode/decision","input":{"tool":{"id":"notes/search"}},"result":{"allow":true},"timestamp":"2026-03-01T12:00:00Z","metrics":{"timer_rego_query_eval_ns":48000}
	// true
}
