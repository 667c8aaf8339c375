package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// parse returns the message on a line, or answers the line.
func (l *lines) parse(line []byte, long bool) jsonrpc.Message {
	if long {
		l.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is larger than %d MiB", maxMessage>>20))
		return nil
	}
	if len(line) == 0 {
		return nil
	}
	o, isObject := openObject(line)
	id, hasID := o["id"]
	switch {
	case !utf8.Valid(line):
		l.refuse(id, jsonrpc.CodeParseError, "the line is not UTF-8")
	case !isObject && !json.Valid(line):
		l.refuse(nil, jsonrpc.CodeParseError, "the line is not JSON")
	case line[0] == '[':
		l.refuse(nil, jsonrpc.CodeInvalidRequest, "batches of messages are not supported")
	case o["method"] == nil && (o["result"] != nil || o["error"] != nil):
		return answerOf(o) // an answer is never answered, even if it is invalid
	case hasID && len(id) > maxID:
		l.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the id is longer than %d bytes", maxID))
	case hasID && !isID(id):
		l.refuse(nil, jsonrpc.CodeInvalidRequest, "the id is neither a string nor a number")
	default:
		m, err := requestOf(o)
		switch {
		case err != nil:
			l.refuse(id, jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC 2.0 message: "+err.Error())
		case hasID && !l.enter(m.ID, request{id: id, size: len(line)}):
			// Under its id this would be taken for the answer to the other one.
			l.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the id %s is that of a request under way", id))
		default:
			return m
		}
	}
	return nil
}

// requestOf reads a request or a notification.
func requestOf(o object) (*jsonrpc.Request, error) {
	var version string
	if json.Unmarshal(o["jsonrpc"], &version) != nil || version != "2.0" {
		return nil, errors.New(`"jsonrpc" is not "2.0"`)
	}
	m := &jsonrpc.Request{}
	if raw := o["method"]; len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &m.Method) != nil {
		return nil, errors.New(`"method" is not a string`)
	}
	var err error
	if id := o["id"]; id != nil {
		if m.ID, err = jsonrpc.MakeID(idKey(id)); err != nil {
			return nil, err
		}
	}
	m.Params, err = hide(m.Method, o["params"])
	return m, err
}

// answerOf reads an answer, or returns nil if it is invalid; the client is not told.
func answerOf(o object) jsonrpc.Message {
	if !isID(o["id"]) {
		return nil
	}
	id, err := jsonrpc.MakeID(idKey(o["id"]))
	if err != nil {
		return nil
	}
	m := &jsonrpc.Response{ID: id, Result: o["result"]}
	if o["error"] != nil {
		failure := &jsonrpc.Error{}
		if json.Unmarshal(o["error"], failure) != nil {
			return nil
		}
		m.Error = failure
	}
	return m
}

// refuse answers a line that is not a message, under its id if it has a valid one.
func (l *lines) refuse(id json.RawMessage, code int64, why string) {
	if !isID(id) || !utf8.Valid(id) {
		id = json.RawMessage("null")
	}
	message, _ := json.Marshal(why)                   // never fails for a string
	defer time.AfterFunc(unreadTime, l.giveUp).Stop() // the reader cannot go on meanwhile
	// An error means that the client is gone, which reading notices as well.
	_ = l.line(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, message))
}
