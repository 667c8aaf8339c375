package upstream

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// ErrUnavailable means that no answer will come: the server is gone, could not
	// be started again, or no longer offers the tool as it was listed.
	ErrUnavailable = errors.New("server unavailable")
	// ErrTooLarge means that the server answered with more than is accepted
	// (4 MiB for one call). The session goes on.
	ErrTooLarge = errors.New("answer too large")
	// ErrBadAnswer means that the server answered this call, but with something
	// that is not a tool result: invalid JSON, nested too deeply, a request for
	// input that is not supported. The session goes on.
	ErrBadAnswer = errors.New("unusable answer")
)

// RPCError is a JSON-RPC error that the server answered with. The text is the
// server's: untrusted, but one line without control or formatting characters and
// at most 500 of them. The error's data is dropped.
type RPCError struct {
	Code    int64
	Message string

	supported []string // protocol versions an answer to initialize names
}

func (e *RPCError) Error() string {
	return fmt.Sprintf("server error %d: %s", e.Code, e.Message)
}

// maxErrorText bounds an error message taken from a server, in characters.
const maxErrorText = 500

// plain makes untrusted text fit for one line of a terminal or a log: control,
// formatting (bidi included) and other invisible characters become spaces. A text of
// more than limit characters is cut and ends with an ellipsis.
func plain(s string, limit int) string {
	var b strings.Builder
	n, cut := 0, 0
	for _, r := range strings.TrimSpace(s) {
		if n++; n > limit {
			return b.String()[:cut] + "…"
		}
		if n == limit {
			cut = b.Len()
		}
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}
