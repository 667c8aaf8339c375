package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds on what a config file may be.
const (
	maxBytes = 1 << 20 // of the whole file
	maxDepth = 16      // objects and lists inside one another; the format itself needs 5
)

// A node is one JSON value and where it starts. Unlike a map it keeps what a
// good error needs: the order and the place of every key.
type node struct {
	offset int
	value  any // nil, bool, string, json.Number, []node or object
}

type object []member

type member struct {
	key    string
	offset int // of the key
	node   node
}

func (o object) get(key string) (node, bool) {
	for _, m := range o {
		if m.key == key {
			return m.node, true
		}
	}
	return node{}, false
}

// A syntaxError is what is wrong with the text as JSON, at an offset into it.
type syntaxError struct {
	offset int
	path   []string // the keys that lead there; set for a repeated key only
	msg    string
	hint   string
}

func (e *syntaxError) Error() string { return e.msg }

// parseJSON reads one JSON text strictly: valid UTF-8, no key twice in one
// object, no lone surrogates, nothing after the value, bounded depth.
func parseJSON(data []byte) (node, error) {
	if !utf8.Valid(data) {
		return node{}, &syntaxError{offset: invalidUTF8(data), msg: "not UTF-8 text"}
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return node{}, explainSyntax(data, err)
	}
	p := &parser{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	p.dec.UseNumber()
	return p.value(0)
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(data)
}

// explainSyntax turns encoding/json's complaint into one with a place and, for
// the two mistakes people make by hand, a next step.
func explainSyntax(data []byte, err error) error {
	var se *json.SyntaxError
	if !errors.As(err, &se) {
		return &syntaxError{offset: len(data), msg: "not JSON: " + err.Error()}
	}
	at := min(max(int(se.Offset)-1, 0), len(data))
	out := &syntaxError{offset: at, msg: "not JSON: " + se.Error()}
	switch rest := data[at:]; {
	case len(bytes.TrimSpace(data)) == 0:
		out.offset, out.msg = 0, "empty"
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")), bytes.HasPrefix(rest, []byte("#")):
		out.hint = "JSON has no comments; remove them"
	case len(rest) > 0 && (rest[0] == '}' || rest[0] == ']') && bytes.HasSuffix(bytes.TrimSpace(data[:at]), []byte(",")):
		out.hint = "remove the comma before it"
	}
	return out
}

// A parser walks the tokens of a text already known to be JSON.
type parser struct {
	data []byte
	dec  *json.Decoder
	path []string // keys from the top to the value being read
}

// next returns the next token and where it starts.
func (p *parser) next() (json.Token, int, error) {
	at := int(p.dec.InputOffset())
	for at < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[at]) >= 0 {
		at++
	}
	tok, err := p.dec.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, at, &syntaxError{offset: at, msg: "not JSON: " + err.Error()}
	}
	if s, ok := tok.(string); ok && replaced(s, p.data[at:p.dec.InputOffset()]) {
		return nil, at, &syntaxError{offset: at, msg: "half of a surrogate pair, which is no character"}
	}
	return tok, at, nil
}

// replaced reports whether decoding put a replacement character where the text
// has none: encoding/json does that for a lone surrogate.
func replaced(decoded string, raw []byte) bool {
	const replacement = "\uFFFD"
	n := strings.Count(decoded, replacement)
	if n == 0 {
		return false
	}
	written := bytes.Count(raw, []byte(replacement)) + bytes.Count(bytes.ToLower(raw), []byte(`\ufffd`))
	return written < n
}

func (p *parser) value(depth int) (node, error) {
	tok, at, err := p.next()
	if err != nil {
		return node{}, err
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		return node{offset: at, value: tok}, nil
	}
	if depth >= maxDepth {
		return node{}, &syntaxError{offset: at, msg: fmt.Sprintf("nested more than %d levels deep", maxDepth)}
	}
	var v any
	if delim == '{' {
		v, err = p.object(depth + 1)
	} else {
		v, err = p.list(depth + 1)
	}
	if err != nil {
		return node{}, err
	}
	_, _, err = p.next() // the closing bracket
	return node{offset: at, value: v}, err
}

func (p *parser) object(depth int) (object, error) {
	o := object{}
	seen := map[string]int{}
	for p.dec.More() {
		tok, at, err := p.next()
		if err != nil {
			return nil, err
		}
		key, _ := tok.(string)
		p.path = append(p.path, key)
		if first, twice := seen[key]; twice {
			line, _ := position(p.data, first)
			return nil, &syntaxError{
				offset: at,
				path:   p.path,
				msg:    fmt.Sprintf("is there twice, first on line %d", line),
				hint:   "keep one of the two",
			}
		}
		seen[key] = at
		n, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		p.path = p.path[:len(p.path)-1]
		o = append(o, member{key: key, offset: at, node: n})
	}
	return o, nil
}

func (p *parser) list(depth int) ([]node, error) {
	l := []node{}
	for p.dec.More() {
		n, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		l = append(l, n)
	}
	return l, nil
}

// position turns an offset into a line and a column, both from 1, the column in
// characters.
func position(data []byte, offset int) (line, column int) {
	before := data[:min(offset, len(data))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// clip shortens a word from a file for a message.
func clip(s string) string {
	const most = 64
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
