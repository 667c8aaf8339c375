package strictjson

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Decode turns JSON text into nil, bool, string, json.Number, []any or
// map[string]any, in one pass. Numbers keep their exact text. Every error is an
// *Error, and the value is then nil. The value shares no memory with data. Of a key
// that may occur twice the last value counts.
func Decode(data []byte, bounds Bounds) (v any, err error) {
	err = Read(data, bounds, func(r *Reader) error {
		v, err = r.Value()
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Value returns the next value as Decode does. Beside an error it means nothing.
func (r *Reader) Value() (any, error) {
	switch r.dec.PeekKind() {
	case jsontext.KindBeginObject:
		return r.object()
	case jsontext.KindBeginArray:
		return r.array()
	}
	raw, err := r.token()
	if err != nil {
		return nil, err
	}
	switch raw[0] {
	case '"':
		return r.unquote(raw), nil
	case 't':
		return true, nil
	case 'f':
		return false, nil
	case 'n':
		return nil, nil
	}
	if n := json.Number(raw); Exact(n) {
		return n, nil
	}
	return nil, r.fail(ProblemNumber, r.offset(raw))
}

func (r *Reader) object() (any, error) {
	if err := r.enter('{'); err != nil {
		return nil, err
	}
	object := map[string]any{}
	for r.dec.PeekKind() != jsontext.KindEndObject {
		key, err := r.key()
		if err != nil {
			return nil, err
		}
		if object[key], err = r.Value(); err != nil {
			return nil, err
		}
	}
	return object, r.leave()
}

func (r *Reader) array() (any, error) {
	if err := r.enter('['); err != nil {
		return nil, err
	}
	list := []any{}
	for r.dec.PeekKind() != jsontext.KindEndArray {
		v, err := r.Value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, r.leave()
}

// Exact reports whether a number, written as JSON has it, is small enough to
// calculate with exactly: at most MaxNumber bytes, and its exponent at most
// MaxExponent either way.
func Exact(n json.Number) bool {
	if len(n) > MaxNumber {
		return false
	}
	magnitude, exponent := 0, false
	for i := range len(n) {
		switch c := n[i]; {
		case c|0x20 == 'e':
			exponent = true
		case exponent && '0' <= c && c <= '9':
			if magnitude = magnitude*10 + int(c-'0'); magnitude > MaxExponent {
				return false
			}
		}
	}
	return true
}
