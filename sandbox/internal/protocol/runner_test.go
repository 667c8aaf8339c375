package protocol_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/protocol"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

var goodLines = []struct {
	line string
	want protocol.Message
}{
	{`{"op":"ready","version":1}`, protocol.Message{Op: protocol.OpReady, Version: 1}},
	{`{"op":"cancel","id":7}`, protocol.Message{Op: protocol.OpCancel, Call: wire.Call{ID: 7}}},
	{`{"op":"out","text":"a\n\u2028"}`, protocol.Message{Op: protocol.OpOut, Text: "a\n\u2028"}},
	{`{"op":"done","cell":3,"error":null}`, protocol.Message{Op: protocol.OpDone, Cell: 3}},
	{`{"op":"done","cell":3,"error":"x"}`, protocol.Message{Op: protocol.OpDone, Cell: 3, Error: "x"}},
	{`{"op":"call","id":7,"tool":"server/add","args":{"a":1}}`, protocol.Message{Op: protocol.OpCall, Call: wire.Call{
		ID: 7, Tool: "server/add", Args: map[string]any{"a": json.Number("1")},
	}}},
	{` { "args" : [ 1 , "\u00e9\/" ] , "tool":"x", "id":9223372036854775807, "op":"call" } `, protocol.Message{Op: protocol.OpCall, Call: wire.Call{
		ID: 9223372036854775807, Tool: "x", Args: []any{json.Number("1"), "é/"},
	}}},
	{`{"op":"call","id":1,"tool":"x","args":null}`, protocol.Message{Op: protocol.OpCall, Call: wire.Call{ID: 1, Tool: "x"}}},
}

func TestParseRunnerReadsEveryKnownLine(t *testing.T) {
	for _, test := range goodLines {
		got, err := protocol.ParseRunner([]byte(test.line))
		if err != nil {
			t.Errorf("%s: %v", test.line, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.line, diff)
		}
	}
}

var badLines = []string{
	``, `null`, `[]`, `"out"`, `{}`, `{`, `garbage`, "\x00",
	`{"op":null}`, `{"op":"","text":"x"}`, `{"op":"exec","cell":1,"code":"1"}`, `{"OP":"ready","version":1}`, `{"op":"Ready","version":1}`,
	`{"version":1}`, `{"op":"ready"}`, `{"op":"ready","version":1,"x":1}`, `{"op":"ready","version":1,"cell":1}`,
	`{"op":"ready","version":1}{}`, `{"op":"ready","version":1},`, `{"op":"ready","op":"ready","version":1}`,
	`{"op":"ready","version":0}`, `{"op":"ready","version":-1}`, `{"op":"ready","version":"1"}`, `{"op":"ready","version":1.0}`, `{"op":"ready","version":1e0}`,
	`{"op":"cancel"}`, `{"op":"cancel","id":0}`, `{"op":"cancel","id":1,"tool":"x"}`, `{"op":"cancel","id":"1"}`,
	`{"op":"out","text":""}`, `{"op":"out","text":1}`, `{"op":"out","text":null}`, `{"op":"out","text":"\ud800"}`, "{\"op\":\"out\",\"text\":\"\xff\"}",
	`{"op":"done","cell":1}`, `{"op":"done","cell":1,"error":""}`, `{"op":"done","cell":1,"error":false}`, `{"op":"done","cell":9223372036854775808,"error":null}`,
	`{"op":"call","id":0,"tool":"x","args":{}}`, `{"op":"call","id":-1,"tool":"x","args":{}}`, `{"op":"call","id":1,"tool":"","args":{}}`,
	`{"op":"call","id":1,"tool":"x"}`, `{"op":"call","id":1,"tool":"x","args":{"a":1,"a":1}}`, `{"op":"call","id":1,"tool":"x","args":NaN}`,
	`{"op":"call","id":1,"tool":"x","args":{},"args":{}}`, `{"op":"call","id":1,"tool":"x","args":1e1001}`,
	`{"op":"call","id":1,"tool":"` + strings.Repeat("x", wire.MaxTool+1) + `","args":{}}`,
	`{"op":"call","id":1,"tool":"x","args":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`,
	`{"op":"call","id":1,"tool":"x","args":[` + strings.Repeat("0,", 100_000) + `0]}`,
}

func TestParseRunnerTreatsEverythingElseAsAViolation(t *testing.T) {
	for _, line := range badLines {
		m, err := protocol.ParseRunner([]byte(line))
		if !errors.Is(err, protocol.ErrViolation) || !cmp.Equal(m, protocol.Message{}) {
			t.Errorf("%.60s: got %+v, %v", line, m, err)
		}
		if err != nil && (len(err.Error()) < len("protocol violation: x") || len(err.Error()) > 500) {
			t.Errorf("%.60s: %d bytes of reason: %v", line, len(err.Error()), err)
		}
	}
}

func TestArgumentsAreAsDeepAsDecodeAllows(t *testing.T) {
	for depth, ok := range map[int]bool{64: true, 65: false} {
		line := fmt.Sprintf(`{"op":"call","id":1,"tool":"x","args":%s%s}`, strings.Repeat("[", depth), strings.Repeat("]", depth))
		if _, err := protocol.ParseRunner([]byte(line)); (err == nil) != ok {
			t.Errorf("%d levels: %v", depth, err)
		}
	}
}
