package strictjson

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Append appends the JSON text of v, a value as Decode returns it, to dst.
// Equal values give equal bytes: keys are sorted, numbers keep their text,
// strings escape only what they must, and there is no white space. Decoding
// the text again gives v. A value that Decode cannot return (another type, a
// string that is not UTF-8, a json.Number that is not a number, more than
// DefaultDepth levels) is an error that names the place; dst is then returned
// as it was.
func Append(dst []byte, v any) ([]byte, error) {
	out, err := appendValue(dst, v, 0)
	if err != nil {
		return dst, fmt.Errorf("encoding JSON: %w", err)
	}
	return out, nil
}

func unencodable(p Problem) error { return &Error{Problem: p, Offset: -1} }

func appendValue(dst []byte, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		if v {
			return append(dst, "true"...), nil
		}
		return append(dst, "false"...), nil
	case string:
		return appendText(dst, v)
	case json.Number:
		return appendNumber(dst, v)
	case []any:
		return appendArray(dst, v, depth+1)
	case map[string]any:
		return appendObject(dst, v, depth+1)
	}
	return nil, fmt.Errorf("a %T is not a JSON value", v)
}

func appendNumber(dst []byte, v json.Number) ([]byte, error) {
	if !Exact(v) || !isNumber(string(v)) {
		return nil, unencodable(ProblemNumber)
	}
	return append(dst, v...), nil
}

// isNumber reports whether s is -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func isNumber(s string) bool {
	whole, s := digits(strings.TrimPrefix(s, "-"))
	if whole == "" || whole[0] == '0' && len(whole) > 1 {
		return false
	}
	if rest, is := strings.CutPrefix(s, "."); is {
		if whole, s = digits(rest); whole == "" {
			return false
		}
	}
	if s == "" {
		return true
	}
	if s[0]|0x20 != 'e' {
		return false
	}
	if s = s[1:]; s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	exponent, s := digits(s)
	return exponent != "" && s == ""
}

// digits splits s after the digits that it starts with.
func digits(s string) (digits, rest string) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n], s[n:]
}

func appendArray(dst []byte, list []any, depth int) ([]byte, error) {
	if depth > DefaultDepth {
		return nil, unencodable(ProblemDepth)
	}
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendValue(dst, v, depth); err != nil {
			return nil, within(err, strconv.Itoa(i))
		}
	}
	return append(dst, ']'), nil
}

func appendObject(dst []byte, object map[string]any, depth int) ([]byte, error) {
	if depth > DefaultDepth {
		return nil, unencodable(ProblemDepth)
	}
	var room [16]string // most objects' keys fit here, off the heap
	keys := room[:0]
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendText(dst, key); err != nil {
			return nil, err
		}
		if dst, err = appendValue(append(dst, ':'), object[key], depth); err != nil {
			return nil, within(err, key)
		}
	}
	return append(dst, '}'), nil
}

// AppendString appends s as a JSON string, with U+FFFD for what is not UTF-8.
// Only what must be is escaped.
func AppendString[T ~string | ~[]byte](dst []byte, s T) []byte {
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil { // which it is for what is not UTF-8
		out, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(string(s), "\uFFFD"))
	}
	return out
}

// appendText appends s as a JSON string if it is UTF-8.
func appendText(dst []byte, s string) ([]byte, error) {
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		return nil, unencodable(ProblemUTF8)
	}
	return out, nil
}
