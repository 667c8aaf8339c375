package hint_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
)

func TestAHintIsFoundBelowOtherErrorsAndChangesNothingElse(t *testing.T) {
	err := fmt.Errorf("reading: %w", hint.Error(io.ErrUnexpectedEOF, "send all of it"))
	if got := hint.Of(err); got != "send all of it" {
		t.Errorf("got %q", got)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) || err.Error() != "reading: unexpected EOF" {
		t.Errorf("got %v", err)
	}
	if got := hint.Of(hint.Error(err, "ask again")); got != "ask again" {
		t.Errorf("of two hints, got %q", got)
	}
}

func TestMostErrorsHaveNoHint(t *testing.T) {
	for _, err := range []error{nil, io.EOF, errors.Join(io.EOF, io.ErrNoProgress)} {
		if got := hint.Of(err); got != "" {
			t.Errorf("%v: got %q", err, got)
		}
	}
}
