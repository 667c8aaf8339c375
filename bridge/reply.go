package bridge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/stub"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// Codes of failures that are not the policy's. They reach the code as
// ToolError.code, next to the codes of the policy pack.
const (
	CodeTimeout             = "timeout"              // the upstream did not answer in time
	CodeResultTooLarge      = "result_too_large"     // the result is over MaxResult
	CodeUpstreamUnavailable = "upstream_unavailable" // the upstream is gone or speaks no MCP
	CodeToolError           = "tool_error"           // the upstream itself reported an error
)

func refusal(toolID string, denials []engine.Denial) wire.Reply {
	var codes []string
	for _, d := range denials {
		if !slices.Contains(codes, d.Code) {
			codes = append(codes, d.Code)
		}
	}
	return errorReply(toolID, denials[0].Message, codes...)
}

// errorReply answers with an error. Its first code is the one that counts.
func errorReply(toolID, message string, codes ...string) wire.Reply {
	return wire.Reply{Err: &wire.CallError{Tool: toolID, Code: codes[0], Codes: codes, Message: cut.Characters(message, MaxMessage)}}
}

// failure answers a call that was forwarded and got no result. The detail is for the
// operator; the code gets only what it can act on.
func (r *Run) failure(ctx context.Context, t *tool, err error) wire.Reply {
	var rpc *upstream.RPCError
	id := t.facts.ID
	switch {
	case errors.As(err, &rpc):
		return errorReply(id, stub.Foreign(rpc.Message), CodeToolError)
	case errors.Is(err, upstream.ErrTooLarge):
		return errorReply(id, tooLarge, CodeResultTooLarge)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errorReply(id, fmt.Sprintf("no answer within %v", r.session.bridge.callTimeout), CodeTimeout)
	case errors.Is(err, upstream.ErrBadAnswer):
		r.session.bridge.log.Warn("unusable answer", "tool", id, "error", err)
		return errorReply(id, fmt.Sprintf("the server %q gave an answer that can not be used", t.facts.Server), CodeUpstreamUnavailable)
	case errors.Is(ctx.Err(), context.Canceled):
		return errorReply(id, "the run has ended", CodeUpstreamUnavailable)
	case errors.Is(err, upstream.ErrUnavailable):
		r.session.bridge.log.Warn("upstream unavailable", "tool", id, "error", err)
		return errorReply(id, fmt.Sprintf("the server %q is not available", t.facts.Server), CodeUpstreamUnavailable)
	}
	return r.fault(t, "calling upstream", err)
}

// fault answers with an error of ours: the code is told its type, and nothing
// that could hold a path or an address.
func (r *Run) fault(t *tool, doing string, err error) wire.Reply {
	r.session.bridge.log.Error(doing, "tool", t.facts.ID, "error", err)
	return errorReply(t.facts.ID, fmt.Sprintf("internal error: %T", err), CodeUpstreamUnavailable)
}

var tooLarge = fmt.Sprintf("the result is larger than %d KiB, so none of it is returned; ask for less", MaxResult>>10)

// maxErrorText is how much of the text of a tool's error is read, in bytes: the most
// that MaxMessage characters can take, and a little more.
const maxErrorText = (MaxMessage + 1) * utf8.UTFMax

// bounded turns a result into what the code gets, or refuses it for its size.
// The limit holds for the text and for the content blocks, each by itself,
// because a server that answers with structured content repeats it as text.
func bounded(toolID string, result upstream.Result) wire.Reply {
	blocks := result.Content
	content := parseContent(blocks)
	if len(blocks) > MaxResult && (content.bytes > MaxResult || !content.onlyText) {
		blocks = compact(blocks) // white space does not count and is not passed on
		content = parseContent(blocks)
	}
	if result.IsError {
		return errorReply(toolID, cmp.Or(stub.Foreign(cut.Head(content.text, maxErrorText)), "the tool reported an error without a text"), CodeToolError)
	}
	reply := wire.Reply{Text: content.text}
	if result.Structured != nil {
		reply.Text, reply.Structured = string(compact(result.Structured)), true
	}
	if len(reply.Text) > MaxResult || content.bytes > MaxResult {
		return errorReply(toolID, tooLarge, CodeResultTooLarge)
	}
	if !content.onlyText || reply.Structured {
		reply.Content = blocks
	}
	return reply
}

// compact takes the white space out of JSON that package upstream has checked.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return raw // its size still counts
	}
	return b.Bytes()
}

// blockCost is what one content block counts for besides its payload, in bytes:
// its braces and a comma.
const blockCost = 3

// content is what the gate needs to know of a result's content blocks.
type content struct {
	text     string // the text blocks, joined by newlines
	bytes    int    // payload: text and data as they stand, other blocks as JSON
	onlyText bool   // there is one block, of text, with nothing else in it
}

// parseContent reads content blocks with case-sensitive keys. The blocks
// themselves are passed on as the upstream sent them.
func parseContent(raw json.RawMessage) content {
	c, blocks := content{onlyText: true}, 0
	var texts []string
	bounds := strictjson.Bounds{Bytes: max(len(raw), 1), Depth: strictjson.MaxDepth, Values: max(len(raw), 1), Repeats: true}
	err := strictjson.Read(raw, bounds, func(r *strictjson.Reader) error {
		return r.Array(func() error {
			blocks++
			text, isText, size, err := parseBlock(r)
			if isText {
				texts = append(texts, text)
			}
			c.bytes += size
			c.onlyText = c.onlyText && isText && size == len(text)
			return err
		})
	})
	if err != nil {
		return content{bytes: len(raw)}
	}
	c.onlyText = c.onlyText && blocks == 1
	if blocks > 1 {
		c.bytes += blockCost * blocks // one block of MaxResult bytes is allowed
	}
	c.text = strings.Join(texts, "\n")
	return c
}

// parseBlock returns the text of a text block, and the number of bytes that the block
// counts for: of the text as it is, and of all other members, repeated ones too, as JSON.
func parseBlock(r *strictjson.Reader) (text string, isText bool, size int, err error) {
	var kind, literal []byte // as JSON; the last one of each counts
	err = r.Object(func(key string) error {
		val, err := r.Raw()
		switch size += len(key) + len(val); key {
		case "type":
			kind = val
		case "text":
			literal = val
		}
		return err
	})
	if what, _ := strictjson.Unquote(kind); err == nil && what == "text" {
		if text, isText = strictjson.Unquote(literal); isText {
			size += len(text) - len("type") - len(kind) - len("text") - len(literal)
		}
	}
	return text, isText, size, err
}
