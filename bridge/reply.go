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

	"github.com/docker/go-units"

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
	CodeResultTooLarge      = "result_too_large"     // the result is over its limit
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
	return wire.Reply{Err: &wire.CallError{Tool: toolID, Code: codes[0], Codes: codes, Message: cut.Characters(denials[0].Message, MaxRefusal)}}
}

// errorReply answers with an error.
func errorReply(toolID, message, code string) wire.Reply {
	return wire.Reply{Err: &wire.CallError{Tool: toolID, Code: code, Codes: []string{code}, Message: cut.Characters(message, MaxMessage)}}
}

// failure answers a call that was forwarded and got no result. The detail is for the
// operator; the code gets only what it can act on.
func (r *Run) failure(ctx context.Context, c *sentCall, err error) wire.Reply {
	var rpc *upstream.RPCError
	var large *upstream.SizeError
	id := c.tool.facts.ID
	switch {
	case errors.As(err, &rpc):
		return errorReply(id, stub.Foreign(rpc.Message), CodeToolError)
	case errors.As(err, &large):
		return tooLarge(id, large.Bytes, c.tool.limits.Result, "")
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return errorReply(id, fmt.Sprintf("no answer within %v (--call-timeout)", c.tool.limits.Timeout), CodeTimeout)
	case errors.Is(err, upstream.ErrBadAnswer):
		r.session.bridge.log.Warn("unusable answer", "tool", id, "error", c.hidden.text(err.Error()))
		return errorReply(id, fmt.Sprintf("the server %q gave an answer that can not be used", c.tool.facts.Server), CodeUpstreamUnavailable)
	case errors.Is(ctx.Err(), context.Canceled):
		return errorReply(id, "the run has ended", CodeUpstreamUnavailable)
	case errors.Is(err, upstream.ErrUnavailable):
		r.session.bridge.log.Warn("upstream unavailable", "tool", id, "error", c.hidden.text(err.Error()))
		return errorReply(id, fmt.Sprintf("the server %q is not available", c.tool.facts.Server), CodeUpstreamUnavailable)
	}
	return r.fault(c, "calling upstream", err)
}

// fault answers with an error of ours: the code is told its type, and nothing
// that could hold a path or an address.
func (r *Run) fault(c *sentCall, doing string, err error) wire.Reply {
	r.session.bridge.log.Error(doing, "tool", c.tool.facts.ID, "error", c.hidden.text(err.Error()))
	return errorReply(c.tool.facts.ID, fmt.Sprintf("internal error: %T", err), CodeUpstreamUnavailable)
}

// tooLarge answers a call whose result has more bytes than most. As much of its text as
// may be passed on goes with the error.
func tooLarge(toolID string, bytes int64, most int, text string) wire.Reply {
	then := "ask for less"
	if text != "" {
		then += "; its text up to there is in .partial of this error"
	}
	r := errorReply(toolID, fmt.Sprintf("the result is %d bytes and the limit is %s (--max-result): %s", bytes, size(most), then), CodeResultTooLarge)
	r.Err.Partial = cut.Head(text, most)
	return r
}

// size writes a number of bytes the way people set limits.
func size(n int) string {
	return units.CustomSize("%.4g %s", float64(n), 1024, []string{"bytes", "KiB", "MiB"})
}

// maxErrorText is how much of the text of a tool's error is read, in bytes: the most
// that MaxMessage characters can take, and a little more.
const maxErrorText = (MaxMessage + 1) * utf8.UTFMax

// bounded turns a result into what the code gets, or refuses it for its size.
// The limit holds for the text and for the content blocks, each by itself,
// because a server that answers with structured content repeats it as text.
func bounded(toolID string, result upstream.Result, most int) wire.Reply {
	blocks := result.Content
	content := parseContent(blocks)
	if len(blocks) > most && (content.bytes > most || !content.onlyText) {
		blocks = compact(blocks) // white space does not count and is not passed on
		content = parseContent(blocks)
	}
	if result.IsError {
		return errorReply(toolID, errorText(content.text, result.Structured), CodeToolError)
	}
	reply := wire.Reply{Text: content.text}
	reply.Structured = result.Structured != nil && sameJSON(result.Structured, content.text)
	if result.Structured != nil && !reply.Structured {
		reply.Data = compact(result.Structured)
	}
	if bytes := max(len(reply.Data), content.bytes); bytes > most {
		return tooLarge(toolID, int64(bytes), most, cmp.Or(content.text, string(reply.Data)))
	}
	if !content.onlyText {
		reply.Content = blocks
	}
	return reply
}

