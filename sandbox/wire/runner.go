package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Op tags a line of the protocol.
type Op string

// What the runner says. Each line is one JSON object with exactly these keys:
//
//	{"op":"ready","version":1}
//	{"op":"call","id":7,"tool":"server/add","args":{…}}
//	{"op":"out","text":"…"}
//	{"op":"done","cell":1,"error":null|"…"}
const (
	OpReady Op = "ready" // started, initialised, or alive: the answer to init and ping too
	OpCall  Op = "call"  // the code calls a tool
	OpOut   Op = "out"   // the code printed
	OpDone  Op = "done"  // the cell is over; nothing more follows until the next one
)

// Version is the protocol's version. A runner with another one is refused.
const Version = 1

// MaxTool is the longest tool id in bytes, and so the longest tool name a call
// can carry.
const MaxTool = 1024

// Message is one line from the runner. Op says which of the other fields mean
// something; the rest are zero.
type Message struct {
	Op      Op
	Version int64  // OpReady
	Call    Call   // OpCall
	Text    string // OpOut, never empty
	Cell    int64  // OpDone
	Error   string // OpDone; "" for none
}

// The keys of runner lines, as bits of a set.
const (
	keyOp = 1 << iota
	keyVersion
	keyID
	keyTool
	keyArgs
	keyText
	keyCell
	keyError
)

var keyBits = map[string]int{
	"op": keyOp, "version": keyVersion, "id": keyID, "tool": keyTool,
	"args": keyArgs, "text": keyText, "cell": keyCell, "error": keyError,
}

// opKeys are the keys a line of each op has, no more and no fewer.
var opKeys = map[Op]int{
	OpReady: keyOp | keyVersion,
	OpCall:  keyOp | keyID | keyTool | keyArgs,
	OpOut:   keyOp | keyText,
	OpDone:  keyOp | keyCell | keyError,
}

// ParseRunner reads one line from the runner, without its newline, in one
// pass; a call's arguments are decoded here and never again. The order of keys
// is free, everything else is not: an unknown op, an unknown, missing or
// repeated key, a value of the wrong type, and all that Decode refuses (with
// its default limits, the depth counted from the arguments) is an error that
// wraps ErrViolation.
func ParseRunner(line []byte) (Message, error) {
	d, err := newDecoder(line, DecodeLimits{Bytes: MaxLine}.withDefaults())
	if err != nil {
		return Message{}, violation("%v", err)
	}
	m, seen, err := d.message()
	if err != nil {
		return Message{}, err
	}
	want, known := opKeys[m.Op]
	switch {
	case seen&keyOp == 0:
		return Message{}, violation("no op")
	case !known:
		return Message{}, violation("unknown op %q", cut(string(m.Op), 32))
	case seen != want:
		return Message{}, violation("wrong keys for op %q", m.Op)
	}
	return m, nil
}

// message reads an object of keys that runner lines may have, and which of
// them were there.
func (d *decoder) message() (m Message, seen int, err error) {
	d.space()
	if d.peek() != '{' {
		return m, 0, violation("not a JSON object")
	}
	d.pos++
	d.space()
	for more := true; more; {
		key, err := d.key()
		if err != nil {
			return m, 0, violation("%v", err)
		}
		bit := keyBits[key]
		if bit == 0 || seen&bit != 0 {
			return m, 0, violation("unknown or repeated key %q", cut(key, 32))
		}
		seen |= bit
		if err := d.member(&m, bit); err != nil {
			return m, 0, violation("key %q: %v", key, err)
		}
		if more, err = d.next('}'); err != nil {
			return m, 0, violation("%v", err)
		}
	}
	d.space()
	if d.pos != len(d.data) {
		return m, 0, violation("more than one value")
	}
	return m, seen, nil
}

// member reads the value of one key into m.
func (d *decoder) member(m *Message, bit int) (err error) {
	switch bit {
	case keyOp:
		var op string
		op, err = d.text()
		m.Op = Op(op)
	case keyVersion:
		m.Version, err = d.positive()
	case keyID:
		m.Call.ID, err = d.positive()
	case keyTool:
		m.Call.Tool, err = d.text()
		if len(m.Call.Tool) > MaxTool {
			return fmt.Errorf("longer than %d bytes", MaxTool)
		}
	case keyArgs:
		start, slack := d.pos, d.slack
		m.Call.Args, err = d.value(0)
		m.Call.ArgsBytes = d.pos - start - (d.slack - slack)
	case keyText:
		m.Text, err = d.text()
	case keyCell:
		m.Cell, err = d.positive()
	case keyError:
		if d.peek() == 'n' {
			return d.literal("null")
		}
		m.Error, err = d.text()
	}
	return err
}

// text reads a string that is not empty.
func (d *decoder) text() (string, error) {
	if d.peek() != '"' {
		return "", errors.New("not a string")
	}
	s, err := d.string()
	if err == nil && s == "" {
		return "", errors.New("empty")
	}
	return s, err
}

// positive reads a whole number from 1 to 2^63-1, written in digits only.
func (d *decoder) positive() (int64, error) {
	var n json.Number
	if c := d.peek(); c < '0' || c > '9' {
		return 0, errors.New("not a positive integer")
	}
	n, err := d.number()
	if err != nil {
		return 0, err
	}
	i, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil || i < 1 {
		return 0, errors.New("not a positive integer")
	}
	return i, nil
}
