package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestATerminalIsNotSteeredByWhatIsPrinted(t *testing.T) {
	hostile := "a\x1b]0;title\x07\r\x9bb\x7f\tc\n\u009d"
	if diff := cmp.Diff(`a\x1b]0;title\x07\x0d`+"\uFFFD"+`b\x7f`+"\tc\n"+`\x9d`, visible(hostile)); diff != "" {
		t.Error(diff)
	}
	var out bytes.Buffer
	u := newUI(nil, &out, &out)
	if err := u.output(hostile); err != nil || out.String() != hostile {
		t.Errorf("a pipe gets %q, %v; want what was printed, untouched", out.String(), err)
	}
}

func TestLongWorkIsOneLineWithoutATerminal(t *testing.T) {
	var out bytes.Buffer
	u := newUI(nil, nil, &out)
	p := u.progress()
	p.step("unpacking Python")
	p.step("compiling the library")
	p.end()
	if got, want := out.String(), "mcp-code-mode: unpacking Python\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out.Reset()
	u.progress().end()
	if out.Len() > 0 {
		t.Errorf("no work says %q", out.String())
	}
}

func TestTheLiveLineGoesAway(t *testing.T) {
	var out bytes.Buffer
	u := newUI(nil, nil, &out)
	u.stderrTTY = true
	p := u.progress()
	p.step("unpacking Python")
	u.notef("in between")
	p.end()
	got := out.String()
	if !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("the line is still there: %q", got)
	}
	if !strings.Contains(got, "mcp-code-mode: in between\n") {
		t.Errorf("the message is lost: %q", got)
	}
}

func TestErrorsEndWithTheirExitCodeAndHint(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code int
		want string
	}{
		{nil, 0, ""},
		{errors.New("boom"), 1, "mcp-code-mode: boom\n"},
		{usagef("do this", "bad %s", "flag"), 2, "mcp-code-mode: bad flag\nhint: do this\n"},
		{fmt.Errorf("serving: %w", usagef("do this", "bad flag")), 2, "mcp-code-mode: serving: bad flag\nhint: do this\n"},
		{told(1), 1, ""},
	} {
		var out bytes.Buffer
		if code := newUI(nil, nil, &out).end(tt.err); code != tt.code || out.String() != tt.want {
			t.Errorf("end(%v) = %d, %q; want %d, %q", tt.err, code, out.String(), tt.code, tt.want)
		}
	}
}
