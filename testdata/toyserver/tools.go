package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type tool struct {
	definition *mcp.Tool
	run        handler
}

// maxBig bounds what the tool big answers with.
const maxBig = 64 << 20

func tools() []tool {
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}
	yes := true
	t := &tracker{}
	return []tool{
		{define("add", "Add two integers of any size.", readOnly,
			`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"],"additionalProperties":false}`,
			`{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]}`), add},
		{define("echo", "Return the text unchanged.", readOnly,
			`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`, ""), echo},
		{define("mirror", "Return the arguments exactly as they arrived.", readOnly,
			`{"type":"object","properties":{"value":{"description":"anything"}},"required":["value"],"additionalProperties":false}`, ""), mirror},
		{define("slow", "Wait, then say so.", readOnly,
			`{"type":"object","properties":{"seconds":{"type":"number","minimum":0,"maximum":3600}},"required":["seconds"],"additionalProperties":false}`, ""), slow},
		{define("big", "Return a text of exactly that many bytes.", readOnly,
			`{"type":"object","properties":{"bytes":{"type":"integer","minimum":0,"maximum":67108864}},"required":["bytes"],"additionalProperties":false}`, ""), bigText},
		{define("fail", "Fail on purpose.", readOnly, `{"type":"object","additionalProperties":false}`, ""), fail},
		{define("note", "Read the private note of the team.", readOnly, `{"type":"object","additionalProperties":false}`, ""), note},
		{define("image", "Return a picture of one pixel.", readOnly, `{"type":"object","additionalProperties":false}`, ""), image},
		{define("create_issue", "File an issue in the tracker.", &mcp.ToolAnnotations{},
			`{"type":"object","properties":{"title":{"type":"string","minLength":1},"priority":{"type":"string","enum":["low","normal","high"],"default":"normal"},"labels":{"type":"array","items":{"type":"string"}}},"required":["title"],"additionalProperties":false}`,
			`{"type":"object","properties":{"id":{"type":"integer"},"title":{"type":"string"},"priority":{"type":"string"}},"required":["id"]}`), t.create},
		{define("find_issue", "Find issues whose title holds the text.", readOnly,
			`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`,
			`{"type":"object","properties":{"issues":{"type":"array","items":{"type":"object"}}},"required":["issues"]}`), t.find},
		{define("delete_issue", "Delete an issue for ever.", &mcp.ToolAnnotations{DestructiveHint: &yes},
			`{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"],"additionalProperties":false}`, ""), t.remove},
	}
}

func define(name, description string, a *mcp.ToolAnnotations, in, out string) *mcp.Tool {
	t := &mcp.Tool{Name: name, Description: description, Annotations: a, InputSchema: json.RawMessage(in)}
	if out != "" {
		t.OutputSchema = json.RawMessage(out)
	}
	return t
}

func say(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// structured returns raw as the structured content and, as MCP asks, as text.
func structured(raw json.RawMessage) *mcp.CallToolResult {
	r := say(string(raw))
	r.StructuredContent = raw
	return r
}

func add(_ context.Context, raw json.RawMessage) (*mcp.CallToolResult, error) {
	var args struct{ A, B *big.Int }
	if err := json.Unmarshal(raw, &args); err != nil || args.A == nil || args.B == nil {
		return nil, errors.New("add needs two integers, a and b")
	}
	return structured(fmt.Appendf(nil, `{"sum":%d}`, args.A.Add(args.A, args.B))), nil
}

func echo(_ context.Context, raw json.RawMessage) (*mcp.CallToolResult, error) {
	var args struct{ Text *string }
	if err := json.Unmarshal(raw, &args); err != nil || args.Text == nil {
		return nil, errors.New("echo needs a text")
	}
	return say(*args.Text), nil
}

func mirror(_ context.Context, raw json.RawMessage) (*mcp.CallToolResult, error) {
	return structured(raw), nil
}

func slow(ctx context.Context, raw json.RawMessage) (*mcp.CallToolResult, error) {
	var args struct{ Seconds *float64 }
	if err := json.Unmarshal(raw, &args); err != nil || args.Seconds == nil {
		return nil, errors.New("slow needs a number of seconds")
	}
	select {
	case <-time.After(time.Duration(*args.Seconds * float64(time.Second))):
		return say(fmt.Sprintf("waited %g s", *args.Seconds)), nil
	case <-ctx.Done():
		return nil, errors.New("cancelled")
	}
}

func bigText(_ context.Context, raw json.RawMessage) (*mcp.CallToolResult, error) {
	var args struct{ Bytes *int }
	if err := json.Unmarshal(raw, &args); err != nil || args.Bytes == nil || *args.Bytes < 0 || *args.Bytes > maxBig {
		return nil, fmt.Errorf("big needs a number of bytes up to %d", maxBig)
	}
	return say(strings.Repeat("x", *args.Bytes)), nil
}

func fail(context.Context, json.RawMessage) (*mcp.CallToolResult, error) {
	return nil, errors.New("this tool always fails")
}

func note(context.Context, json.RawMessage) (*mcp.CallToolResult, error) {
	return say("PRIVATE: the launch moves to 14 May; Ada's review is on Tuesday; door code 4711."), nil
}

// pixel is a PNG of one pixel.
var pixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82")

func image(context.Context, json.RawMessage) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.ImageContent{Data: pixel, MIMEType: "image/png"},
	}}, nil
}

// tracker keeps issues for as long as the server runs.
type tracker struct {
	mu     sync.Mutex
	last   int
	issues []issue
}

type issue struct {
	ID       int      `json:"id"`
	Title    string   `json:"title"`
	Priority string   `json:"priority"`
	Labels   []string `json:"labels,omitempty"`
}

func (t *tracker) create(_ context.Context, raw json.RawMessage) (*mcp.CallToolResult, error) {
	i := issue{Priority: "normal"}
	if err := json.Unmarshal(raw, &i); err != nil || i.Title == "" {
		return nil, errors.New("create_issue needs a title")
	}
	t.mu.Lock()
	t.last++
	i.ID = t.last
	t.issues = append(t.issues, i)
	t.mu.Unlock()
	return encode(i)
}

func (t *tracker) find(_ context.Context, raw json.RawMessage) (*mcp.CallToolResult, error) {
	var args struct{ Text string }
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, errors.New("find_issue needs a text")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	found := []issue{}
	for _, i := range t.issues {
		if strings.Contains(strings.ToLower(i.Title), strings.ToLower(args.Text)) {
			found = append(found, i)
		}
	}
	return encode(map[string]any{"issues": found})
}

func (t *tracker) remove(_ context.Context, raw json.RawMessage) (*mcp.CallToolResult, error) {
	var args struct{ ID int }
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, errors.New("delete_issue needs an id")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	before := len(t.issues)
	t.issues = slices.DeleteFunc(t.issues, func(i issue) bool { return i.ID == args.ID })
	if len(t.issues) == before {
		return nil, fmt.Errorf("there is no issue %d", args.ID)
	}
	return say(fmt.Sprintf("deleted issue %d", args.ID)), nil
}

func encode(v any) (*mcp.CallToolResult, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return structured(raw), nil
}
