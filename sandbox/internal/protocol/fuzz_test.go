package protocol_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/protocol"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

var jsonSeeds = []string{
	``, `null`, `[1,2.5e-3,-0,"a\u00e9\ud83d\ude00",{"k":[true,false,null]}]`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"",
	`[[[[[[[[[[]]]]]]]]]]`, `123456789012345678901234567890`, `1e1001`, ` { "a" : [ 1 , 2 ] } `, `{"a":{"b":{"c":"\/\b\f\n\r\t"}}}`,
	`tru`, `[1,]`, `"a` + "\n" + `"`, `{"\u0061":1,"a":2}`, "\"\u2028\"", `{"":""}`,
}

// FuzzParseRunner: every line is either a message of a known shape or a
// violation with nothing beside it, and a call's arguments can be sent on.
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
		m, err := protocol.ParseRunner(line)
		if err != nil {
			if !errors.Is(err, protocol.ErrViolation) || !cmp.Equal(m, protocol.Message{}) {
				t.Fatalf("got %+v with %v", m, err)
			}
			return
		}
		switch m.Op {
		case protocol.OpReady:
			m.Version = 0
		case protocol.OpOut:
			if m.Text == "" {
				t.Fatal("empty output")
			}
			m.Text = ""
		case protocol.OpDone:
			m.Cell, m.Error = 0, ""
		case protocol.OpCancel:
			if !cmp.Equal(m.Call, wire.Call{ID: m.Call.ID}) || m.Call.ID < 1 {
				t.Fatalf("got %+v", m.Call)
			}
			m.Call = wire.Call{}
		case protocol.OpCall:
			text, err := strictjson.Append(nil, m.Call.Args)
			if err != nil || m.Call.ID < 1 || m.Call.Tool == "" {
				t.Fatalf("got %+v for %s (%v)", m.Call, text, err)
			}
			m.Call = wire.Call{}
		}
		if !cmp.Equal(m, protocol.Message{Op: m.Op}) {
			t.Fatalf("fields of another op: %+v", m)
		}
	})
}
