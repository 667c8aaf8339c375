package strictjson

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

// Bounds say how much is read. The zero value of each number means its default.
type Bounds struct {
	Bytes  int // of JSON text; default 1 MiB
	Depth  int // of arrays and objects within each other; default 64, at most MaxDepth
	Values int // read one by one: scalars, arrays and objects, keys not counted; default 100,000
	// Repeats allows a key to occur more than once in one object: the reader then
	// decides what that means.
	Repeats bool
}

// Defaults of Bounds, and what none of them exceed.
const (
	DefaultBytes  = 1 << 20
	DefaultDepth  = 64
	DefaultValues = 100_000

	MaxDepth    = 10_000 // the tokenizer's own
	MaxNumber   = 1000   // bytes of one number's text
	MaxExponent = 1000   // magnitude of its exponent: 1e1000000000 would cost others gigabytes
)

func (b Bounds) withDefaults() Bounds {
	if b.Bytes == 0 {
		b.Bytes = DefaultBytes
	}
	if b.Depth == 0 {
		b.Depth = DefaultDepth
	}
	if b.Values == 0 {
		b.Values = DefaultValues
	}
	return b
}

// Reader walks over one text from front to back, checking it on the way. Each
// method reads one value, all of it. Errors are *Error, or those of a callback.
type Reader struct {
	dec     jsontext.Decoder
	buf     bytes.Buffer
	data    []byte
	bounds  Bounds
	values  int    // so far
	scratch []byte // the last string that had escapes
}

var readers = sync.Pool{New: func() any { return new(Reader) }}

// maxScratch is what a Reader keeps for the next text.
const maxScratch = 256 << 10

// Read calls f with a Reader at the start of data, for f to read the one value
// there. Data must hold nothing else but white space.
func Read(data []byte, bounds Bounds, f func(r *Reader) error) error {
	r := acquire(data, bounds)
	defer r.release()
	if len(data) > r.bounds.Bytes {
		return &Error{Problem: ProblemSize, Offset: r.bounds.Bytes}
	}
	if err := f(r); err != nil {
		return err
	}
	return r.end()
}

func acquire(data []byte, bounds Bounds) *Reader {
	r, _ := readers.Get().(*Reader)
	r.data, r.bounds, r.values = data, bounds.withDefaults(), 0
	r.buf = *bytes.NewBuffer(data) // from which the decoder reads without a copy
	r.dec.Reset(&r.buf, jsontext.AllowDuplicateNames(bounds.Repeats))
	return r
}

func (r *Reader) release() {
	r.data, r.buf = nil, bytes.Buffer{}
	r.dec.Reset(&r.buf)
	if cap(r.scratch) > maxScratch {
		r.scratch = nil
	}
	readers.Put(r)
}

// end checks that nothing follows the value, which is read now if it was not.
func (r *Reader) end() error {
	if r.dec.InputOffset() == 0 {
		if _, err := r.Raw(); err != nil {
			return err
		}
	}
	if rest := bytes.TrimLeft(r.dec.UnreadBuffer(), " \t\r\n"); len(rest) > 0 {
		return &Error{Problem: ProblemTrailing, Offset: len(r.data) - len(rest)}
	}
	return nil
}

// Kind is the kind of the next value; 0 where there is none, and reading it says why.
func (r *Reader) Kind() Kind { return Kind(r.dec.PeekKind()) }

// Raw returns the text of the next value. It shares memory with what is read.
func (r *Reader) Raw() ([]byte, error) {
	raw, err := r.token()
	if err == nil && (raw[0] == '{' || raw[0] == '[') && r.bounds.Depth < MaxDepth &&
		r.dec.StackDepth()+Depth(raw) > r.bounds.Depth {
		return nil, r.fail(ProblemDepth, r.offset(raw))
	}
	return raw, err
}

// Span lets f read the next value, and returns its text as Raw does.
func (r *Reader) Span(f func() error) ([]byte, error) {
	r.dec.PeekKind()
	from := len(r.data) - len(bytes.TrimLeft(r.dec.UnreadBuffer(), ",: \t\r\n"))
	if err := f(); err != nil {
		return nil, err
	}
	return r.data[from:r.dec.InputOffset()], nil
}

