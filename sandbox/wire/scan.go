package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// next reads what stands between two members of an array or object, or its
// end, and says whether another member follows.
func (d *decoder) next(end byte) (more bool, err error) {
	d.space()
	switch d.peek() {
	case end:
		d.pos++
		return false, nil
	case ',':
		d.pos++
		d.space()
		return true, nil
	}
	return false, d.syntax()
}

// key reads an object's key and the colon after it.
func (d *decoder) key() (string, error) {
	if d.peek() != '"' {
		return "", d.syntax()
	}
	key, err := d.string()
	if err != nil {
		return "", err
	}
	return key, d.colon()
}

func (d *decoder) colon() error {
	d.space()
	if d.peek() != ':' {
		return d.syntax()
	}
	d.pos++
	d.space()
	return nil
}

// string reads a string whose opening quote is at d.pos.
func (d *decoder) string() (string, error) {
	start := d.pos + 1
	end := d.plainEnd(start)
	if end < len(d.data) && d.data[end] == '"' {
		d.pos = end + 1
		return string(d.data[start:end]), nil
	}
	return d.escaped(start, end)
}

// escaped reads the rest of a string that starts at start and whose first
// escape, or whatever else ends the plain text, is at end.
func (d *decoder) escaped(start, end int) (string, error) {
	var b strings.Builder
	b.Grow(d.closing(end) - start)
	for {
		b.Write(d.data[start:end])
		switch {
		case end >= len(d.data):
			return "", d.problem(ProblemTruncated, end)
		case d.data[end] == '"':
			d.pos = end + 1
			return b.String(), nil
		case d.data[end] != '\\':
			return "", d.problem(ProblemControl, end)
		}
		r, n, err := d.escape(end)
		if err != nil {
			return "", err
		}
		b.WriteRune(r)
		d.slack += n - encodedLen(r)
		start = end + n
		end = d.plainEnd(start)
	}
}

// closing is the position of the quote that ends a string, looked for from i on.
func (d *decoder) closing(i int) int {
	if n := bytes.IndexByte(d.data[i:], '"'); n > 0 && d.data[i+n-1] != '\\' {
		return i + n // as in most text: no quote within
	}
	for i < len(d.data) && d.data[i] != '"' {
		if d.data[i] == '\\' {
			i++
		}
		i++
	}
	return min(i, len(d.data))
}

// plainEnd is the position of the first byte from i on that does not stand for
// itself.
func (d *decoder) plainEnd(i int) int {
	for end := min(i+shortRun, len(d.data)); i < end; i++ {
		if !plain[d.data[i]] {
			return i
		}
	}
	return i + Plain(d.data[i:])
}

// escape reads the escape at position at: the character it stands for and the
// bytes it takes.
func (d *decoder) escape(at int) (r rune, n int, err error) {
	if at+1 >= len(d.data) {
		return 0, 0, d.problem(ProblemTruncated, len(d.data))
	}
	switch c := d.data[at+1]; c {
	case '"', '\\', '/':
		return rune(c), 2, nil
	case 'b':
		return '\b', 2, nil
	case 'f':
		return '\f', 2, nil
	case 'n':
		return '\n', 2, nil
	case 'r':
		return '\r', 2, nil
	case 't':
		return '\t', 2, nil
	case 'u':
		return d.unicodeEscape(at)
	}
	return 0, 0, d.problem(ProblemSyntax, at+1)
}

func (d *decoder) unicodeEscape(at int) (r rune, n int, err error) {
	r, err = d.hex(at + 2)
	if err != nil || !utf16.IsSurrogate(r) {
		return r, 6, err
	}
	if at+7 < len(d.data) && d.data[at+6] == '\\' && d.data[at+7] == 'u' {
		low, err := d.hex(at + 8)
		if err != nil {
			return 0, 0, err
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12, nil
		}
	}
	return 0, 0, d.problem(ProblemSurrogate, at)
}

// hex reads the four hexadecimal digits at position at.
func (d *decoder) hex(at int) (rune, error) {
	var r rune
	for i := at; i < at+4; i++ {
		if i >= len(d.data) {
			return 0, d.problem(ProblemTruncated, len(d.data))
		}
		c := d.data[i]
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, d.problem(ProblemSyntax, i)
		}
	}
	return r, nil
}

// number reads a number and keeps its text.
func (d *decoder) number() (json.Number, error) {
	n, ok := scanNumber(d.data[d.pos:])
	switch {
	case n > MaxNumber:
		return "", d.problem(ProblemNumber, d.pos)
	case !ok:
		return "", d.problem(ProblemSyntax, d.pos+n)
	}
	text := d.data[d.pos : d.pos+n]
	if !exponentInBounds(text) {
		return "", d.problem(ProblemNumber, d.pos)
	}
	d.pos += n
	return json.Number(text), nil
}

// scanNumber finds the longest start of text that follows the number grammar
// of RFC 8259 and says whether that is a whole number.
func scanNumber(text []byte) (n int, ok bool) {
	at := func(i int) byte {
		if i < len(text) {
			return text[i]
		}
		return 0
	}
	digits := func() bool {
		start := n
		for '0' <= at(n) && at(n) <= '9' {
			n++
		}
		return n > start
	}
	if at(n) == '-' {
		n++
	}
	if at(n) == '0' {
		n++
	} else if !digits() {
		return n, false
	}
	if at(n) == '.' {
		n++
		if !digits() {
			return n, false
		}
	}
	if at(n) == 'e' || at(n) == 'E' {
		n++
		if at(n) == '+' || at(n) == '-' {
			n++
		}
		if !digits() {
			return n, false
		}
	}
	return n, true
}

// exponentInBounds reports whether the magnitude of a number's exponent is at
// most MaxExponent.
func exponentInBounds(number []byte) bool {
	e := len(number)
	for i, c := range number {
		if c|0x20 == 'e' {
			e = i + 1
			break
		}
	}
	magnitude := 0
	for ; e < len(number); e++ {
		if c := number[e]; '0' <= c && c <= '9' {
			magnitude = magnitude*10 + int(c-'0')
		}
		if magnitude > MaxExponent {
			return false
		}
	}
	return true
}
