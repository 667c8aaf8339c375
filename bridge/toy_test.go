package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toy is a set of in-memory MCP servers that note the argument bytes they get.
type toy struct {
	mu    sync.Mutex
	calls []string
}

func newToy() *toy { return &toy{} }

// received is every call that reached a server: "server/tool bytes".
func (t *toy) received() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.calls, "")
}

// connect starts a server called name and returns the client's end.
func (t *toy) connect(name string) mcp.Transport {
	server := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, nil)
	add := func(tool, schema string, handle func(ctx context.Context, args map[string]any) *mcp.CallToolResult) {
		server.AddTool(&mcp.Tool{Name: tool, Description: "Does " + tool + ".", InputSchema: json.RawMessage(schema)},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				t.mu.Lock()
				t.calls = append(t.calls, fmt.Sprintf("%s/%s %s\n", name, tool, req.Params.Arguments))
				t.mu.Unlock()
				var args map[string]any
				if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
					return nil, err
				}
				return handle(ctx, args), nil
			})
	}
	add("add", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}`,
		func(_ context.Context, args map[string]any) *mcp.CallToolResult {
			return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: map[string]any{"sum": args["a"].(float64) + args["b"].(float64)}}
		})
	add("echo", `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`,
		func(_ context.Context, args map[string]any) *mcp.CallToolResult {
			return textResult(fmt.Sprint(args["text"]))
		})
	add("any", `{"type":"object","additionalProperties":true}`,
		func(context.Context, map[string]any) *mcp.CallToolResult { return textResult("any") })
	add("note", `{"type":"object"}`,
		func(context.Context, map[string]any) *mcp.CallToolResult { return textResult("a private note") })
	add("fail", `{"type":"object"}`,
		func(context.Context, map[string]any) *mcp.CallToolResult {
			r := textResult("it failed")
			r.IsError = true
			return r
		})
	add("big", `{"type":"object","properties":{"bytes":{"type":"integer"}},"required":["bytes"]}`,
		func(_ context.Context, args map[string]any) *mcp.CallToolResult {
			return textResult(strings.Repeat("x", int(args["bytes"].(float64))))
		})
	add("slow", `{"type":"object"}`,
		func(ctx context.Context, _ map[string]any) *mcp.CallToolResult {
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute):
			}
			return textResult("late")
		})
	here, there := mcp.NewInMemoryTransports()
	go func() { _ = server.Run(context.Background(), there) }() // ends with the connection
	return here
}

func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
