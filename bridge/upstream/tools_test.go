package upstream

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(u *Upstream) (all []string) {
	for _, t := range u.Tools() {
		all = append(all, t.Name)
	}
	return all
}

func mode(modes ...string) Options { return Options{Command: &Command{Path: hostile, Args: modes}} }

func TestABadDefinitionCostsItsToolAtMost(t *testing.T) {
	u := startTest(t, mode("badtools"))
	want := []string{"good", "odd_annotations", "array_annotations", "odd_description", "odd_output",
		"long_description", "hostile_text", "small", "last"}
	if diff := cmp.Diff(want, names(u)); diff != "" {
		t.Errorf("tools kept (-want +got):\n%s", diff)
	}
	const noSchema = " is left out: its inputSchema is not an object, so no arguments could be checked"
	warnings := []string{
		"a tool after 1 others is left out: its name is not a string",
		"a tool after 1 others is left out: its name is not a string",
		"a tool after 1 others is left out: its name is empty",
		"a tool after 1 others is left out: its name is not a string",
		`a tool after 1 others is left out: its name "` + strings.Repeat("n", 39) + `…" is over 256 bytes`,
		`a tool after 1 others is left out: its name "bidi name" holds characters that can not be seen`,
		`tool "no_schema"` + noSchema,
		`tool "null_schema"` + noSchema,
		`tool "array_schema"` + noSchema,
		`tool "string_schema"` + noSchema,
		`tool "deep_schema" is left out: its definition nests more than 128 levels`,
		"a tool after 1 others is left out: its definition is over 1 MiB",
		"a tool after 1 others is left out: reading its definition: a member occurs twice",
		`tool "good" is left out: the name is taken by an earlier tool`,
		"a tool after 1 others is left out: reading its definition: invalid JSON",
		"a tool after 1 others is left out: reading its definition: invalid JSON",
		"a tool after 1 others is left out: reading its definition: invalid JSON",
		`tool "odd_annotations": its annotation "readOnlyHint" is not a boolean; ignored`,
		`tool "odd_annotations": its annotation "destructiveHint" is not a boolean; ignored`,
		`tool "array_annotations": its annotations are not an object of at most 32 booleans; ignored`,
		`tool "odd_description": its title is not a string; ignored`,
		`tool "odd_description": its description is not a string; ignored`,
		`tool "odd_output": its outputSchema is not an object; ignored`,
		`tool "long_description": its description is over 64 KiB; cut`,
	}
	if diff := cmp.Diff(warnings, u.Warnings()); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestADefinitionKeepsItsTextAndOrder(t *testing.T) {
	u := startTest(t, mode("badtools"))
	byName := map[string]Tool{}
	for _, tool := range u.Tools() {
		byName[tool.Name] = tool
	}
	if got, want := string(byName["last"].InputSchema), `{"zeta":1,"alpha":{"const":123456789012345678901234567890},"type":"object"}`; got != want {
		t.Errorf("schema %s, want %s", got, want)
	}
	if diff := cmp.Diff(map[string]bool{"readOnlyHint": true}, byName["good"].Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	if got, want := byName["good"].Description, "Fine."; got != want {
		t.Errorf("the impostor won: %q", got)
	}
	if got, want := byName["hostile_text"].Description, "\"\"\" \\ \u202e\x00\x1b[31m\u2028 \uFFFD \uFFFD"; got != want {
		t.Errorf("description %q, want %q", got, want)
	}
	if got := len(byName["long_description"].Description); got != maxDescription {
		t.Errorf("description of %d bytes", got)
	}
}

func TestEveryPageIsReadAndNoLoopIsFollowed(t *testing.T) {
	for name, want := range map[string]struct {
		tools   int
		warning string
	}{
		"paged":     {5, ""},
		"loop":      {2, "listing tools: a page repeats the cursor of an earlier one; the list ends there"},
		"endless":   {100, "listing tools: more than 100 pages; the rest is ignored"},
		"many":      {10_000, "listing tools: more than 10000; the rest is ignored"},
		"oddcursor": {1, "listing tools: a cursor is not a string of at most 64 KiB; the list ends there"},
		"pagefails": {1, "listing tools: server error -32603: the second page is missing"},
		"notools":   {0, "listing tools: server error -32601: method not found"},
		"nulltools": {0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			u := startTest(t, mode(name))
			if got := len(u.Tools()); got != want.tools {
				t.Errorf("%d tools, want %d", got, want.tools)
			}
			if got := strings.Join(u.Warnings(), "\n"); got != want.warning {
				t.Errorf("warnings %q, want %q", got, want.warning)
			}
		})
	}
}

func TestWarningsAreBounded(t *testing.T) {
	l := &listing{names: map[string]bool{}}
	for range 10_000 {
		l.add([]byte(`{}`))
	}
	if got := len(l.warnings); got != maxWarnings+1 {
		t.Errorf("%d warnings", got)
	}
}

func TestTheFingerprintFollowsTheMeaningOnly(t *testing.T) {
	same := []string{
		`{"name":"t","inputSchema":{"type":"object","minProperties":1}}`,
		`{"inputSchema":{"minProperties":1,"type":"object"},"name":"\u0074"}`,
		`{"name":"t","_meta":{"a":1},"icons":[{"src":"data:x"}], "inputSchema":{"type":"object","minProperties":1}}`,
	}
	other := []string{
		`{"name":"t","inputSchema":{"type":"object","minProperties":2}}`,
		`{"name":"t","inputSchema":{"type":"object","minProperties":1.0}}`,
		`{"name":"t","description":"x","inputSchema":{"type":"object","minProperties":1}}`,
		`{"name":"t","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","minProperties":1}}`,
	}
	seen := map[string]string{}
	for i, defs := range [][]string{same, other} {
		for _, def := range defs {
			tool, _, err := readTool([]byte(def))
			if err != nil {
				t.Fatal(err)
			}
			if i == 1 && seen[tool.SHA256] != "" {
				t.Errorf("%s has the fingerprint of %s", def, seen[tool.SHA256])
			}
			seen[tool.SHA256] = def
		}
	}
	if got, want := len(seen), 1+len(other); got != want {
		t.Errorf("%d fingerprints, want %d: %s", got, want, fmt.Sprint(seen))
	}
}