// errorText is what a tool says of its failure, in whatever part of the result it says it.
func errorText(text string, structured json.RawMessage) string {
	for _, t := range []string{text, errorMember(structured), string(compact(structured))} {
		if t := stub.Foreign(cut.Head(t, maxErrorText)); strings.TrimSpace(t) != "" {
			return t
		}
	}
	return "the tool reported an error without a text"
}

// errorMember is the text of a member "message" or "error", or of such a member of "error".
func errorMember(structured json.RawMessage) string {
	root, err := strictjson.Parse(structured, looseBounds(structured))
	if err != nil {
		return ""
	}
	for _, n := range []*strictjson.Node{root.Get("message"), root.Get("error"), root.Get("error").Get("message"), root.Get("detail")} {
		if n.Is(strictjson.String) && n.Text != "" {
			return n.Text
		}
	}
	return ""
}

// sameJSON reports whether text is the JSON of raw, with other white space at most. Both
// are looked at once, and nothing is copied: most results with structured content repeat it
// as text, and then it is sent to the sandbox only once.
func sameJSON(raw json.RawMessage, text string) bool {
	i, j, inString := 0, 0, false
	var before byte // the last byte that was compared
	for {
		start := j
		if !inString {
			i, j = skipSpace(raw, i), skipSpace(text, j)
		}
		if i == len(raw) || j == len(text) {
			return i == len(raw) && j == len(text)
		}
		c := raw[i]
		if c != text[j] || j > start && !isMark(before) && !isMark(c) { // such as 1 2 for 12
			return false
		}
		before = c
		if i, j = i+1, j+1; !inString {
			inString = c == '"'
			continue
		}
		switch {
		case c == '"':
			inString = false
		case c == '\\' && i < len(raw) && j < len(text): // raw is valid, so an escaped character follows
			if raw[i] != text[j] {
				return false
			}
			i, j = i+1, j+1
		}
	}
}

// isMark reports whether c, outside of strings, is no part of a number or a literal.
func isMark(c byte) bool { return c == 0 || strings.IndexByte(`{}[]:,"`, c) >= 0 }

func skipSpace[T ~string | ~[]byte](s T, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
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
	text     string // the text blocks and embedded texts, joined by newlines
	bytes    int    // payload: text and data as they stand, other blocks as JSON
	onlyText bool   // there is one block, of text, with nothing else in it
}

// parseContent reads content blocks with case-sensitive keys. The blocks
// themselves are passed on as the upstream sent them.
func parseContent(raw json.RawMessage) content {
	c, blocks := content{onlyText: true}, 0
	var texts []string
	err := strictjson.Read(raw, looseBounds(raw), func(r *strictjson.Reader) error {
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
		c.bytes += blockCost * blocks // one block of as many bytes as a result may have is allowed
	}
	c.text = strings.Join(texts, "\n")
	return c
}

// looseBounds are those of JSON that package upstream has bounded and checked.
func looseBounds(raw json.RawMessage) strictjson.Bounds {
	return strictjson.Bounds{Bytes: max(len(raw), 1), Depth: strictjson.MaxDepth, Values: max(len(raw), 1), Repeats: true}
}

// parseBlock returns the text of a text block or an embedded resource, and the number of
// bytes that the block counts for: of a block's text as it is, and of all other members,
// repeated ones too, as JSON.
func parseBlock(r *strictjson.Reader) (text string, isText bool, size int, err error) {
	var kind, literal, resource []byte // as JSON; the last one of each counts
	err = r.Object(func(key string) error {
		val, err := r.Raw()
		switch size += len(key) + len(val); key {
		case "type":
			kind = val
		case "text":
			literal = val
		case "resource":
			resource = val
		}
		return err
	})
	switch what, _ := strictjson.Unquote(kind); {
	case err != nil:
	case what == "text":
		if text, isText = strictjson.Unquote(literal); isText {
			size += len(text) - len("type") - len(kind) - len("text") - len(literal)
		}
	case what == "resource" && resource != nil:
		text, isText = embeddedText(resource)
	}
	return text, isText, size, err
}

// embeddedText is the text of an embedded resource that has one.
func embeddedText(resource json.RawMessage) (text string, ok bool) {
	var literal []byte
	err := strictjson.Read(resource, looseBounds(resource), func(r *strictjson.Reader) error {
		if r.Kind() != strictjson.Object {
			_, err := r.Raw()
			return err
		}
		return r.Object(func(key string) error {
			val, err := r.Raw()
			if key == "text" {
				literal = val
			}
			return err
		})
	})
	if err != nil {
		return "", false
	}
	return strictjson.Unquote(literal)
}
