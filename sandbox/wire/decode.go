package wire

import (
	"strconv"
	"unicode/utf8"
)

// DecodeLimits bound what Decode accepts. The zero value of each field means
// its documented default.
type DecodeLimits struct {
	Bytes  int // of JSON text; default 1 MiB
	Depth  int // of arrays and objects within each other; default 64
	Values int // scalars, arrays and objects together, keys not counted; default 100,000
}

// Defaults of DecodeLimits, and the bounds on every number.
const (
	DefaultBytes  = 1 << 20
	DefaultDepth  = 64
	DefaultValues = 100_000

	MaxNumber   = 1000 // bytes of one number's text
	MaxExponent = 1000 // magnitude of its exponent: 1e1000000000 would cost others gigabytes
)

func (l DecodeLimits) withDefaults() DecodeLimits {
	if l.Bytes == 0 {
		l.Bytes = DefaultBytes
	}
	if l.Depth == 0 {
		l.Depth = DefaultDepth
	}
	if l.Values == 0 {
		l.Values = DefaultValues
	}
	return l
}

// Decode turns JSON text (RFC 8259) into nil, bool, string, json.Number, []any
// or map[string]any, in one pass. It is strict where encoding/json is lenient:
// a key that appears twice, text that is not UTF-8, an escape that is half a
// surrogate pair, and anything after the value are errors. Numbers keep their
// exact text. Every error is a *DecodeError, and the value is then nil.
// The value shares no memory with data.
func Decode(data []byte, lim DecodeLimits) (any, error) {
	d, err := newDecoder(data, lim.withDefaults())
	if err != nil {
		return nil, err
	}
	d.space()
	v, err := d.value(0)
	if err != nil {
		return nil, err
	}
	d.space()
	if d.pos != len(d.data) {
		return nil, d.problem(ProblemTrailing, d.pos)
	}
	return v, nil
}

// decoder reads one text from front to back. Nothing is read twice.
type decoder struct {
	data  []byte
	pos   int
	lim   DecodeLimits
	count int // values so far
	// slack is how many of the bytes read so far Append would not write: white
	// space, and escapes longer than needed. It makes the size of a value's
	// encoding known without encoding it.
	slack int
}

func newDecoder(data []byte, lim DecodeLimits) (*decoder, error) {
	d := &decoder{data: data, lim: lim}
	if len(data) > lim.Bytes {
		return nil, d.problem(ProblemSize, lim.Bytes)
	}
	if !utf8.Valid(data) {
		return nil, d.problem(ProblemUTF8, invalidAt(data))
	}
	return d, nil
}

func invalidAt(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(data)
}

func (d *decoder) problem(p Problem, at int) error {
	if at >= len(d.data) && p == ProblemSyntax {
		p = ProblemTruncated
	}
	return &DecodeError{Problem: p, Offset: at}
}

func (d *decoder) syntax() error { return d.problem(ProblemSyntax, d.pos) }

// space skips white space.
func (d *decoder) space() {
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
			d.slack++
		default:
			return
		}
	}
}

// peek is the next byte, or 0 at the end; 0 starts no token.
func (d *decoder) peek() byte {
	if d.pos < len(d.data) {
		return d.data[d.pos]
	}
	return 0
}

// value reads one value that lies within depth arrays and objects. Beside an
// error the value means nothing.
func (d *decoder) value(depth int) (any, error) {
	d.count++
	if d.count > d.lim.Values {
		return nil, d.problem(ProblemValues, d.pos)
	}
	switch c := d.peek(); {
	case c == '"':
		s, err := d.string()
		return s, err
	case c == '{':
		return d.object(depth + 1)
	case c == '[':
		return d.array(depth + 1)
	case c == 't':
		return true, d.literal("true")
	case c == 'f':
		return false, d.literal("false")
	case c == 'n':
		return nil, d.literal("null")
	case c == '-' || '0' <= c && c <= '9':
		n, err := d.number()
		return n, err
	}
	return nil, d.syntax()
}

func (d *decoder) literal(word string) error {
	for i := range len(word) {
		if d.pos+i >= len(d.data) || d.data[d.pos+i] != word[i] {
			return d.problem(ProblemSyntax, d.pos+i)
		}
	}
	d.pos += len(word)
	return nil
}

func (d *decoder) array(depth int) (any, error) {
	if depth > d.lim.Depth {
		return nil, d.problem(ProblemDepth, d.pos)
	}
	d.pos++
	d.space()
	list := []any{}
	if d.peek() == ']' {
		d.pos++
		return list, nil
	}
	for {
		v, err := d.value(depth)
		if err != nil {
			return nil, within(err, strconv.Itoa(len(list)))
		}
		list = append(list, v)
		more, err := d.next(']')
		if err != nil {
			return nil, err
		}
		if !more {
			return list, nil
		}
	}
}

func (d *decoder) object(depth int) (any, error) {
	if depth > d.lim.Depth {
		return nil, d.problem(ProblemDepth, d.pos)
	}
	d.pos++
	d.space()
	object := map[string]any{}
	if d.peek() == '}' {
		d.pos++
		return object, nil
	}
	for {
		at := d.pos
		key, err := d.key()
		if err != nil {
			return nil, err
		}
		v, err := d.value(depth)
		if err != nil {
			return nil, within(err, key)
		}
		n := len(object)
		object[key] = v
		if len(object) == n {
			return nil, within(d.problem(ProblemDuplicate, at), key)
		}
		more, err := d.next('}')
		if err != nil {
			return nil, err
		}
		if !more {
			return object, nil
		}
	}
}
