package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
)

// A channel carries JSON-RPC messages to and from one running server.
type channel interface {
	// send hands a message over. It returns when ctx ends, even in the middle.
	send(ctx context.Context, m *message) error
	// post hands a message over without waiting and drops it when that is
	// impossible: a server that floods us can not make us wait for it.
	post(m *message)
	// receive returns the next message. Its error ends the channel and says why.
	receive() (*incoming, error)
	// close ends the server and waits until nothing of it is left. It may be called
	// more than once, and while other methods are running; these then return.
	close()
}

// message is what we send: a request (id set), a notification, or the reply to a
// request of the server (reply set).
type message struct {
	id     int64
	method string
	params json.RawMessage
	reply  json.RawMessage // the id of the request that is answered
	ok     bool            // reply: an empty result instead of "method not found"
}

// refusal is what every request of a server but ping gets.
const (
	refusalCode = -32601
	refusalText = "this client offers nothing to servers"
)

// encode returns the message as one line.
func (m *message) encode() []byte {
	b := make([]byte, 0, 96+len(m.method)+len(m.params)+len(m.reply))
	b = append(b, `{"jsonrpc":"2.0"`...)
	if m.reply != nil {
		b = append(append(b, `,"id":`...), m.reply...)
		if m.ok {
			b = append(b, `,"result":{}`...)
		} else {
			b = fmt.Appendf(b, `,"error":{"code":%d,"message":%q}`, refusalCode, refusalText)
		}
		return append(b, "}\n"...)
	}
	if m.id != 0 {
		b = strconv.AppendInt(append(b, `,"id":`...), m.id, 10)
	}
	b = append(append(append(b, `,"method":"`...), m.method...), '"')
	if m.params != nil {
		b = append(append(b, `,"params":`...), m.params...)
	}
	return append(b, "}\n"...)
}

// incoming is what the server sent: a request (id and method set), a notification
// (method only) or an answer (id only).
type incoming struct {
	id     json.RawMessage
	method string
	result json.RawMessage // of an answer; it owns its memory and is JSON
	err    error           // of an answer: why there is no result
	about  int64           // of a notification of progress: the request it is about
}

// parse reads one JSON-RPC message. What it returns shares memory with data.
func parse(data []byte) (*incoming, error) {
	v, err := fields(data, "jsonrpc", "id", "method", "result", "error", "params")
	if err != nil {
		return nil, err
	}
	if version, _ := text(v[0]); version != "2.0" {
		return nil, fmt.Errorf("not a JSON-RPC message")
	}
	m := &incoming{id: v[1], result: v[3]}
	if v[2] != nil {
		var ok bool
		if m.method, ok = text(v[2]); !ok {
			return nil, fmt.Errorf("the method is not a string")
		}
		m.about = aboutProgress(m.method, v[5])
		return m, nil
	}
	switch {
	case m.id == nil:
		return nil, fmt.Errorf("neither an id nor a method")
	case v[4] != nil:
		m.result, m.err = nil, rpcError(v[4])
	case m.result == nil:
		m.err = fmt.Errorf("%w: neither a result nor an error", ErrBadAnswer)
	}
	return m, nil
}

// methodProgress is the notification of a server that a request makes progress. Of it only the
// request is read, whose id is its token: what the server says goes nowhere.
const methodProgress = "notifications/progress"

func aboutProgress(method string, params []byte) int64 {
	if method != methodProgress || !isObject(params) {
		return 0
	}
	v, _ := fields(params, "progressToken")
	id, _ := integer(v[0])
	return id
}

// rpcError reads a JSON-RPC error object, also a malformed one.
func rpcError(raw json.RawMessage) *RPCError {
	if !isObject(raw) {
		return &RPCError{Message: oneLine(string(raw), maxErrorText)}
	}
	v, _ := fields(raw, "code", "message", "data")
	code, _ := integer(v[0])
	msg, ok := text(v[1])
	if !ok {
		msg = string(v[1])
	}
	e := &RPCError{Code: code, Message: oneLine(msg, maxErrorText)}
	if isObject(v[2]) {
		data, _ := fields(v[2], "supported")
		e.supported = texts(data[0])
	}
	return e
}

// integer returns the integer that the checked JSON value raw is. Servers are
// known to answer the id 7 with "7" and with 7.0; both are 7.
func integer(raw json.RawMessage) (int64, bool) {
	s := string(raw)
	if t, ok := text(raw); ok {
		s = t
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if n := int64(f); err == nil && float64(n) == f {
		return n, true
	}
	return 0, false
}

// lastMembers matches the end of an answer whose id comes after its result.
var lastMembers = regexp.MustCompile(
	`"id"\s*:\s*(-?\d{1,18}|"\d{1,18}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?(?:,\s*"error"\s*:\s*null\s*)?\}\s*$`)

// blame finds the call that an unusable line was meant to answer, from the beginning
// and the end of the line. So this call fails now instead of at its timeout. The
// result is nil if the line does not look like an answer.
func blame(head, tail []byte) json.RawMessage {
	if !bytes.HasPrefix(bytes.TrimLeft(head, " \t"), []byte("{")) {
		return nil
	}
	if !bytes.Contains(head, []byte(`"jsonrpc"`)) && !bytes.Contains(tail, []byte(`"jsonrpc"`)) {
		return nil
	}
	v, _ := fields(head, "id", "method")
	switch m := lastMembers.FindSubmatch(tail); {
	case v[1] != nil:
		return nil
	case v[0] != nil:
		return v[0]
	case m != nil:
		return m[1]
	}
	return nil
}
