package config_test

import (
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/cmd/mcp-code-mode/internal/config"
)

func ExampleParse() {
	_, err := config.Parse("mcp.json", []byte(`{"mcpServers": {
  "notes": {"command": "notes-server", "privat": true}}}`))
	fmt.Println(err)
	// Output:
	// mcp.json:2:40: server "notes": key "privat" is unknown
}
