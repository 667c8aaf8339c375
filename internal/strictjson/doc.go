// Package strictjson is the one place where JSON text is taken apart: lines of a
// sandbox, messages and schemas of wrapped servers, config files. What two
// readers could take for different things is refused here, so nobody after it
// has to think of that.
//
// The tokens are those of package jsontext: RFC 8259, and in it only UTF-8, no
// escape that is half a surrogate pair, no control character in a string. Added
// are bounds on bytes, depth, number of values and the size of a number. A key
// that occurs twice in one object is an error too, unless the reader allows it.
//
// Decode makes Go values, Parse a tree that keeps order and places, and Read hands
// out a Reader with which to walk over a text and cut parts out of it. Append
// writes what Decode returns.
package strictjson
