package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
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

func unencodable(p Problem) error { return &DecodeError{Problem: p, Offset: -1} }

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
		if !utf8.ValidString(v) {
			return nil, unencodable(ProblemUTF8)
		}
		return appendString(dst, v), nil
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
	n, ok := scanNumber([]byte(v))
	if !ok || n != len(v) || n > MaxNumber || !exponentInBounds([]byte(v)) {
		return nil, unencodable(ProblemNumber)
	}
	return append(dst, v...), nil
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
		if !utf8.ValidString(key) {
			return nil, unencodable(ProblemUTF8)
		}
		dst = append(appendString(dst, key), ':')
		var err error
		if dst, err = appendValue(dst, object[key], depth); err != nil {
			return nil, within(err, key)
		}
	}
	return append(dst, '}'), nil
}

const hexDigits = "0123456789abcdef"

// appendString appends s, which must be UTF-8, as a JSON string.
func appendString[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if plain[c] {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
		}
	}
	return append(append(dst, s[start:]...), '"')
}

// encodedLen is the number of bytes appendString writes for r.
func encodedLen(r rune) int {
	switch r {
	case '"', '\\', '\b', '\f', '\n', '\r', '\t':
		return 2
	}
	if r < 0x20 {
		return 6
	}
	return utf8.RuneLen(r)
}
