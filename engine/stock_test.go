package engine

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"golang.org/x/tools/txtar"
)

// Whatever is allowed here is allowed by stock OPA: what we add refuses more, and nothing less.
func TestStockOPAAllowsWhateverIsAllowedHere(t *testing.T) {
	archives, err := filepath.Glob("testdata/findings/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	config, _ := installation(t)
	allowed, refused := 0, 0
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.Contains(string(file.Data), "numbers.range") {
				continue // stock OPA would take its time
			}
			policy := packWith(t, "codemode/rules/team/team.rego", string(file.Data))
			e, err := New(t.Context(), Options{Policy: policy, Config: *config})
			if err != nil {
				continue
			}
			stock := stockQuery(t, policy, config)
			for _, r := range stockRequests() {
				if !e.Decide(t.Context(), r).Allow {
					refused++
					continue
				}
				allowed++
				if !stockAllows(t, stock, r) {
					t.Errorf("%s %s: %+v is allowed here only", name, file.Name, r)
				}
			}
		}
	}
	if allowed < 100 || refused < 100 {
		t.Errorf("%d allowed and %d refused say little", allowed, refused)
	}
}

func stockRequests() []*Request {
	var all []*Request
	for _, server := range []string{"production", "staging"} {
		for _, args := range []map[string]any{{}, {"amount": nil}, {"amount": json.Number("5"), "tags": "x"}, {"amount": "5", "tags": []any{}, "path": "/etc", "zone": "eu"}} {
			r := packRequest()
			r.Tool = Tool{ID: server + "/echo", Server: server, Name: "echo", Known: true}
			r.Call.Args, r.Call.Rules = args, nil
			all = append(all, r)
		}
	}
	return all
}

// stockQuery is the decision as `opa eval` prepares it: nothing of ours but the files and the config.
func stockQuery(t *testing.T, policy fstest.MapFS, config *Config) rego.PreparedEvalQuery {
	t.Helper()
	text, err := config.Document()
	if err != nil {
		t.Fatal(err)
	}
	var data map[string]any
	if err := json.Unmarshal(text, &data); err != nil {
		t.Fatal(err)
	}
	modules := map[string]string{}
	for name, file := range policy {
		if strings.HasSuffix(name, ".rego") && !isTest(name) {
			modules[name] = string(file.Data)
		}
	}
	compiler, err := ast.CompileModules(modules)
	if err != nil {
		t.Fatal(err)
	}
	query, err := rego.New(rego.Query(decisionPath+".allow"), rego.Compiler(compiler), rego.Store(inmem.NewFromObject(data))).PrepareForEval(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return query
}

func stockAllows(t *testing.T, query rego.PreparedEvalQuery, r *Request) bool {
	t.Helper()
	text, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var input any
	if err := json.Unmarshal(text, &input); err != nil {
		t.Fatal(err)
	}
	results, err := query.Eval(t.Context(), rego.EvalInput(input))
	return err == nil && results.Allowed()
}
