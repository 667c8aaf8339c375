package bridge

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// Result is what a tool answered, as code in a sandbox would get it.
type Result struct {
	// Text is the text blocks and the texts of embedded resources, joined by newlines.
	Text string
	// Structured is the structured content, a JSON value; nil if there is none.
	Structured json.RawMessage
	// Content is the content blocks as the upstream sent them, a JSON array.
	Content json.RawMessage
}

// ToolError is a call that was refused or that failed.
type ToolError struct {
	Tool    string   // tool id
	Code    string   // the first of Codes
	Codes   []string // stable codes, see the policy pack and the Code constants
	Message string   // at most MaxMessage characters, or MaxRefusal of a refusal
	Partial string   // the text of a result that is too large, up to the limit
}

func (e *ToolError) Error() string {
	return fmt.Sprintf("calling %q: %s: %s", e.Tool, e.Code, e.Message)
}

// Call sends one call through the gate, outside any sandbox, as a run of its
// own in this session. args is a JSON object; nil means an empty one. A refusal
// or a failed call is a *ToolError. Any other error means that args is not strict
// JSON: it has a key twice, holds text that is not UTF-8, or is too large or too deep.
func (s *Session) Call(ctx context.Context, toolID string, args json.RawMessage) (Result, error) {
	if args == nil {
		args = json.RawMessage("{}")
	}
	value, err := strictjson.Decode(args, strictjson.Bounds{})
	if err != nil {
		return Result{}, fmt.Errorf("decoding arguments of %q: %w", toolID, err)
	}
	reply := s.NewRun(RunOptions{}).Call(ctx, wire.Call{ID: 1, Tool: toolID, Args: value})
	if e := reply.Err; e != nil {
		return Result{}, &ToolError{Tool: e.Tool, Code: e.Code, Codes: e.Codes, Message: e.Message, Partial: e.Partial}
	}
	content := reply.Content
	if content == nil {
		block := []map[string]string{{"type": "text", "text": reply.Text}}
		if content, err = json.Marshal(block); err != nil {
			return Result{}, fmt.Errorf("encoding the content of %q: %w", toolID, err)
		}
	}
	result := Result{Text: reply.Text, Structured: reply.Data, Content: content}
	if reply.Structured {
		result.Structured = json.RawMessage(reply.Text)
	}
	return result, nil
}
