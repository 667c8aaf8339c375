package wire_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

var jsonSeeds = []string{
	``, `null`, `[1,2.5e-3,-0,"a\u00e9\ud83d\ude00",{"k":[true,false,null]}]`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"",
	`[[[[[[[[[[]]]]]]]]]]`, `123456789012345678901234567890`, `1e1001`, ` { "a" : [ 1 , 2 ] } `, `{"a":{"b":{"c":"\/\b\f\n\r\t"}}}`,
	`tru`, `[1,]`, `"a` + "\n" + `"`, `{"\u0061":1,"a":2}`, "\"\u2028\"", `{"":""}`,
}

// FuzzDecode: what Decode takes is within its limits and valid to encoding/json
// too, Append writes it back unchanged, and an error comes with no value.
func FuzzDecode(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lim := wire.DecodeLimits{Bytes: 1 << 16, Depth: 8, Values: 1000}
		v, err := wire.Decode(data, lim)
		if err != nil {
			var e *wire.DecodeError
			if v != nil || !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(data) {
				t.Fatalf("got %v with %v", v, err)
			}
			return
		}
		if values, depth := measure(v); len(data) > lim.Bytes || values > lim.Values || depth > lim.Depth {
			t.Fatalf("beyond its limits: %d bytes, %d values, %d levels", len(data), values, depth)
		}
		text, err := wire.Append(nil, v)
		if err != nil {
			t.Fatalf("appending what was decoded: %v", err)
		}
		again, err := wire.Decode(text, lim)
		if err != nil || !cmp.Equal(v, again) {
			t.Fatalf("%s decodes to another value (%v):\n%s", text, err, cmp.Diff(v, again))
		}
		twice, err := wire.Append(nil, again)
		if err != nil || string(twice) != string(text) {
			t.Fatalf("got %s and then %s (%v)", text, twice, err)
		}
		if !json.Valid(data) {
			t.Fatal("encoding/json refuses it")
		}
	})
}

// FuzzParseRunner: every line is either a message of a known shape or a
// violation with nothing beside it, and a call's size is that of its encoding.
func FuzzParseRunner(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(s))
		f.Add([]byte(`{"op":"call","id":7,"tool":"a/b","args":` + s + `}`))
	}
	for _, s := range goodLines {
		f.Add([]byte(s.line))
	}
	for _, s := range badLines {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := wire.ParseRunner(line)
		if err != nil {
			if !errors.Is(err, wire.ErrViolation) || !cmp.Equal(m, wire.Message{}) {
				t.Fatalf("got %+v with %v", m, err)
			}
			return
		}
		switch m.Op {
		case wire.OpReady:
			m.Version = 0
		case wire.OpOut:
			if m.Text == "" {
				t.Fatal("empty output")
			}
			m.Text = ""
		case wire.OpDone:
			m.Cell, m.Error = 0, ""
		case wire.OpCall:
			text, err := wire.Append(nil, m.Call.Args)
			if err != nil || len(text) != m.Call.ArgsBytes || m.Call.ID < 1 || m.Call.Tool == "" {
				t.Fatalf("got %+v for %s (%v)", m.Call, text, err)
			}
			m.Call = wire.Call{}
		}
		if !cmp.Equal(m, wire.Message{Op: m.Op}) {
			t.Fatalf("fields of another op: %+v", m)
		}
	})
}

// measure counts a value's parts and how deep they lie.
func measure(v any) (values, depth int) {
	values = 1
	var members []any
	switch v := v.(type) {
	case []any:
		members, depth = v, 1
	case map[string]any:
		depth = 1
		for _, m := range v {
			members = append(members, m)
		}
	}
	for _, m := range members {
		n, d := measure(m)
		values += n
		depth = max(depth, d+1)
	}
	return values, depth
}
