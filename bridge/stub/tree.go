package stub

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Kinds of node.
const (
	object = '{'
	array  = '['
	str    = '"'
	number = '0'
	truth  = 't' // true and false
	null   = 'n'
)

const (
	maxReference = 512 // bytes of a $ref
	maxAnchors   = 256 // definitions searched for an anchor
)

// node is one value of a schema document. Unlike a Go map it keeps the order of
// an object's members, which is the order its author gave the parameters.
type node struct {
	kind  byte
	text  string   // string: its value; number, true, false, null: as written
	keys  []string // object
	nodes []*node  // object, array
	index map[string]int
}

// parse reads a document of at most MaxSchema bytes. Its depth is bounded by
// json.Valid.
func parse(raw []byte) (*node, error) {
	if len(raw) > MaxSchema {
		return nil, fmt.Errorf("it is larger than %d bytes", MaxSchema)
	}
	if !json.Valid(raw) {
		return nil, errors.New("it is not JSON, or nested too deep")
	}
	p := parser{raw: raw}
	return p.value(), nil
}

// parser reads JSON that is known to be valid.
type parser struct {
	raw []byte
	pos int
}

// peek skips white space and returns the byte that follows.
func (p *parser) peek() byte {
	for {
		switch c := p.raw[p.pos]; c {
		case ' ', '\t', '\r', '\n':
			p.pos++
		default:
			return c
		}
	}
}

func (p *parser) value() *node {
	switch c := p.peek(); c {
	case '{':
		return p.members()
	case '[':
		return p.elements()
	case '"':
		return &node{kind: str, text: p.string()}
	case 't', 'f':
		return &node{kind: truth, text: p.literal()}
	case 'n':
		return &node{kind: null, text: p.literal()}
	default:
		return &node{kind: number, text: p.literal()}
	}
}

func (p *parser) members() *node {
	n := &node{kind: object}
	p.pos++
	for p.peek() != '}' {
		if p.raw[p.pos] == ',' {
			p.pos++
			p.peek()
		}
		n.keys = append(n.keys, p.string())
		p.peek() // the colon
		p.pos++
		n.nodes = append(n.nodes, p.value())
	}
	p.pos++
	return n
}

func (p *parser) elements() *node {
	n := &node{kind: array}
	p.pos++
	for p.peek() != ']' {
		if p.raw[p.pos] == ',' {
			p.pos++
		}
		n.nodes = append(n.nodes, p.value())
	}
	p.pos++
	return n
}

func (p *parser) string() string {
	start, plain := p.pos, true
	for p.pos++; p.raw[p.pos] != '"'; p.pos++ {
		if c := p.raw[p.pos]; c == '\\' {
			plain = false
			p.pos++
		} else if c >= 0x80 {
			plain = false
		}
	}
	p.pos++
	if plain {
		return string(p.raw[start+1 : p.pos-1])
	}
	var s string
	if err := json.Unmarshal(p.raw[start:p.pos], &s); err != nil {
		return "" // not reached: the document is valid
	}
	return s
}

func (p *parser) literal() string {
	start := p.pos
	for p.pos < len(p.raw) && strings.IndexByte(" \t\r\n,]}", p.raw[p.pos]) < 0 {
		p.pos++
	}
	return string(p.raw[start:p.pos])
}

// get returns the member of that name, the last one if there are several, or
// nil.
func (n *node) get(key string) *node {
	if n == nil || n.kind != object {
		return nil
	}
	if len(n.keys) <= 8 {
		for i := len(n.keys) - 1; i >= 0; i-- {
			if n.keys[i] == key {
				return n.nodes[i]
			}
		}
		return nil
	}
	if n.index == nil {
		n.index = make(map[string]int, len(n.keys))
		for i, key := range n.keys {
			n.index[key] = i
		}
	}
	if i, ok := n.index[key]; ok {
		return n.nodes[i]
	}
	return nil
}

// members returns what is in an object, nil for anything else.
func (n *node) members() []*node {
	if n == nil || n.kind != object {
		return nil
	}
	return n.nodes
}

// elements returns what is in an array, nil for anything else.
func (n *node) elements() []*node {
	if n == nil || n.kind != array {
		return nil
	}
	return n.nodes
}

// isTrue and isFalse are about a JSON true or false.
func (n *node) isTrue() bool  { return n != nil && n.kind == truth && n.text == "true" }
func (n *node) isFalse() bool { return n != nil && n.kind == truth && n.text == "false" }

// resolve follows a reference into this very document: "#", a JSON pointer, or
// the name of an anchor at the top level of its definitions. It returns nil for
// anything else; nothing outside the document is ever looked at.
func (n *node) resolve(ref string) *node {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok || len(fragment) > maxReference {
		return nil
	}
	if fragment == "" {
		return n
	}
	if fragment[0] != '/' {
		return n.anchor(fragment)
	}
	for _, token := range strings.Split(fragment[1:], "/") {
		token = unescape(token)
		switch {
		case n == nil:
			return nil
		case n.kind == array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.nodes) {
				return nil
			}
			n = n.nodes[i]
		default:
			n = n.get(token)
		}
	}
	return n
}

func (n *node) anchor(name string) *node {
	for _, definitions := range []string{"$defs", "definitions"} {
		all := n.get(definitions).members()
		for _, d := range all[:min(len(all), maxAnchors)] {
			if a := d.get("$anchor"); a != nil && a.kind == str && a.text == name {
				return d
			}
		}
	}
	return nil
}

// referenceUnits is what resolving a reference takes, in units of work.
func referenceUnits(ref string) int {
	if strings.HasPrefix(ref, "#") && !strings.HasPrefix(ref, "#/") && len(ref) > 1 {
		return anchorUnits
	}
	return min(len(ref), maxReference) / 8 // a step for each two bytes at most
}

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// unescape undoes the escapes of a URI fragment and of a JSON pointer.
func unescape(token string) string {
	if plain, err := url.PathUnescape(token); err == nil {
		token = plain
	}
	return pointerEscapes.Replace(token)
}
