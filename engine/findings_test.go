package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
)

// installation is what the policies of the tests are checked against.
func installation(t *testing.T) (*Config, *check.Known) {
	t.Helper()
	tool := func(server, name, schema string) *check.Tool {
		var s map[string]any
		if err := json.Unmarshal([]byte(schema), &s); err != nil {
			t.Fatal(err)
		}
		return check.NewTool(server, name, s)
	}
	known := &check.Known{Servers: []string{"production", "staging"}, Tools: map[string]*check.Tool{}}
	for _, server := range known.Servers {
		known.Tools[server+"/echo"] = tool(server, "echo", `{}`)
		known.Tools[server+"/note"] = tool(server, "note", `{"properties": {"kind": {"enum": ["private", "public"]}, "text": {"type": "string"}}}`)
		known.Tools[server+"/pay"] = tool(server, "pay", `{"required": ["amount"], "properties": {"amount": {"type": "integer"}, "to": {"type": "string"}}}`)
	}
	return &Config{Servers: map[string]ServerConfig{"production": {Allow: AllTools()}, "staging": {Allow: AllTools()}}}, known
}

// findings loads a family that is laid over the pack and says what is found.
func findings(t *testing.T, pairs ...string) []check.Finding {
	t.Helper()
	config, known := installation(t)
	opts := CheckOptions{Source: Source{FS: packWith(t, pairs...), Name: "mine"}, Config: config, Known: known}
	p, err := load(t.Context(), opts.Source, loadOptions{config: config, known: known})
	if p != nil {
		return append(p.findings, p.tryPlainCalls(t.Context(), opts)...)
	}
	found, err := found(err)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func codesOf(found []check.Finding) []string {
	var codes []string
	for _, f := range found {
		codes = append(codes, f.Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// Every kind is found in each form of its mistake, and not in what was meant.
func TestEachKindIsFoundAndItsCorrectedTwinIsNot(t *testing.T) {
	archives, err := filepath.Glob("testdata/findings/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal(err)
	}
	for _, name := range archives {
		code := strings.TrimSuffix(filepath.Base(name), ".txtar")
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			t.Run(code+"/"+file.Name, func(t *testing.T) {
				t.Parallel()
				found := findings(t, "codemode/rules/team/team.rego", string(file.Data), "lists/data.json", `{"set": {"production/pay": true}, "text": "production/pay", "list": ["production/pay"]}`)
				switch broken := strings.HasPrefix(file.Name, "broken/"); {
				case broken && !slices.Contains(codesOf(found), code):
					t.Errorf("not found, but %v", found)
				case !broken && len(found) > 0:
					t.Errorf("found %v", found)
				}
				for _, f := range found {
					if f.Code != check.FailsOnPlainCall && (f.File == "" || f.Line == 0) || f.Text == "" || f.Why == "" {
						t.Errorf("a part is missing: %+v", f)
					}
				}
			})
		}
	}
}

// What a good engineer writes is left alone.
func TestCorrectPoliciesGetNoFinding(t *testing.T) {
	names, err := filepath.Glob("testdata/correct/*.rego")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 40 {
		t.Errorf("only %d correct policies", len(names))
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if found := findings(t, "codemode/rules/team/team.rego", string(text), "team/data.json", correctData); len(found) > 0 {
				t.Errorf("found %v", found)
			}
		})
	}
	if found := findings(t); len(found) > 0 {
		t.Errorf("the pack: %v", found)
	}
}

const correctData = `{"blocked": ["production/pay"], "clients": {"claude": {"tools": ["staging/echo"]}}, "limit": 100, "hosts": ["example.com"]}`

// The documentation names every kind with its severity.
func TestTheDocumentationListsEveryKind(t *testing.T) {
	page, err := os.ReadFile("../policies/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range check.Kinds() {
		severity, why := check.Describe(code)
		if row := "| `" + code + "` | " + string(severity) + " | " + why + " |"; !strings.Contains(string(page), row) {
			t.Errorf("policies/README.md has no row\n%s", row)
		}
	}
}
