package upstream

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// This file reads JSON without making values of it. A server's bytes are checked
// once, completely and without recursion, and then only cut into slices; so
// numbers, member order and unknown members survive exactly, keys match by case
// (encoding/json would take "Content" for "content"), and no nesting, however
// deep, costs more than a byte per level.

var (
	errSyntax    = errors.New("invalid JSON")
	errDuplicate = errors.New("a member occurs twice")
)

// fields checks the JSON object data, all of it, and returns the values of the
// named members (at most 8), nil for one that is absent or null. A named member
// that occurs twice is an error: two readers could disagree on which one counts.
// depth is how deeply the object nests, itself included.
func fields(data []byte, names ...string) (vals [8]json.RawMessage, depth int, err error) {
	s := scanner{data: data}
	return s.fields(names...)
}

func (s *scanner) fields(names ...string) (vals [8]json.RawMessage, depth int, err error) {
	var seen [8]bool
	depth, err = s.members(func(key, val []byte) error {
		for i, name := range names {
			if string(key) != name {
				continue
			}
			if seen[i] {
				return errDuplicate
			}
			seen[i] = true
			if string(val) != "null" {
				vals[i] = val
			}
		}
		return nil
	})
	return vals, depth, err
}

// isJSON reports whether data is one JSON value.
func isJSON(data []byte) bool {
	s := scanner{data: data}
	_, ok := s.slice()
	return ok && s.end() == nil
}

// members checks the JSON object data, all of it, and gives f each member with
// its key unescaped. It stops at the first error.
func members(data []byte, f func(key, val []byte) error) (depth int, err error) {
	s := scanner{data: data}
	return s.members(f)
}

func (s *scanner) members(f func(key, val []byte) error) (depth int, err error) {
	if !s.enter('{') {
		return 0, errSyntax
	}
	for more := !s.leave('}'); more; {
		from := s.pos
		if !s.key() {
			return s.depth + 1, errSyntax
		}
		key := unescape(s.data[from:s.keyEnd])
		val, ok := s.slice()
		if !ok {
			return s.depth + 1, errSyntax
		}
		if err := f(key, val); err != nil {
			return s.depth + 1, err
		}
		if more, ok = s.separator('}'); !ok {
			return s.depth + 1, errSyntax
		}
	}
	return s.depth + 1, s.end()
}

// elements checks the JSON array data, all of it, and gives f each element.
func elements(data []byte, f func(val []byte) error) error {
	s := scanner{data: data}
	return s.elements(f)
}

func (s *scanner) elements(f func(val []byte) error) error {
	if !s.enter('[') {
		return errSyntax
	}
	for more := !s.leave(']'); more; {
		val, ok := s.slice()
		if !ok {
			return errSyntax
		}
		if err := f(val); err != nil {
			return err
		}
		if more, ok = s.separator(']'); !ok {
			return errSyntax
		}
	}
	return s.end()
}

// Elements gives f each element of data, a JSON array that this package has checked:
// a part of a Result. It stops at the first error.
func Elements(data []byte, f func(val []byte) error) error {
	s := scanner{data: data, checked: true}
	return s.elements(f)
}

// Members gives f each member of data, a JSON object that this package has checked,
// with its key unescaped; one that occurs twice both times. It stops at the first error.
func Members(data []byte, f func(key, val []byte) error) error {
	s := scanner{data: data, checked: true}
	_, err := s.members(f)
	return err
}

// text returns the string that the checked JSON value raw is, if it is one.
func text(raw []byte) (s string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return s, json.Unmarshal(raw, &s) == nil
}

// isObject reports whether the checked JSON value raw is an object.
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// unescape returns the content of a checked JSON string literal.
func unescape(literal []byte) []byte {
	if bytes.IndexByte(literal, '\\') < 0 {
		return literal[1 : len(literal)-1]
	}
	s, _ := text(literal)
	return []byte(s)
}

// scanner walks over JSON text. Its methods report whether the text is JSON so
// far; pos is where the next token is looked for.
type scanner struct {
	data    []byte
	checked bool // data is JSON, so that a string may be walked over without a look into it
	pos     int
	keyEnd  int    // end of the last key's literal
	open    []byte // the closers still to come, innermost last
	depth   int    // the deepest nesting seen below the value being walked
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the byte of the next token, 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.pos >= len(s.data) {
		return 0
	}
	return s.data[s.pos]
}

func (s *scanner) enter(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	s.space()
	return true
}

