package wire

import (
	"encoding/binary"
	"math/bits"
)

// plain marks the bytes that stand for themselves in a JSON string.
var plain = func() (t [256]bool) {
	for c := 0x20; c < len(t); c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// shortRun is how many plain bytes are looked at one by one before it pays to look
// at eight at a time: where a string holds JSON, a quote is never far.
const shortRun = 16

// Plain is the number of bytes at the start of text that stand for themselves in
// a JSON string (RFC 8259, section 7): it ends before the first quote, backslash
// or control character. Whether the bytes are UTF-8 is not looked at.
func Plain(text []byte) int {
	n := 0
	for ; n+8 <= len(text); n += 8 {
		if marks := special(binary.LittleEndian.Uint64(text[n:])); marks != 0 {
			return n + bits.TrailingZeros64(marks)/8
		}
	}
	for n < len(text) && plain[text[n]] {
		n++
	}
	return n
}

// special sets the top bit of every byte that is not plain. A byte above the
// lowest one so marked may be marked wrongly.
func special(eight uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	control := (eight - ones*0x20) & ^eight
	quote, backslash := eight^ones*'"', eight^ones*'\\'
	return (control | (quote-ones)&^quote | (backslash-ones)&^backslash) & tops
}
