package upstream

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ok is the result of a single text block.
func ok(text string) string { return `[{"type":"text","text":"` + text + `"}]` }

func TestResultsComeExactlyAsTheyWereSent(t *testing.T) {
	u := startTest(t, Options{Command: &Command{Path: hostile}})
	for tool, want := range map[string]struct {
		content, structured string
		isError             bool
	}{
		"exact": {
			content:    `[{"type":"video","data":"eHg=","n":1.0},{"text":"ok","type":"text"}]`,
			structured: `{"z":123456789012345678901234567890,"a":1.0,"e":1e400,"m":{"y":0.10,"x":[]}}`,
		},
		"is_error":      {content: ok("it broke"), isError: true},
		"is_error_text": {content: ok("it broke"), isError: true},
		"no_content":    {content: `[]`, structured: `{"a":1}`},
		"null_content":  {content: `[]`},
		"empty":         {content: `[]`},
		"tool_result":   {content: `[]`, structured: `{"old":[1,2]}`},
		"tool_text":     {content: ok("old text")},
		"array":         {content: `[]`, structured: `[1,{"b":2,"a":1}]`},
		"scalar":        {content: `[]`, structured: `123456789012345678901234567890`},
		"caseful":       {content: ok("good")},
		"escaped_key":   {content: ok("a")},
		"complete":      {content: ok("done")},
		"depth_128":     {content: `[]`, structured: strings.Repeat("[", 127) + strings.Repeat("]", 127)},
		"not_utf8":      {content: ok("caf\uFFFD")},
		"half_pairs":    {content: ok(`a\ufffd b\ufffd \ud83d\ude00 \\ud83d \ufffd\ud83d\ude00\ufffd`)},
		"string_id":     {content: ok("ok")},
		"float_id":      {content: ok("ok")},
		"id_last":       {content: ok("ok")},
		"duplicate":     {content: ok("first")},
		"unknown_ids":   {content: `[]`},
		"null_error":    {content: ok("ok")},
		"batch":         {content: ok("ok")},
		"spaces":        {content: `[ ]`},
		"nested_batch":  {content: `[]`},
	} {
		t.Run(tool, func(t *testing.T) {
			r, err := u.Call(testContext(t), tool, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.content, string(r.Content)); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want.structured, string(r.Structured)); diff != "" {
				t.Errorf("structured content (-want +got):\n%s", diff)
			}
			if r.IsError != want.isError {
				t.Errorf("isError = %v", r.IsError)
			}
		})
	}
}

func TestAnUnusableAnswerFailsItsOwnCallAndSaysWhy(t *testing.T) {
	u := startTest(t, Options{Command: &Command{Path: hostile}})
	for tool, want := range map[string]string{
		"content_obj":  "reading the result: its content is not an array of objects",
		"content_strs": "reading the result: its content is not an array of objects",
		"not_object":   "reading the result: invalid JSON",
		"null_result":  "neither a result nor an error",
		"neither":      "neither a result nor an error",
		"twice":        "reading the result: a member occurs twice",
		"asks_input":   "the server asks for input, which is not supported",
		"other_type":   `a result of the unknown type "\"task\""`,
		"depth_129":    "reading the result: nested more than 128 levels",
		"very_deep":    "nested more than 128 levels",
		"invalid":      "invalid JSON",
		"cut_off":      "invalid JSON",
		"nan":          "invalid JSON",
	} {
		t.Run(tool, func(t *testing.T) {
			_, err := u.Call(testContext(t), tool, nil)
			if !errors.Is(err, ErrBadAnswer) {
				t.Fatalf("error %v, want one that is %v", err, ErrBadAnswer)
			}
			if diff := cmp.Diff(`calling "test/`+tool+`": unusable answer: `+want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := u.Call(testContext(t), "empty", nil); err != nil {
		t.Errorf("the session did not survive: %v", err)
	}
}

func TestAnErrorOfTheServerIsOneBoundedLine(t *testing.T) {
	u := startTest(t, Options{Command: &Command{Path: hostile}})
	for tool, want := range map[string]RPCError{
		"error":        {Code: -32050, Message: "boom [2J  line two"},
		"long_error":   {Code: -1, Message: strings.Repeat("é", 499) + "…"},
		"error_string": {Message: `"just a string"`},
		"error_odd":    {Message: `["a"]`},
	} {
		t.Run(tool, func(t *testing.T) {
			_, err := u.Call(testContext(t), tool, nil)
			var got *RPCError
			if !errors.As(err, &got) {
				t.Fatalf("error %v is no RPCError", err)
			}
			if got.Code != want.Code || got.Message != want.Message {
				t.Errorf("got %d %q, want %d %q", got.Code, got.Message, want.Code, want.Message)
			}
		})
	}
}

func TestAnAnswerOverTheLimitIsTooLargeAndTheSessionGoesOn(t *testing.T) {
	for most, sizes := range map[int][]int{
		0:        {16<<20 - 100, 16 << 20, 20 << 20, 40 << 20},
		1000:     {900, 1000, 1 << 20},
		24 << 20: {20 << 20, 24 << 20},
	} {
		u := startTest(t, Options{Command: &Command{Path: hostile}, MaxAnswer: most})
		for _, tool := range []string{"big", "big_last"} {
			for i, size := range sizes {
				r, err := u.Call(testContext(t), tool, fmt.Appendf(nil, `{"bytes":%d}`, size))
				var large *SizeError
				switch {
				case i == 0 && (err != nil || len(r.Content) < size):
					t.Errorf("%s of %d bytes, at most %d: got %d, %v", tool, size, most, len(r.Content), err)
				case i > 0 && (!errors.Is(err, ErrTooLarge) || !errors.As(err, &large) || large.Bytes < int64(size) || large.Bytes > int64(size)+200):
					t.Errorf("%s of %d bytes, at most %d: error %v", tool, size, most, err)
				}
			}
		}
	}
}

func TestArgumentsGoOutByteForByte(t *testing.T) {
	u := startTest(t, Options{Command: &Command{Path: hostile}})
	for args, want := range map[string]string{
		`{"z":123456789012345678901234567890,"a":1.0, "b" : [1e400,"\u00e9é<>&"]}`: `{"z":123456789012345678901234567890,"a":1.0, "b" : [1e400,"\u00e9é<>&"]}`,
		"{\n\t\"a\": 1\r\n}": `{"a":1}`,
		``:                   `{}`,
	} {
		raw := []byte(args)
		if args == "" {
			raw = nil
		}
		r, err := u.Call(testContext(t), "raw", raw)
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		if got := textOf(t, r); got != want {
			t.Errorf("sent %s, arrived %s", want, got)
		}
	}
	for _, args := range []string{`[]`, `1`, "{}\n{\"jsonrpc\":\"2.0\",\"method\":\"forged\"}", "{}\r{}", "{\"a\":\"\n\"}", ``} {
		if _, err := u.Call(testContext(t), "raw", []byte(args)); err == nil || !strings.Contains(err.Error(), "not a JSON object") {
			t.Errorf("%q: error %v", args, err)
		}
	}
}

// textOf returns the text of a result's only block.
func textOf(t testing.TB, r Result) string {
	t.Helper()
	var s string
	err := elements(r.Content, func(val []byte) error {
		v, err := fields(val, "text")
		s, _ = text(v[0])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