// token reads a value, and counts it.
func (r *Reader) token() ([]byte, error) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return nil, r.explain(err)
	}
	return raw, r.count(len(raw))
}

// offset is where what was just read starts.
func (r *Reader) offset(raw []byte) int { return int(r.dec.InputOffset()) - len(raw) }

func (r *Reader) count(size int) error {
	if r.values++; r.values > r.bounds.Values {
		return r.fail(ProblemValues, int(r.dec.InputOffset())-size)
	}
	return nil
}

// Text returns the string that the next value must be.
func (r *Reader) Text() (string, error) {
	raw, err := r.token()
	if err != nil {
		return "", err
	}
	if raw[0] != '"' {
		return "", r.mismatch(r.offset(raw), "a string is wanted")
	}
	return r.unquote(raw), nil
}

// Object gives f the key of each member of the object that the next value must
// be, in order. f reads the member's value, or leaves it and it is skipped.
func (r *Reader) Object(f func(key string) error) error {
	if err := r.enter('{'); err != nil {
		return err
	}
	for r.dec.PeekKind() != jsontext.KindEndObject {
		key, err := r.key()
		if err != nil {
			return err
		}
		if err := r.member(func() error { return f(key) }); err != nil {
			return err
		}
	}
	return r.leave()
}

// Array calls f before each element of the array that the next value must be. f
// reads it, or leaves it and it is skipped.
func (r *Reader) Array(f func() error) error {
	if err := r.enter('['); err != nil {
		return err
	}
	for r.dec.PeekKind() != jsontext.KindEndArray {
		if err := r.member(f); err != nil {
			return err
		}
	}
	return r.leave()
}

// member lets f read a value, and reads it where f did not.
func (r *Reader) member(f func() error) error {
	before := r.dec.InputOffset()
	if err := f(); err != nil || r.dec.InputOffset() != before {
		return err
	}
	_, err := r.Raw()
	return err
}

// enter reads the bracket that opens an object or an array.
func (r *Reader) enter(bracket jsontext.Kind) error {
	if got := r.dec.PeekKind(); got != bracket && got != jsontext.KindInvalid {
		raw, err := r.token()
		if err != nil {
			return err
		}
		return r.mismatch(r.offset(raw), map[jsontext.Kind]string{'{': "an object is wanted", '[': "an array is wanted"}[bracket])
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return r.explain(err)
	}
	if r.dec.StackDepth() > r.bounds.Depth {
		return r.fail(ProblemDepth, int(r.dec.InputOffset())-1)
	}
	return r.count(1)
}

// leave reads the bracket that closes what was entered.
func (r *Reader) leave() error {
	if _, err := r.dec.ReadToken(); err != nil {
		return r.explain(err)
	}
	return nil
}

func (r *Reader) mismatch(at int, want string) error {
	return &Error{Problem: ProblemKind, Detail: want, Offset: at, Path: cut.Head(string(r.dec.StackPointer()), maxPath)}
}

// key reads a member's key.
func (r *Reader) key() (string, error) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return "", r.explain(err)
	}
	return r.unquote(raw), nil
}

// unquote returns the string that a literal, already checked, stands for.
func (r *Reader) unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	r.scratch, _ = jsontext.AppendUnquote(r.scratch[:0], raw) // it has been checked
	return string(r.scratch)
}

// Unquote returns the string that raw, JSON that has been checked, is, if it is one.
func Unquote(raw []byte) (s string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	r := acquire(nil, Bounds{})
	defer r.release()
	return r.unquote(raw), true
}

// Depth is how many arrays and objects lie within each other in raw, JSON that
// has been checked.
func Depth(raw []byte) (deepest int) {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		case '"':
			i += literalEnd(raw[i:])
		}
	}
	return deepest
}

// literalEnd is the position of the quote that ends the string literal at the
// start of raw.
func literalEnd(raw []byte) int {
	for i := 1; ; i++ {
		i += bytes.IndexByte(raw[i:], '"')
		before := i // the backslashes that end here begin there
		for raw[before-1] == '\\' {
			before--
		}
		if (i-before)%2 == 0 {
			return i
		}
	}
}
