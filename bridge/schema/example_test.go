package schema_test

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/schema"
)

func Example() {
	s, err := schema.Compile(json.RawMessage(`{
		"type": "object",
		"properties": {"title": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
		"required": ["title"]
	}`))
	if err != nil {
		fmt.Println("the tool can not be offered:", err)
		return
	}
	for _, v := range s.Violations(map[string]any{"count": json.Number("0"), "titel": "x"}) {
		fmt.Printf("%q %s\n", v.Path, v.Message)
	}
	// Output:
	// "" missing required "title"
	// "" unknown argument "titel"; did you mean "title"?
	// "/count" expected at least 1
}
