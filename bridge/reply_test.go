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
		reply := bounded("s/t", upstream.Result{Content: content, IsError: true})
		if reply.Err == nil || reply.Err.Code != CodeToolError || want != "" && reply.Err.Message != want || len([]rune(reply.Err.Message)) > MaxMessage {
			t.Errorf("%.50q: got %+v", text, reply.Err)
		}
	}
}
