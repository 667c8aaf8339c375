package celrule_test

import (
	"encoding/json"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/engine/celrule"
)

func BenchmarkRule(b *testing.B) {
	schema := json.RawMessage(`{"type": "object", "properties": {
		"title": {"type": "string"}, "body": {"type": "string"}, "priority": {"type": "integer"},
		"labels": {"type": "array", "items": {"type": "string"}}}}`)
	for _, expr := range []string{
		`size(args.title) <= 200`,
		`args.priority <= 5 && args.labels.all(l, l in ['bug', 'import', 'docs'])`,
	} {
		b.Run(expr, func(b *testing.B) {
			rule, err := celrule.Compile(expr, schema)
			if err != nil {
				b.Fatal(err)
			}
			args := map[string]any{
				"title": "The import drops the last line", "body": "As the title says.",
				"labels": []any{"bug", "import"}, "priority": json.Number("2"),
			}
			if ok, err := rule.Eval(b.Context(), args, engine.Tool{}, engine.Session{}); !ok {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				_, _ = rule.Eval(b.Context(), args, engine.Tool{}, engine.Session{})
			}
		})
	}
}
