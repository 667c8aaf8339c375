package server_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// The decision log and the policy know which client asked, and the log in which trace.
func TestADecisionNamesTheClientAndItsTrace(t *testing.T) {
	var log strings.Builder
	s := newServer(t, func(o *server.Options) {
		o.Driver = func(context.Context) (sandbox.Driver, error) { return scripted{}, nil }
		o.Bridge = func(ctx context.Context) (*bridge.Bridge, error) {
			return bridge.New(ctx, bridge.Options{
				Servers: []bridge.Server{{Name: "server", Transport: newUpstream().connect()}},
				Record:  record.New(&log),
			})
		}
	})
	_, err := client(t, s, nil).CallTool(context.Background(), &mcp.CallToolParams{
		Name: "run_python", Arguments: map[string]any{"code": `{"a":1,"b":2}`},
		Meta: mcp.Meta{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var decision struct {
		RequestedBy string `json:"requested_by"`
		TraceID     string `json:"trace_id"`
		Input       struct {
			Principal struct{ Client, Version string }
		}
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, `"path":"codemode/decision"`) {
			if err := json.Unmarshal([]byte(line), &decision); err != nil {
				t.Fatal(err)
			}
		}
	}
	if decision.RequestedBy != "client" || decision.Input.Principal.Client != "client" || decision.Input.Principal.Version != "1" ||
		decision.TraceID != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("%+v in\n%s", decision, log.String())
	}
}
