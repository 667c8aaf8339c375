// Package cut shortens text that is too long for where it goes. Nothing cuts a
// character in two: what is valid UTF-8 stays valid.
package cut

import (
	"strings"
	"unicode/utf8"
)

// Head returns the longest start of s of at most size bytes.
func Head(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}

// Tail returns the longest end of s of at most size bytes.
func Tail(s string, size int) string {
	start := max(0, len(s)-size)
	for start > 0 && start < len(s) && !utf8.RuneStart(s[start]) {
		start++
	}
	return s[start:]
}

// Marked returns s if it has at most size bytes. Otherwise it returns as much of
// the start as leaves room for the mark, without spaces at its end, and the mark;
// where there is no room for a mark, the start alone.
func Marked(s string, size int, mark string) string {
	if len(s) <= size || size < len(mark) {
		return Head(s, size)
	}
	return strings.TrimRight(Head(s, size-len(mark)), " ") + mark
}

// Characters returns s if it has at most count characters, of which there must be
// one. Otherwise it returns the start with "…" as the last of that many. Of a long
// text no more than that is read.
func Characters(s string, count int) string {
	n, last := 0, 0 // characters so far, and where the one before this begins
	for i := range s {
		if n++; n > count {
			return s[:last] + "…"
		}
		last = i
	}
	return s
}
