// Command toyserver is an MCP server over stdio for the demo, the tests and the
// benchmarks: a few tools that are quick, exact and easy to tell apart.
//
//	toyserver [-delay DURATION] [-log FILE]
//
// It answers calls in parallel. With -log it appends one JSON line per call, with the
// arguments exactly as they arrived, so that a test can see what reached it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatalf("toyserver: %v", err)
	}
}

func run() error {
	delay := flag.Duration("delay", 0, "wait this long before answering anything")
	logFile := flag.String("log", "", "append a line per call to this file")
	flag.Parse()
	// Calls leave much garbage and little else: collecting it at every few megabytes,
	// as the default would, takes half of the time.
	debug.SetGCPercent(400)
	go func() { // see beat in cmd/mcp-code-mode: here it was one of a million calls
		for range time.Tick(100 * time.Millisecond) {
		}
	}()
	time.Sleep(*delay)

	calls := &callLog{}
	if *logFile != "" {
		f, err := os.OpenFile(*logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("opening the call log: %w", err)
		}
		defer f.Close()
		calls.w = f
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "toyserver", Version: "1.0.0"}, nil)
	for _, t := range tools() {
		s.AddTool(t.definition, calls.wrap(t.definition.Name, t.run))
	}
	return s.Run(context.Background(), &mcp.StdioTransport{})
}

// callLog writes down what arrived. Without a writer it does nothing.
type callLog struct {
	mu sync.Mutex
	w  io.Writer
}

// handler runs a tool on its raw arguments. An error becomes a result with isError.
type handler func(ctx context.Context, args json.RawMessage) (*mcp.CallToolResult, error)

func (l *callLog) wrap(name string, run handler) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args := req.Params.Arguments
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		if l.w != nil {
			l.mu.Lock()
			fmt.Fprintf(l.w, "{\"tool\":%q,\"arguments\":%s}\n", name, args)
			l.mu.Unlock()
		}
		res, err := run(ctx, args)
		if err != nil {
			res = &mcp.CallToolResult{
				IsError: true,
				Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}},
			}
		}
		return res, nil
	}
}
