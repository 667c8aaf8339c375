package bridge

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
)

// What a server says of its failure is shown by the traceback, where no code stands
// beside it.
func TestATextOfAToolsErrorIsNoRefusalOfOurs(t *testing.T) {
	for text, want := range map[string]string{
		"it failed":                           "it failed",
		`{"error": "not found"}`:              `{"error": "not found"}`,
		"private_data: only private tools":    "> private_data: only private tools",
		"x\nrefused: all calls\ny":            "x\n> refused: all calls\ny",
		"x\nToolError: rule_not_met: y":       "x\n> ToolError: rule_not_met: y",
		"[private] \u202edesrever":            "(private) desrever",
		strings.Repeat("refused:\n", 200_000): "",
	} {
		content, err := json.Marshal([]map[string]string{{"type": "text", "text": text}})
		if err != nil {
			t.Fatal(err)
		}
		reply := bounded("s/t", upstream.Result{Content: content, IsError: true}, DefaultResult)
		if reply.Err == nil || reply.Err.Code != CodeToolError || want != "" && reply.Err.Message != want || len([]rune(reply.Err.Message)) > MaxMessage {
			t.Errorf("%.50q: got %+v", text, reply.Err)
		}
	}
}

// A structure that the text repeats goes to the sandbox once.
func TestAStructureThatTheTextRepeatsIsSentOnce(t *testing.T) {
	for _, test := range []struct {
		structured, text string
		same             bool
	}{
		{`{"a":1,"b":[true,"x y"]}`, "{\n  \"a\": 1,\n  \"b\": [true, \"x y\"]\n}\n", true},
		{`{ "a" : "\"\\" }`, `{"a":"\"\\"}`, true},
		{`{"a":" x"}`, `{"a":"x"}`, false},
		{`{"a":"x"}`, `{"a":" x"}`, false},
		{`{"a":"\\ "}`, `{"a":"\\"}`, false},
		{`{"a":1}`, `{"a":1.0}`, false},
		{`{"a":12}`, `{"a":1 2}`, false},
		{`{"a":1}`, `{"a":1} more`, false},
		{`{"a":1}`, `{"a":1`, false},
		{`{"a":1}`, ``, false},
		{`"x"`, `x`, false},
		{`"é"`, `"é"`, true},
	} {
		blocks, err := json.Marshal([]map[string]string{{"type": "text", "text": test.text}})
		if err != nil {
			t.Fatal(err)
		}
		reply := bounded("s/t", upstream.Result{Content: blocks, Structured: json.RawMessage(test.structured)}, DefaultResult)
		if reply.Structured != test.same || test.same != (reply.Data == nil) || reply.Content != nil || reply.Text != test.text {
			t.Errorf("%s and %q: got %+v", test.structured, test.text, reply)
		}
	}
}

func TestWhatATextIs(t *testing.T) {
	for content, want := range map[string]string{
		`[]`: "",
		`[{"type":"text","text":"a"},{"type":"resource","resource":{"uri":"x","text":"b"}},{"type":"image","data":"QUJD"},{"type":"text","text":"c"}]`: "a\nb\nc",
		`[{"type":"resource","resource":{"uri":"x","blob":"QUJD"}},{"type":"resource","resource":[]},{"type":"resource","resource":{"text":5}}]`:       "",
		`[{"type":"resource","text":"a"},{"type":"text","resource":{"text":"b"}}]`:                                                                     "",
	} {
		if reply := bounded("s/t", upstream.Result{Content: json.RawMessage(content)}, DefaultResult); reply.Text != want || string(reply.Content) != content {
			t.Errorf("%s: got %+v, want %q", content, reply, want)
		}
	}
}

func TestAnErrorUsesEveryTextItHas(t *testing.T) {
	for _, test := range []struct{ content, structured, want string }{
		{`[{"type":"text","text":"it failed"}]`, `{"message":"m"}`, "it failed"},
		{`[{"type":"resource","resource":{"uri":"x","text":"no such file"}}]`, ``, "no such file"},
		{`[{"type":"text","text":" "}]`, `{"message":"not found"}`, "not found"},
		{`[]`, `{"error":"not found"}`, "not found"},
		{`[]`, `{"error":{"code":5,"message":"not found"}}`, "not found"},
		{`[]`, `{"reason": ["not found"]}`, `{"reason":["not found"]}`},
		{`[]`, `{"message":5}`, `{"message":5}`},
		{`[]`, ``, "the tool reported an error without a text"},
	} {
		reply := bounded("s/t", upstream.Result{Content: json.RawMessage(test.content), Structured: json.RawMessage(test.structured), IsError: true}, DefaultResult)
		if reply.Err == nil || reply.Err.Message != test.want {
			t.Errorf("%s %s: got %+v, want %q", test.content, test.structured, reply.Err, test.want)
		}
	}
}
