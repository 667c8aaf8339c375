package strictjson

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

// Problem is what this package has against a piece of JSON.
type Problem string

// The problems.
const (
	ProblemSyntax    Problem = "not JSON"
	ProblemTruncated Problem = "ends too early"
	ProblemTrailing  Problem = "more than one value"
	ProblemUTF8      Problem = "not UTF-8"
	ProblemDuplicate Problem = "duplicate key"
	ProblemKind      Problem = "another kind of value"
	ProblemNumber    Problem = "number out of bounds"
	ProblemSize      Problem = "too many bytes"
	ProblemDepth     Problem = "too deep"
	ProblemValues    Problem = "too many values"
)

// Error says what is wrong with a piece of JSON and where. It never holds a
// value, only keys and the one character that is wrong.
type Error struct {
	Problem Problem
	Detail  string // of ProblemSyntax and ProblemKind: more about it
	Offset  int    // in bytes; -1 when encoding
	First   int    // of ProblemDuplicate, as Parse finds it: where the key stood first
	Path    string // JSON Pointer (RFC 6901) to the value, at most 256 bytes; "" is the whole
}

// maxPath bounds an Error's Path, in bytes.
const maxPath = 256

// Error implements error.
func (e *Error) Error() string {
	text := string(e.Problem)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Path != "" {
		text += fmt.Sprintf(" at %q", e.Path)
	}
	if e.Offset >= 0 {
		text += fmt.Sprintf(" (byte %d)", e.Offset)
	}
	return text
}

// fail is an Error about the value that was just read and starts at an offset.
func (r *Reader) fail(p Problem, at int) error {
	return &Error{Problem: p, Offset: at, Path: cut.Head(string(r.dec.StackPointer()), maxPath)}
}

// explain turns an error of the tokenizer into an Error.
func (r *Reader) explain(err error) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) { // io.EOF: nothing but white space
		return &Error{Problem: ProblemTruncated, Offset: len(r.data)}
	}
	e := &Error{Problem: ProblemSyntax, Offset: int(syntax.ByteOffset), Path: cut.Head(string(syntax.JSONPointer), maxPath)}
	switch c, size := utf8.DecodeRune(r.data[e.Offset:]); {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Problem = ProblemDuplicate
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Problem, e.Offset = ProblemTruncated, len(r.data)
	case strings.Count(string(syntax.JSONPointer), "/") >= MaxDepth:
		e.Problem = ProblemDepth
	case c == utf8.RuneError && size == 1:
		e.Problem = ProblemUTF8
	case c == '\\': // half of a surrogate pair, or nothing that JSON knows
		e.Detail = "an escape that is no character"
	default:
		e.Detail = syntax.Err.Error()
	}
	return e
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// within puts a key before the path of an encoding error while the encoder
// unwinds, so that paths cost nothing until something is wrong.
func within(err error, key string) error {
	var e *Error
	if errors.As(err, &e) && len(e.Path) < maxPath {
		e.Path = cut.Head("/"+pointerEscaper.Replace(cut.Head(key, maxPath))+e.Path, maxPath)
	}
	return err
}
