package server

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxID bounds the text of a request's id and of a progress token, in bytes:
// both are repeated in what is written.
const maxID = 1024

// marked begins the strings that stand for ids and tokens the SDK would change.
// It rounds numbers to whole ones of 64 bits, and repairs strings.
const marked = "\x00"

// isID reports whether a JSON value can be an id: a string or a number. MCP
// forbids null, which JSON-RPC allows.
func isID(raw json.RawMessage) bool {
	return len(raw) > 0 && len(raw) <= maxID && bytes.IndexByte([]byte(`"-0123456789`), raw[0]) >= 0
}

// survives reports whether the SDK writes the JSON of an id or a token as it
// was read.
func survives(raw json.RawMessage) bool {
	if raw[0] == '"' {
		return !bytes.ContainsAny(raw, "\\\u2028\u2029\ufffd")
	}
	const exact = 1 << 53 // a float64 holds every whole number up to here
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return err == nil && -exact <= n && n <= exact && strconv.FormatInt(n, 10) == string(raw)
}

// idKey returns what the SDK is given as an id. Two JSON texts have the same
// key when they are the same id: "a" and "\u0061", 100 and 1e2.
func idKey(raw json.RawMessage) any {
	if raw[0] != '"' {
		if survives(raw) {
			n, _ := strconv.ParseInt(string(raw), 10, 64)
			return float64(n)
		}
		number := canonical(string(raw))
		if whole := json.RawMessage(number); survives(whole) {
			return idKey(whole)
		}
		return marked + number
	}
	var text string
	if json.Unmarshal(raw, &text) != nil || strings.ContainsRune(text, utf8.RuneError) || strings.HasPrefix(text, marked) {
		return marked + string(raw) // may hold half a surrogate pair, and the SDK makes all of these equal
	}
	return text
}

// canonical writes a JSON number so that equal numbers have equal texts. It
// compares, and does not compute: 1e999999999 costs nothing.
func canonical(number string) string {
	digits, negative := strings.CutPrefix(number, "-")
	exponent := 0
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(digits[i+1:]); err != nil || exponent < -1<<30 || exponent > 1<<30 {
			return number
		}
		digits = digits[:i]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short)
	switch {
	case short == "":
		return "0"
	case exponent > 0 && len(short)+exponent <= len("9007199254740992"):
		short += strings.Repeat("0", exponent)
	case exponent != 0:
		short += "e" + strconv.Itoa(exponent)
	}
	if negative {
		short = "-" + short
	}
	return short
}

// An object is JSON of which only the keys are read. They are exact, as the
// SDK's are; of a key that comes twice, the last value counts.
type object map[string]json.RawMessage

func openObject(raw json.RawMessage) (o object, ok bool) {
	return o, json.Unmarshal(raw, &o) == nil && o != nil
}

// marshal leaves JSON that v holds as it is; json.Marshal escapes some of it.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// hide replaces what the SDK would change in a request's parameters: the id in a
// cancellation, and a progress token. An invalid token is removed, because progress is
// optional.
func hide(method string, params json.RawMessage) (json.RawMessage, error) {
	p, _ := openObject(params)
	var err error
	switch method {
	case "notifications/cancelled":
		target := p["requestId"]
		if !isID(target) {
			return nil, nil // no request can have this id
		}
		p["requestId"], err = marshal(idKey(target))
	case "tools/call":
		meta, _ := openObject(p["_meta"])
		token, there := meta["progressToken"]
		switch {
		case !there || isID(token) && survives(token):
			return params, nil
		case isID(token):
			meta["progressToken"], err = marshal(marked + string(token))
		default:
			delete(meta, "progressToken")
		}
		if err == nil {
			p["_meta"], err = marshal(meta)
		}
	default:
		return params, nil
	}
	if err != nil {
		return nil, err
	}
	return marshal(p)
}

// unhide puts back what hide replaced, in a notification's parameters.
func unhide(params json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(params, []byte(`"\u0000`)) {
		return params, nil
	}
	p, _ := openObject(params)
	p.restore("progressToken")
	if meta, ok := openObject(p["_meta"]); ok && meta.restore(mcp.MetaKeySubscriptionID) {
		var err error
		if p["_meta"], err = marshal(meta); err != nil {
			return nil, err
		}
	}
	return marshal(p)
}

// restore puts the client's own JSON in the place of a string that stands for it.
func (o object) restore(key string) bool {
	var text string
	if json.Unmarshal(o[key], &text) != nil {
		return false
	}
	raw, hidden := strings.CutPrefix(text, marked)
	if hidden {
		o[key] = json.RawMessage(raw)
	}
	return hidden
}
