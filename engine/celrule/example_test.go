package celrule_test

import (
	"context"
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/engine/celrule"
)

// A rule over the arguments of a tool, typed by the tool's schema.
func ExampleCompile() {
	schema := []byte(`{"type": "object", "properties": {"title": {"type": "string"}, "priority": {"enum": ["low", "high"]}}}`)
	rule, err := celrule.Compile(`size(args.title) <= 20 && args.priority == 'low'`, schema)
	if err != nil {
		fmt.Println(err)
		return
	}
	ok, err := rule.Eval(context.Background(), map[string]any{"title": "Short", "priority": "low"}, engine.Tool{}, engine.Session{})
	fmt.Println(ok, err)

	_, err = celrule.Compile(`size(args.titel) <= 20`, schema)
	fmt.Println(err)
	// Output:
	// true <nil>
	// compiling the rule "size(args.titel) <= 20": at character 10: undefined field 'titel'; there are the fields: priority, title
}
