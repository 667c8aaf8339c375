package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func logEngine(t *testing.T, rego string) *Engine {
	t.Helper()
	e, err := New(t.Context(), Options{Policy: packWith(t, "log/log.rego", "package system.log\n"+rego)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestRulesForTheLogAreThoseOfOPA(t *testing.T) {
	e := logEngine(t, `
drop if input.input.tool.id == "a/noise"
mask contains "/input/call/args/token" if input.input.call.args.token
mask contains {"op": "upsert", "path": "/result/denials", "value": [1.10]} if input.result.allow == false
mask contains {"op": "remove", "path": "/input/session"}`)
	event := map[string]any{
		"input":  map[string]any{"tool": map[string]any{"id": "a/b"}, "call": map[string]any{"args": map[string]any{"token": "x"}}},
		"result": map[string]any{"allow": false},
	}
	got, err := e.LogRules(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	want := LogRules{Mask: []MaskRule{
		{Path: []string{"input", "call", "args", "token"}, Text: "/input/call/args/token"},
		{Path: []string{"input", "session"}, Text: "/input/session"},
		{Path: []string{"result", "denials"}, Text: "/result/denials", Upsert: true, Value: []any{json.Number("1.10")}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	event["input"].(map[string]any)["tool"].(map[string]any)["id"] = "a/noise"
	if got, err = e.LogRules(t.Context(), event); err != nil || !got.Drop {
		t.Errorf("%+v, %v", got, err)
	}
	if plain := logEngine(t, "_nothing := 1"); plain.HasLogRules() {
		t.Error("a policy without rules for the log has some")
	}
}

// Rules that give no answer are an error: the event could hold what must not be seen. The error
// holds nothing of it.
func TestRulesForTheLogThatFailAreAnError(t *testing.T) {
	for _, rego := range []string{
		`mask contains "input/call"`,
		`mask contains "/labels"`,
		`mask contains {"op": "hide", "path": "/input"}`,
		`mask contains {"op": "remove"}`,
		`mask contains 1`,
		`mask := "/input"`,
		`mask contains sprintf("/input/%d", [to_number(input.input.secret)])`,
		`drop := "yes"`,
		`drop if to_number(input.input.secret) > 1`,
		`mask contains sprintf("/input/%d", [n]) if some n in numbers.range(1, 1001)`,
	} {
		rules, err := logEngine(t, rego).LogRules(t.Context(), map[string]any{"input": map[string]any{"secret": "hunter2"}})
		if err == nil {
			t.Errorf("%s: %+v", rego, rules)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error tells the secret: %v", rego, err)
		}
	}
}
