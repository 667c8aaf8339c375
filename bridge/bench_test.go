package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// BenchmarkGate is one call through the gate, from the decoded line to the reply:
// facts, policy, record, commit, forwarding and bounding. The server answers at
// once and within this process, so that what is left is the gate.
func BenchmarkGate(b *testing.B) {
	add := wire.Call{Tool: "toy/add", Args: map[string]any{"a": json.Number("1"), "b": json.Number("2")}}
	text := wire.Call{Tool: "toy/echo", Args: map[string]any{"text": strings.Repeat("some text, ", 10<<10/11)}}
	b.Run("add", func(b *testing.B) { gateCalls(b, add, nil) })
	b.Run("60KiB-result", func(b *testing.B) {
		b.SetBytes(60 << 10)
		gateCalls(b, wire.Call{Tool: "toy/large", Args: map[string]any{}}, nil)
	})
	b.Run("10KiB-text", func(b *testing.B) { gateCalls(b, text, nil) })
	b.Run("recorded", func(b *testing.B) {
		gateCalls(b, add, func(o *bridge.Options) { o.Record = record.New(io.Discard) })
	})
	b.Run("ruled", func(b *testing.B) {
		gateCalls(b, add, func(o *bridge.Options) {
			o.Servers[0].Rules = map[string][]string{"add": {"args.a <= 100", "args.b <= 100"}}
		})
	})
	b.Run("refused", func(b *testing.B) {
		run := instantBridge(b, func(o *bridge.Options) { o.Servers[0].Allow = []string{"echo"} }).
			NewSession(engine.Principal{}).NewRun(bridge.RunOptions{})
		b.ReportAllocs()
		for b.Loop() {
			if reply := run.Call(b.Context(), add); reply.Err == nil {
				b.Fatal("not refused")
			}
		}
	})
	b.Run("gathered", func(b *testing.B) {
		run := instantBridge(b, nil).NewSession(engine.Principal{}).NewRun(bridge.RunOptions{})
		b.ReportAllocs()
		b.SetParallelism(16) // calls of a run under way at once, for each processor
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if reply := run.Call(b.Context(), add); reply.Err != nil {
					b.Error(reply.Err)
				}
			}
		})
	})
}

// gateCalls makes one call after the other and reports its median beside the mean.
func gateCalls(b *testing.B, call wire.Call, change func(*bridge.Options)) {
	b.Helper()
	run := instantBridge(b, change).NewSession(engine.Principal{}).NewRun(bridge.RunOptions{})
	var took []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		reply := run.Call(b.Context(), call)
		took = append(took, time.Since(start))
		if reply.Err != nil {
			b.Fatal(reply.Err)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
}

func instantBridge(b *testing.B, change func(*bridge.Options)) *bridge.Bridge {
	b.Helper()
	opts := bridge.Options{Servers: []bridge.Server{{Name: "toy", Transport: instant{}}}, CallsPerRun: 1 << 30}
	if change != nil {
		change(&opts)
	}
	br, err := bridge.New(b.Context(), opts)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { br.Close() })
	return br
}

// largeResult is the result of a tool that returns 60 KiB of text.
var largeResult = func() json.RawMessage {
	text, _ := json.Marshal(strings.Repeat(`{"name":"some \"quoted\" text","n":12345},`+"\n", 60<<10/44))
	return fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, text)
}()

// instant connects to a server that answers without doing anything.
type instant struct{}

func (instant) Connect(context.Context) (mcp.Connection, error) {
	return &instantConn{answers: make(chan jsonrpc.Message, 64), closed: make(chan struct{})}, nil
}

type instantConn struct {
	answers chan jsonrpc.Message
	closed  chan struct{}
	once    sync.Once
}

func (c *instantConn) SessionID() string { return "" }

func (c *instantConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (c *instantConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.answers:
		return m, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *instantConn) Write(_ context.Context, m jsonrpc.Message) error {
	req, ok := m.(*jsonrpc.Request)
	if !ok || !req.ID.IsValid() {
		return nil
	}
	answer := &jsonrpc.Response{ID: req.ID}
	switch req.Method {
	case "initialize":
		answer.Result = json.RawMessage(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"toy","version":"1"}}`)
	case "tools/list":
		answer.Result = json.RawMessage(`{"tools":[
			{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}},
			{"name":"large","inputSchema":{"type":"object"}},
			{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}`)
	case "tools/call":
		if strings.Contains(string(req.Params), `"large"`) {
			answer.Result = largeResult
			break
		}
		answer.Result = json.RawMessage(`{"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3}}`)
	default:
		answer.Error = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
	}
	c.answers <- answer
	return nil
}
