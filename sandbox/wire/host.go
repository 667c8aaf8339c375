package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// What the host says. Every line is one JSON object that Append* functions
// write whole, newline included. All that comes from outside (a result's text,
// its content blocks, a policy's message) travels inside a JSON string, so that
// nothing in it can end a line or break the runner's parser.
//
//	{"op":"init","tools":[["name","id","stub"],…],"in_flight":16}
//	{"op":"exec","cell":1,"code":"…"}
//	{"op":"ping"}
//	{"op":"result","id":7,"text":"…","content":"[…]"}    content may be absent
//	{"op":"error","id":7,"tool":"…","code":"…","codes":["…"],"message":"…"}

// AppendInit appends the line that tells the runner its tools, and how many
// calls it may have in flight.
func AppendInit(dst []byte, tools []Tool, inFlight int) []byte {
	dst = append(dst, `{"op":"init","tools":[`...)
	for i, t := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendClean(append(dst, '['), t.Name)
		dst = appendClean(append(dst, ','), t.ID)
		dst = appendClean(append(dst, ','), t.Stub)
		dst = append(dst, ']')
	}
	dst = append(dst, `],"in_flight":`...)
	dst = strconv.AppendInt(dst, int64(inFlight), 10)
	return append(dst, "}\n"...)
}

// AppendExec appends the line that starts a cell.
func AppendExec(dst []byte, cell int64, code string) []byte {
	dst = append(dst, `{"op":"exec","cell":`...)
	dst = strconv.AppendInt(dst, cell, 10)
	dst = appendClean(append(dst, `,"code":`...), code)
	return append(dst, "}\n"...)
}

// AppendPing appends the line that asks an idle runner for a sign of life.
func AppendPing(dst []byte) []byte { return append(dst, `{"op":"ping"}`+"\n"...) }

// AppendReply appends the line that answers the call with this id.
func AppendReply(dst []byte, id int64, r Reply) []byte {
	if r.Err != nil {
		return appendError(dst, id, r.Err)
	}
	dst = append(dst, `{"op":"result","id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = appendClean(append(dst, `,"text":`...), r.Text)
	if r.Content != nil {
		dst = append(dst, `,"content":`...)
		if utf8.Valid(r.Content) {
			dst = appendString(dst, []byte(r.Content))
		} else {
			dst = appendClean(dst, string(r.Content))
		}
	}
	return append(dst, "}\n"...)
}

func appendError(dst []byte, id int64, e *CallError) []byte {
	dst = append(dst, `{"op":"error","id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = appendClean(append(dst, `,"tool":`...), e.Tool)
	dst = appendClean(append(dst, `,"code":`...), e.Code)
	dst = append(dst, `,"codes":[`...)
	for i, code := range e.Codes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendClean(dst, code)
	}
	dst = appendClean(append(dst, `],"message":`...), e.Message)
	return append(dst, "}\n"...)
}

// appendClean appends s as a JSON string with U+FFFD for what is not UTF-8.
func appendClean(dst []byte, s string) []byte {
	if !utf8.ValidString(s) { // which is many times faster to find out
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return appendString(dst, s)
}
