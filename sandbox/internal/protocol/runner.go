package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// Op tags a line of the protocol.
type Op string

// What the runner says. Each line is one JSON object with exactly these keys:
//
//	{"op":"ready","version":2}
//	{"op":"call","id":7,"tool":"server/add","args":{…}}
//	{"op":"cancel","id":7}
//	{"op":"out","text":"…"}
//	{"op":"done","cell":1,"error":null|"…"}
const (
	OpReady  Op = "ready"  // started, initialised, or alive: the answer to init and ping too
	OpCall   Op = "call"   // the code calls a tool
	OpCancel Op = "cancel" // the code does not wait for the answer to a call any more
	OpOut    Op = "out"    // the code printed
	OpDone   Op = "done"   // the cell is over; nothing more follows until the next one
)

// Version is the protocol's version. A runner with another one is refused.
const Version = 2

// Message is one line from the runner. Op says which of the other fields mean
// something; the rest are zero.
type Message struct {
	Op      Op
	Version int64     // OpReady
	Call    wire.Call // OpCall; OpCancel: only the id
	Text    string    // OpOut, never empty
	Cell    int64     // OpDone
	Error   string    // OpDone; "" for none
}

// opKeys are the keys a line of each op has besides "op", no more and no fewer.
var opKeys = map[Op][]string{
	OpReady:  {"version"},
	OpCall:   {"id", "tool", "args"},
	OpCancel: {"id"},
	OpOut:    {"text"},
	OpDone:   {"cell", "error"},
}

// lineBounds are the defaults for a call's arguments, and what is around them. How
// many bytes there may be is for the Reader to say.
var lineBounds = strictjson.Bounds{
	Depth:  strictjson.DefaultDepth + 1,
	Values: strictjson.DefaultValues + 4,
}

// ParseRunner reads one line from the runner, without its newline, in one
// pass; a call's arguments are decoded here and never again. The order of keys
// is free, everything else is not: an unknown op, an unknown, missing or
// repeated key, a value of the wrong type, and all that package strictjson
// refuses (with its default bounds for the arguments) is an error that wraps
// ErrViolation.
func ParseRunner(line []byte) (Message, error) {
	lim := lineBounds
	lim.Bytes = len(line)
	v, err := strictjson.Decode(line, lim)
	if err != nil {
		return Message{}, violation("%v", err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return Message{}, violation("not a JSON object")
	}
	op, _ := object["op"].(string)
	keys, ok := opKeys[Op(op)]
	if !ok {
		return Message{}, violation("unknown op %.32q", op)
	}
	if len(object) != 1+len(keys) {
		return Message{}, violation("wrong keys for op %q", op)
	}
	m := Message{Op: Op(op)}
	for _, key := range keys {
		v, ok := object[key]
		if !ok {
			return Message{}, violation("no key %q for op %q", key, op)
		}
		if err := m.set(key, v); err != nil {
			return Message{}, violation("key %q: %v", key, err)
		}
	}
	return m, nil
}

// set takes the value of one key.
func (m *Message) set(key string, v any) (err error) {
	switch key {
	case "version":
		m.Version, err = positive(v)
	case "id":
		m.Call.ID, err = positive(v)
	case "tool":
		m.Call.Tool, err = text(v)
		if len(m.Call.Tool) > wire.MaxTool {
			return fmt.Errorf("longer than %d bytes", wire.MaxTool)
		}
	case "args":
		m.Call.Args = v
	case "text":
		m.Text, err = text(v)
	case "cell":
		m.Cell, err = positive(v)
	case "error":
		if v != nil {
			m.Error, err = text(v)
		}
	}
	return err
}

// text takes a string that is not empty.
func text(v any) (string, error) {
	s, ok := v.(string)
	if !ok || s == "" {
		return "", errors.New("not a string, or empty")
	}
	return s, nil
}

// positive takes a whole number from 1 to 2^63-1, written in digits only.
func positive(v any) (int64, error) {
	n, _ := v.(json.Number)
	i, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil || i < 1 {
		return 0, errors.New("not a positive integer")
	}
	return i, nil
}
