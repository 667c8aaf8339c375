package upstream

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

const (
	// DefaultAnswer bounds the result of one call, in bytes as it came, unless
	// Options.MaxAnswer does. It leaves every caller room for a limit of its own.
	DefaultAnswer = 16 << 20
	// maxDepth bounds how deeply a result or a tool's definition may nest.
	maxDepth = 128
)

// Result is what a tool answered: valid JSON, at most Options.MaxAnswer bytes, nested at most 128
// levels. It is exactly what the server sent, with unknown content types, the order of
// members and numbers of any size, except that bytes that are not UTF-8 and halves of
// surrogate pairs are replaced by U+FFFD.
type Result struct {
	// Content is a JSON array of objects, empty if the server sent none.
	Content json.RawMessage
	// Structured is the structured content, any JSON value but null; nil if there is none.
	Structured json.RawMessage
	// IsError says that the tool failed and that Content says why.
	IsError bool
}

var errContent = errors.New("its content is not an array of objects")

// readResult reads the result of a tools/call, which has at most that many bytes.
func readResult(raw json.RawMessage, most int) (Result, error) {
	if len(raw) > most {
		return Result{}, &SizeError{int64(len(raw))}
	}
	var v [8]json.RawMessage
	err := read(raw, maxDepth, func(r *strictjson.Reader) error {
		names := []string{"content", "structuredContent", "isError", "resultType", "toolResult"}
		return take(r, &v, names, func(name string) ([]byte, error) {
			if name == "content" && r.Kind() == strictjson.Array {
				return r.Span(func() error { return readBlocks(r) })
			}
			return r.Raw()
		})
	})
	if err == nil && v[0] != nil && v[0][0] != '[' {
		err = errContent
	}
	if err != nil {
		return Result{}, fmt.Errorf("%w: reading the result: %w", ErrBadAnswer, err)
	}
	if err := complete(v[3]); err != nil {
		return Result{}, err
	}
	r := Result{Content: v[0], Structured: v[1]}
	// Anything but false means an error: some servers send the string "true".
	r.IsError = v[2] != nil && string(v[2]) != "false"
	if v[0] == nil && v[1] == nil && v[4] != nil {
		r.Content, r.Structured = legacy(v[4])
	}
	if r.Content == nil {
		r.Content = json.RawMessage("[]")
	}
	return r, nil
}

// readBlocks checks content blocks, whatever their type.
func readBlocks(r *strictjson.Reader) error {
	return r.Array(func() error {
		if kind := r.Kind(); kind != strictjson.Object && kind != 0 {
			return errContent
		}
		return nil
	})
}

// complete refuses the results of MCP 2026-07-28 that are not final. We did not offer to
// ask the user for input, so a server that asks for it gets none.
func complete(resultType json.RawMessage) error {
	if resultType == nil {
		return nil
	}
	switch kind, _ := text(resultType); kind {
	case "complete":
		return nil
	case "input_required":
		return fmt.Errorf("%w: the server asks for input, which is not supported", ErrBadAnswer)
	default:
		return fmt.Errorf("%w: a result of the unknown type %q", ErrBadAnswer, oneLine(string(resultType), 40))
	}
}

// legacy reads the result of MCP 2024-10-07: one value of any kind.
func legacy(value json.RawMessage) (content, structured json.RawMessage) {
	if _, ok := text(value); ok {
		return fmt.Appendf(nil, `[{"type":"text","text":%s}]`, value), nil
	}
	return nil, value
}
