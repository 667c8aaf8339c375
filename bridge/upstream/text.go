package upstream

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// cleanse replaces everything in data that is not text: bytes that are not UTF-8, and
// surrogates without their other half, become U+FFFD, as in every lenient reader. Servers send both when they cut a string in the middle of a
// character. It may change data in place.
func cleanse(data []byte) []byte {
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	if bytes.Contains(data, []byte(`\u`)) {
		fixSurrogates(data)
	}
	return data
}

func fixSurrogates(data []byte) {
	for i := bytes.IndexByte(data, '\\'); i >= 0 && i+1 < len(data); {
		switch r, ok := escaped(data[i:]); {
		case !ok:
			i += 2
		case r >= 0xDC00 && r < 0xE000: // the second half alone
			copy(data[i:], `\ufffd`)
			i += 6
		case r >= 0xD800 && r < 0xDC00:
			if low, ok := escaped(data[i+6:]); ok && low >= 0xDC00 && low < 0xE000 {
				i += 12
				break
			}
			copy(data[i:], `\ufffd`)
			i += 6
		default:
			i += 6
		}
		next := -1
		if i < len(data) {
			next = bytes.IndexByte(data[i:], '\\')
		}
		if next < 0 {
			return
		}
		i += next
	}
}

// escaped reads a \uXXXX escape at the start of b.
func escaped(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	r, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(r), err == nil
}
