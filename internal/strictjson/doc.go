// Package strictjson is the one place where JSON text is read: lines of a sandbox,
// messages and schemas of wrapped servers, config files. Text that two readers could
// understand differently is refused here, so later code need not consider that.
//
// The tokens are those of package jsontext: RFC 8259, only in UTF-8, without escapes that
// are half a surrogate pair and without control characters in strings. This package adds
// bounds on bytes, depth, the number of values and the size of a number. A key
// that occurs twice in one object is an error too, unless the reader allows it.
//
// Decode makes Go values, Parse a tree that keeps order and places, and Read hands
// out a Reader with which to walk over a text and cut parts out of it. Append
// writes what Decode returns.
package strictjson
