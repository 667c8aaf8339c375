package strictjson

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the kind of a JSON value: the byte that it starts with, '0' for every
// number and 't' for true and false.
type Kind byte

// The kinds. The zero value is that of no value.
const (
	Object Kind = '{'
	Array  Kind = '['
	String Kind = '"'
	Number Kind = '0'
	Truth  Kind = 't'
	Null   Kind = 'n'
)

// Node is one value of a text. Unlike a Go map it keeps the order of an object's
// members, and where everything stands. A nil Node is the value that is absent.
type Node struct {
	Kind     Kind
	Offset   int      // in bytes, of its first one
	Text     string   // of a string its value, of a number, true, false or null what is written
	Members  []Member // of an object
	Elements []*Node  // of an array

	index map[string]int // of the members by key, the last of each
}

// Member is one member of an object.
type Member struct {
	Key    string
	Offset int // of the key
	Value  *Node
}

// Parse reads one text as a tree. Numbers are not bounded. Every error is an *Error.
func Parse(data []byte, bounds Bounds) (n *Node, err error) {
	err = Read(data, bounds, func(r *Reader) error {
		n, err = r.Node()
		return err
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Node returns the next value as Parse does. Beside an error it means nothing.
func (r *Reader) Node() (*Node, error) {
	switch r.Kind() {
	case Object:
		n := &Node{Kind: Object}
		err := r.members(n)
		return n, err
	case Array:
		n := &Node{Kind: Array}
		err := r.elements(n)
		return n, err
	}
	raw, err := r.token()
	if err != nil {
		return nil, err
	}
	n := &Node{Offset: r.offset(raw), Text: string(raw)}
	switch raw[0] {
	case '"':
		n.Kind, n.Text = String, r.unquote(raw)
	case 't', 'f':
		n.Kind = Truth
	case 'n':
		n.Kind = Null
	default:
		n.Kind = Number
	}
	return n, nil
}

func (r *Reader) members(n *Node) error {
	if err := r.enter('{'); err != nil {
		return err
	}
	n.Offset = int(r.dec.InputOffset()) - 1
	for r.dec.PeekKind() != '}' {
		raw, err := r.dec.ReadValue()
		if err != nil {
			return n.first(r.explain(err))
		}
		m := Member{Key: r.unquote(raw), Offset: r.offset(raw)}
		if m.Value, err = r.Node(); err != nil {
			return err
		}
		n.Members = append(n.Members, m)
	}
	return r.leave()
}

// first adds to an error about a key where the same key stood first.
func (n *Node) first(err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Problem != ProblemDuplicate {
		return err
	}
	key := jsontext.Pointer(e.Path).LastToken()
	for _, m := range n.Members {
		if m.Key == key {
			e.First = m.Offset
		}
	}
	return err
}

func (r *Reader) elements(n *Node) error {
	if err := r.enter('['); err != nil {
		return err
	}
	n.Offset = int(r.dec.InputOffset()) - 1
	for r.dec.PeekKind() != ']' {
		e, err := r.Node()
		if err != nil {
			return err
		}
		n.Elements = append(n.Elements, e)
	}
	return r.leave()
}

// Is reports whether there is a value, and of that kind.
func (n *Node) Is(k Kind) bool { return n != nil && n.Kind == k }

// IsTrue and IsFalse are about a JSON true or false.
func (n *Node) IsTrue() bool  { return n.Is(Truth) && n.Text == "true" }
func (n *Node) IsFalse() bool { return n.Is(Truth) && n.Text == "false" }

// Get returns the member of that key, the last one if there are several, or nil.
// It is not safe for concurrent use.
func (n *Node) Get(key string) *Node {
	const few = 8 // members looked through one by one
	if !n.Is(Object) {
		return nil
	}
	if len(n.Members) <= few {
		for i := len(n.Members) - 1; i >= 0; i-- {
			if n.Members[i].Key == key {
				return n.Members[i].Value
			}
		}
		return nil
	}
	if n.index == nil {
		n.index = make(map[string]int, len(n.Members))
		for i, m := range n.Members {
			n.index[m.Key] = i
		}
	}
	if i, ok := n.index[key]; ok {
		return n.Members[i].Value
	}
	return nil
}

// List returns the elements of an array, nil for anything else.
func (n *Node) List() []*Node {
	if !n.Is(Array) {
		return nil
	}
	return n.Elements
}

// Add appends a member to an object.
func (n *Node) Add(key string, value *Node) {
	n.Members, n.index = append(n.Members, Member{Key: key, Value: value}), nil
}

// Delete takes the members out of an object for which f says so.
func (n *Node) Delete(f func(m Member) bool) {
	n.Members, n.index = slices.DeleteFunc(n.Members, f), nil
}
