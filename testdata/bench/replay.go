package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// replayCommand makes this program an MCP server on stdio that lists the tools of
// a file and answers every call at once.
const replayCommand = "replay"

func replay(file string) error {
	list, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var compact json.RawMessage
	if err := json.Unmarshal(list, &compact); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	answers := map[string]any{
		"initialize": map[string]any{
			"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": "replay", "version": "1"},
		},
		"tools/list": compact,
		"tools/call": json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`),
	}
	out := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m.ID == nil {
			continue
		}
		reply := map[string]any{"jsonrpc": "2.0", "id": m.ID}
		if result, ok := answers[m.Method]; ok {
			reply["result"] = result
		} else {
			reply["error"] = map[string]any{"code": -32601, "message": "method not found"}
		}
		if err := out.Encode(reply); err != nil {
			return err
		}
	}
	return lines.Err()
}