func (s *scanner) leave(c byte) bool { return s.enter(c) }

// separator walks over a comma, or over the closer, after which no more comes.
func (s *scanner) separator(closer byte) (more, ok bool) {
	if s.enter(',') {
		return true, true
	}
	return false, s.leave(closer)
}

func (s *scanner) end() error {
	if s.peek(); s.pos != len(s.data) {
		return errSyntax
	}
	return nil
}

// slice walks over one whole value and returns its text.
func (s *scanner) slice() ([]byte, bool) {
	s.space()
	from := s.pos
	ok := s.value()
	return s.data[from:s.pos], ok
}

func (s *scanner) value() bool {
	for {
		opened, ok := s.token()
		if !ok {
			return false
		}
		if opened {
			continue
		}
		if more, ok := s.closers(); !ok || !more {
			return ok
		}
	}
}

// token walks over a scalar, an empty container, or the opening of a container
// and, in an object, its first key.
func (s *scanner) token() (opened, ok bool) {
	c := s.peek()
	switch c {
	case '{', '[':
		s.pos++
		s.open = append(s.open, c+2) // in ASCII the closer is two further
		s.depth = max(s.depth, len(s.open))
		if s.peek() == c+2 {
			s.pos++
			s.open = s.open[:len(s.open)-1]
			return false, true
		}
		return true, c == '[' || s.key()
	case '"':
		return false, s.str()
	case 't':
		return false, s.literal("true")
	case 'f':
		return false, s.literal("false")
	case 'n':
		return false, s.literal("null")
	default:
		return false, s.number()
	}
}

// closers walks over what follows a value up to the start of the next one. No
// more comes when the outermost value is complete.
func (s *scanner) closers() (more, ok bool) {
	for len(s.open) > 0 {
		closer := s.open[len(s.open)-1]
		switch s.peek() {
		case ',':
			s.pos++
			return true, closer == ']' || s.key()
		case closer:
			s.pos++
			s.open = s.open[:len(s.open)-1]
		default:
			return false, false
		}
	}
	return false, true
}

// key walks over a member's name and the colon.
func (s *scanner) key() bool {
	s.space()
	if !s.str() {
		return false
	}
	s.keyEnd = s.pos
	return s.enter(':')
}

func (s *scanner) literal(word string) bool {
	if !bytes.HasPrefix(s.data[s.pos:], []byte(word)) {
		return false
	}
	s.pos += len(word)
	return true
}

// longRun is how many plain bytes make a string one that is looked at in larger steps:
// where a string holds JSON, a quote is never far.
const longRun = 16

func (s *scanner) str() bool {
	if s.pos >= len(s.data) || s.data[s.pos] != '"' {
		return false
	}
	if s.checked {
		return s.skip()
	}
	run := 0 // of bytes that stand for themselves, looked at one by one
	for i := s.pos + 1; i < len(s.data); {
		switch c := s.data[i]; {
		case c == '"':
			s.pos = i + 1
			return true
		case c < 0x20:
			return false
		case c != '\\':
			i++
			if run++; run == longRun {
				i += wire.Plain(s.data[i:])
			}
		default:
			n := escape(s.data[i:])
			if n == 0 {
				return false
			}
			i += n
			run = 0
		}
	}
	return false
}

// skip walks over a string up to the quote that no backslash escapes.
func (s *scanner) skip() bool {
	for i := s.pos + 1; ; i++ {
		n := bytes.IndexByte(s.data[i:], '"')
		if n < 0 {
			return false
		}
		i += n
		before := i // the backslashes that end here start there, after the opening quote or later
		for s.data[before-1] == '\\' {
			before--
		}
		if (i-before)%2 == 0 {
			s.pos = i + 1
			return true
		}
	}
}

// escape returns the length of the escape sequence at the start of b, 0 if it is none.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	}
	if _, ok := escaped(b); ok {
		return 6
	}
	return 0
}

// number walks over -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func (s *scanner) number() bool {
	s.accept("-")
	if !s.accept("0") && s.digits() == 0 {
		return false
	}
	if s.accept(".") && s.digits() == 0 {
		return false
	}
	if s.accept("eE") {
		s.accept("+-")
		return s.digits() > 0
	}
	return true
}

func (s *scanner) accept(any string) bool {
	if s.pos < len(s.data) && bytes.IndexByte([]byte(any), s.data[s.pos]) >= 0 {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) digits() (n int) {
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
		n++
	}
	return n
}
