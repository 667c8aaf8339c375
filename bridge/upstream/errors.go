package upstream

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

var (
	// ErrUnavailable means that no answer will come: the server is gone, could not
	// be started again, or no longer offers the tool as it was listed.
	ErrUnavailable = errors.New("server unavailable")
	// ErrTooLarge means that the server answered with more than is accepted
	// (Options.MaxAnswer for one call). The session goes on.
	ErrTooLarge = errors.New("answer too large")
	// ErrBadAnswer means that the server answered this call, but with something
	// that is not a tool result: invalid JSON, nested too deeply, a request for
	// input that is not supported. The session goes on.
	ErrBadAnswer = errors.New("unusable answer")
)

// OptionError says which option of Start has an impossible value. Nothing was started.
type OptionError struct {
	Option string // its name in Go, such as "Command.Path"
	Reason string // one line
}

func (e *OptionError) Error() string { return fmt.Sprintf("option %s: %s", e.Option, e.Reason) }

// SizeError is an answer that is too large. It wraps [ErrTooLarge].
type SizeError struct {
	Bytes int64 // of the answer; at least that many over HTTP, where the rest is not read
}

func (e *SizeError) Error() string { return fmt.Sprintf("%v: %d bytes", ErrTooLarge, e.Bytes) }
func (e *SizeError) Unwrap() error { return ErrTooLarge }

// RPCError is a JSON-RPC error that the server answered with. The text is the
// server's: untrusted, but one line without control or formatting characters and
// at most 500 of them. The error's data is dropped.
type RPCError struct {
	Code    int64  // of JSON-RPC
	Message string // the server's

	supported []string // protocol versions an answer to initialize names
}

func (e *RPCError) Error() string {
	return fmt.Sprintf("server error %d: %s", e.Code, e.Message)
}

// maxErrorText bounds an error message taken from a server, in characters.
const maxErrorText = 500

// oneLine makes untrusted text fit for one line of a terminal or a log, and no
// longer than so many characters: control, formatting (bidi included) and other invisible
// characters become spaces.
func oneLine(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, cut.Characters(strings.TrimSpace(s), most))
	return strings.TrimSpace(s)
}
