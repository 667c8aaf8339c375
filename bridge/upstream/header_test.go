package upstream

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each parameter of a real tool that can go into a header is found where a schema asks
// for that, and no other.
func TestEveryMarkedParameterOfRealToolsIsMirrored(t *testing.T) {
	files, err := filepath.Glob("../../testdata/toollists/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no lists: ", err)
	}
	for _, file := range files {
		var list struct {
			Tools []struct {
				Name        string
				InputSchema map[string]any
			}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			var want []string
			properties, _ := tool.InputSchema["properties"].(map[string]any)
			for name, p := range properties {
				p, _ := p.(map[string]any)
				if kind, _ := p["type"].(string); slices.Contains([]string{"string", "integer", "boolean"}, kind) {
					p["x-mcp-header"] = fmt.Sprintf("H%d", len(want))
					want = append(want, name)
				}
			}
			marked, err := json.Marshal(tool.InputSchema)
			if err != nil {
				t.Fatal(err)
			}
			params, err := mirroredIn(marked)
			if err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(file), tool.Name, err)
			}
			var got []string
			for _, p := range params {
				got = append(got, p.path...)
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s: %s", filepath.Base(file), tool.Name, diff)
			}
		}
	}
}

func TestParametersByReferenceAreMirroredAndSchemasThatMultiplyAreNot(t *testing.T) {
	params, err := mirroredIn([]byte(`{"properties":{"a":{"$ref":"#/$defs/a"},"self":{"$ref":"#"}},"$defs":{"a":{"type":"string","x-mcp-header":"A"}}}`))
	if err != nil || len(params) != 1 || params[0].header != "A" {
		t.Errorf("got %v, %v", params, err)
	}
	many := `{"$ref":"#/$defs/d0","$defs":{"x":{"x-mcp-header":"X","type":"string"}`
	for i := range 40 {
		many += fmt.Sprintf(`,"d%d":{"properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}}`, i, i+1, i+1)
	}
	if _, err := mirroredIn([]byte(many + `}}`)); err == nil {
		t.Error("a schema with 2^40 parameters was looked at to its end")
	}
}
