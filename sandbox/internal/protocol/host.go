package protocol

import (
	"strconv"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// What the host says. Every line is one JSON object that Append* functions
// write whole, newline included. All that comes from outside (a result's text,
// its content blocks, a policy's message) travels inside a JSON string, so that
// nothing in it can end a line or break the runner's parser.
//
//	{"op":"init","tools":[["name","id","stub","summary",FACTS],…],"servers":[["name","words"],…],"in_flight":64,"arguments":65536}
//	{"op":"seen","shapes":[["name","shape"],…]}
//	{"op":"exec","cell":1,"code":"…"}
//	{"op":"ping"}
//	{"op":"result","id":7,"text":"…","structured":true}
//	{"op":"result","id":7,"content":"[…]","structured":"{…}"}
//	{"op":"error","id":7,"tool":"…","code":"…","codes":["…"],"message":"…"}
//
// where FACTS are
//
//	{"params":[["name","stub line",required,nullable,integer],…],"open":false,"returns":["object",""],"schemas":"{…}"}
//
// and required, nullable and integer are true or false. A result has text, which stands for one text
// block, or content, all blocks. The structured content is absent, or the text is it, or it is JSON.

// AppendInit appends the line that tells the runner its tools, how many calls
// it may have in flight, and how many bytes the arguments of one may have.
func AppendInit(dst []byte, tools []wire.Tool, servers []wire.Server, inFlight, arguments int) []byte {
	dst = append(dst, `{"op":"init","tools":[`...)
	for i, t := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strictjson.AppendString(append(dst, '['), t.Name)
		dst = strictjson.AppendString(append(dst, ','), t.ID)
		dst = strictjson.AppendString(append(dst, ','), t.Stub)
		dst = strictjson.AppendString(append(dst, ','), t.Summary)
		dst = append(appendFacts(append(dst, ','), t.Facts), ']')
	}
	dst = append(dst, `],"servers":[`...)
	for i, s := range servers {
		dst = appendPair(dst, i, s.Name, s.Words)
	}
	dst = append(dst, `],"in_flight":`...)
	dst = strconv.AppendInt(dst, int64(inFlight), 10)
	dst = append(dst, `,"arguments":`...)
	dst = strconv.AppendInt(dst, int64(arguments), 10)
	return append(dst, "}\n"...)
}

func appendFacts(dst []byte, f wire.Facts) []byte {
	dst = append(dst, `{"params":[`...)
	for i, p := range f.Params {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strictjson.AppendString(append(dst, '['), p.Name)
		dst = strictjson.AppendString(append(dst, ','), p.Line)
		for _, is := range []bool{p.Required, p.Nullable, p.Integer} {
			dst = strconv.AppendBool(append(dst, ','), is)
		}
		dst = append(dst, ']')
	}
	dst = strconv.AppendBool(append(dst, `],"open":`...), f.Open)
	dst = strictjson.AppendString(append(dst, `,"returns":[`...), f.Returns.Kind)
	dst = strictjson.AppendString(append(dst, ','), f.Returns.Field)
	dst = strictjson.AppendString(append(dst, `],"schemas":`...), f.Schemas)
	return append(dst, '}')
}

// AppendSeen appends the line that tells what calls have returned.
func AppendSeen(dst []byte, seen []wire.Seen) []byte {
	dst = append(dst, `{"op":"seen","shapes":[`...)
	for i, s := range seen {
		dst = appendPair(dst, i, s.Tool, s.Shape)
	}
	return append(dst, "]}\n"...)
}

// appendPair appends two strings as element i of an array.
func appendPair(dst []byte, i int, name, text string) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = strictjson.AppendString(append(dst, '['), name)
	return append(strictjson.AppendString(append(dst, ','), text), ']')
}

// AppendExec appends the line that starts a cell.
func AppendExec(dst []byte, cell int64, code string) []byte {
	dst = append(dst, `{"op":"exec","cell":`...)
	dst = strconv.AppendInt(dst, cell, 10)
	dst = strictjson.AppendString(append(dst, `,"code":`...), code)
	return append(dst, "}\n"...)
}

// AppendPing appends the line that asks an idle runner for a sign of life.
func AppendPing(dst []byte) []byte { return append(dst, `{"op":"ping"}`+"\n"...) }

// AppendReply appends the line that answers the call with this id.
func AppendReply(dst []byte, id int64, r wire.Reply) []byte {
	if r.Err != nil {
		return appendError(dst, id, r.Err)
	}
	dst = append(dst, `{"op":"result","id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	if r.Content == nil {
		dst = strictjson.AppendString(append(dst, `,"text":`...), r.Text)
	} else {
		dst = strictjson.AppendString(append(dst, `,"content":`...), r.Content)
	}
	switch {
	case r.Data != nil:
		dst = strictjson.AppendString(append(dst, `,"structured":`...), r.Data)
	case r.Structured && r.Content == nil:
		dst = append(dst, `,"structured":true`...)
	case r.Structured: // the runner would have to find the text in the blocks
		dst = strictjson.AppendString(append(dst, `,"structured":`...), r.Text)
	}
	return append(dst, "}\n"...)
}

func appendError(dst []byte, id int64, e *wire.CallError) []byte {
	dst = append(dst, `{"op":"error","id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = strictjson.AppendString(append(dst, `,"tool":`...), e.Tool)
	dst = strictjson.AppendString(append(dst, `,"code":`...), e.Code)
	dst = append(dst, `,"codes":[`...)
	for i, code := range e.Codes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strictjson.AppendString(dst, code)
	}
	dst = strictjson.AppendString(append(dst, `],"message":`...), e.Message)
	if e.Partial != "" {
		dst = strictjson.AppendString(append(dst, `,"partial":`...), e.Partial)
	}
	return append(dst, "}\n"...)
}
