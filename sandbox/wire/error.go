package wire

import (
	"errors"
	"fmt"
	"strings"
)

// ErrViolation is wrapped by every error that means the runner broke the
// protocol. The text after it says how, for the operator.
var ErrViolation = errors.New("protocol violation")

// violation says how the protocol was broken.
func violation(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrViolation, fmt.Sprintf(format, args...))
}

// Problem is what Decode has against a piece of JSON.
type Problem string

// The problems Decode reports.
const (
	ProblemSyntax    Problem = "not JSON"
	ProblemTruncated Problem = "ends too early"
	ProblemTrailing  Problem = "more than one value"
	ProblemUTF8      Problem = "not UTF-8"
	ProblemSurrogate Problem = "lone surrogate"
	ProblemControl   Problem = "unescaped control character"
	ProblemDuplicate Problem = "duplicate key"
	ProblemNumber    Problem = "number out of bounds"
	ProblemSize      Problem = "too many bytes"
	ProblemDepth     Problem = "too deep"
	ProblemValues    Problem = "too many values"
)

// DecodeError says what is wrong with a piece of JSON and where. It never
// holds a value, only keys.
type DecodeError struct {
	Problem Problem
	Offset  int    // in bytes; -1 when encoding
	Path    string // JSON Pointer (RFC 6901) to the value, at most maxPath bytes; "" is the whole
}

// Error implements error.
func (e *DecodeError) Error() string {
	text := string(e.Problem)
	if e.Path != "" {
		text += fmt.Sprintf(" at %q", e.Path)
	}
	if e.Offset >= 0 {
		text += fmt.Sprintf(" (byte %d)", e.Offset)
	}
	return text
}

const (
	maxPath    = 256 // bytes of a DecodeError's Path
	maxPathKey = 64  // bytes of one key in it
)

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// within prepends the key to the error's path while the decoder unwinds, so
// that paths cost nothing until something is wrong.
func within(err error, key string) error {
	var e *DecodeError
	if !errors.As(err, &e) || len(e.Path) >= maxPath {
		return err
	}
	key = cut(key, maxPathKey)
	e.Path = cut("/"+pointerEscaper.Replace(key)+e.Path, maxPath)
	return e
}

// cut shortens s to at most n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
