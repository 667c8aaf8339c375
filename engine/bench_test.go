package engine_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

// benchConfig lists n tools of one server by name.
func benchConfig(n int) engine.Config {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("tool_%d", i)
	}
	return engine.Config{Servers: map[string]engine.ServerConfig{
		"notes":   {Allow: engine.SomeTools(names...), Private: engine.AllTools()},
		"tracker": {Allow: engine.SomeTools("create_issue"), Rules: map[string][]string{"create_issue": {"size(args.title) <= 200"}}},
	}}
}

func benchRequest(calls int64) *engine.Request {
	byTool := map[string]int64{"tracker/create_issue": calls}
	for i := range min(calls-1, 999) { // a long session has called many tools
		byTool[fmt.Sprintf("notes/tool_%d", i)] = 1000 + i
	}
	return &engine.Request{
		Hook: engine.HookCall,
		Tool: engine.Tool{
			ID: "tracker/create_issue", Server: "tracker", Name: "create_issue", Known: true,
			Annotations: map[string]bool{"readOnlyHint": false}, DefinitionSHA256: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
		},
		Call: engine.Call{
			ID: "0198f2c4-8f1e-7c3a-9c55-0242ac120002", Seq: calls, ArgsBytes: 91,
			Args: map[string]any{
				"title": "The import drops the last line", "body": "As the title says.",
				"labels": []any{"bug", "import"}, "priority": json.Number("2"),
			},
			Rules: []engine.RuleResult{{Rule: "size(args.title) <= 200", OK: true}},
		},
		Run:       engine.Run{ID: "0198f2c4-8f1e-7c3a-9c55-0242ac120003", CodeSHA256: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef", Calls: 1 + calls%200, InFlight: 1, ElapsedMS: 512},
		Session:   engine.Session{ID: "0198f2c4-8f1e-7c3a-9c55-0242ac120004", Calls: calls, CallsByTool: byTool},
		Principal: engine.Principal{Client: "bench", Version: "1"},
		TimeNS:    1_700_000_000_000_000_000,
	}
}

func BenchmarkDecide(b *testing.B) {
	for _, tools := range []int{10, 10_000} {
		for _, calls := range []int64{1, 10_000} {
			b.Run(fmt.Sprintf("tools=%d/call=%d", tools, calls), func(b *testing.B) {
				e, err := engine.New(b.Context(), engine.Options{Policy: policies.FS, Config: benchConfig(tools)})
				if err != nil {
					b.Fatal(err)
				}
				r := benchRequest(calls)
				if d := e.Decide(b.Context(), r); !d.Allow {
					b.Fatal(d)
				}
				b.ReportAllocs()
				for b.Loop() {
					e.Decide(b.Context(), r)
				}
			})
		}
	}
}
