package engine

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

const someDenial = "package codemode.rules.freeze\n\ndeny contains {\"code\": \"frozen\", \"message\": \"no\"} if input.tool.server == \"production\"\n"

// What lies where it is not read, or twice, or is gone, is found.
func TestWhatIsMisplacedOrMissingIsFound(t *testing.T) {
	const rules = "codemode/rules/"
	without := func(m fstest.MapFS, parts ...string) fstest.MapFS {
		for name := range m {
			for _, part := range parts {
				if strings.Contains(name, part) {
					delete(m, name)
				}
			}
		}
		return m
	}
	main, err := fs.ReadFile(policies.FS, "codemode/main.rego")
	if err != nil {
		t.Fatal(err)
	}
	bare := strings.Join(slices.DeleteFunc(strings.SplitAfter(string(main), "\n"), func(line string) bool { return strings.HasPrefix(line, "#") }), "")
	for name, c := range map[string]struct {
		policy fstest.MapFS
		want   string
	}{
		"another extension":       {packWith(t, rules+"freeze/freeze.REGO", someDenial), check.NotRead},
		"an extension more":       {packWith(t, rules+"freeze/freeze.rego.bak", someDenial), check.NotRead},
		"no extension":            {packWith(t, rules+"freeze/freeze", someDenial), check.NotRead},
		"a hidden file":           {packWith(t, rules+"freeze/.freeze.rego", someDenial), check.NotRead},
		"a hidden directory":      {packWith(t, rules+".freeze/freeze.rego", someDenial), check.NotRead},
		"data in capitals":        {packWith(t, "team/data.JSON", `{}`), check.NotRead},
		"a copied directory":      {packWith(t, rules+"freeze/freeze.rego", someDenial, rules+"thaw/freeze.rego", someDenial), check.FamilyTwice},
		"a family of the pack":    {packWith(t, rules+"freeze/freeze.rego", "package codemode.rules.private\n\n_stays_inside if input.tool.server == \"production\"\n"), check.FamilyTwice},
		"a file taken for a test": {packWith(t, rules+"freeze/load_test.rego", someDenial), check.RuleInTestFile},
		"a document of tests":     {packWith(t, rules+"freeze/freeze.rego", "package codemode.rules.freeze\n\ndeny contains {\"code\": \"frozen\", \"message\": \"no\"} if input.tool.id == data.codemode_test.request.tool.id\n"), check.TestDocument},
		"a key twice":             {packWith(t, "team/data.json", `{"a": 1, "a": 2}`), check.DuplicateKey},
		"a key twice in YAML":     {packWith(t, "team/more.yaml", "a: 1\na: 2\n"), check.DuplicateKey},
		"data for the config":     {packWith(t, "codemode/config/data.json", `{"servers": {}}`), check.ConfigInPolicy},
		"no schemas":              {without(packWith(t), "schemas/"), check.GuardMissing},
		"no capabilities":         {without(packWith(t), "capabilities.json"), check.GuardMissing},
		"no METADATA":             {packWith(t, "codemode/main.rego", bare), check.GuardMissing},
		"a loosened schema":       {packWith(t, "schemas/input.json", `{"type": "object"}`), check.SchemaReplaced},
		"no budget":               {without(packWith(t), "rules/budget"), check.GuardUnread},
		"no argument checks":      {without(packWith(t), "rules/arguments"), check.GuardUnread},
		"nothing that grants":     {without(packWith(t), "rules/allowlist"), check.DeniesEverything},
		"the dispatcher again":    {packWith(t, "codemode/more.rego", "package codemode\n\n_granted if input.tool.server == \"production\"\n"), check.FamilyTwice},
		"a misspelt word":         {packWith(t, rules+"freeze/freeze.rego", strings.Replace(someDenial, "deny", "denies", 1)), check.MisplacedRule},
		"an own word":             {packWith(t, rules+"freeze/freeze.rego", strings.Replace(someDenial, "deny", "_deny", 1)), check.UnreadRule},
		"another word":            {packWith(t, "codemode/lib/freeze.rego", strings.Replace(strings.Replace(someDenial, "deny", "violation", 1), ".rules.", ".", 1)), check.UnreadRule},
		"too much memory":         {packWith(t, rules+"freeze/freeze.rego", "package codemode.rules.freeze\n\n_all := numbers.range(1, input.run.calls * 1000000000)\n\ndeny contains {\"code\": \"frozen\", \"message\": \"no\"} if count(_all) > 5\n"), check.FailsOnPlainCall},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, known := installation(t)
			found, err := Findings(t.Context(), CheckOptions{Source: Source{FS: c.policy, Name: "mine"}, Config: config, Known: known})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(codesOf(found), c.want) {
				t.Errorf("%s is not among %v", c.want, found)
			}
		})
	}
}

// What is found in a policy that was left by accident is not said of one that is whole.
func TestAWholeCopyAndItsDataGetNoFinding(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, policies.FS); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"README.md": "# Ours\n\npackage codemode.rules.freeze\n", "team/blocked.json": `{"blocked": ["staging/note"]}`,
		".github/workflows/check.yml": "on: push\non: push\n", "codemode/rules/freeze/freeze.rego": someDenial,
		"codemode/rules/freeze/notes.txt": "frozen since March", "codemode/rules/freeze/..data/freeze.rego": someDenial,
	} {
		mkdir(t, filepath.Dir(filepath.Join(dir, name)))
		write(t, filepath.Join(dir, name), text)
	}
	config, known := installation(t)
	found, err := Findings(t.Context(), CheckOptions{Source: Source{FS: os.DirFS(dir), Name: dir}, Config: config, Known: known})
	if err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}

// An error keeps a policy from loading, a warning is said.
func TestWhatCheckRefusesNeverLoads(t *testing.T) {
	broken := packWith(t, "codemode/rules/freeze/freeze.rego", strings.Replace(someDenial, "frozen", "Frozen!", 1))
	if _, err := New(t.Context(), Options{Policy: broken}); err == nil || !strings.Contains(err.Error(), "the code \"Frozen!\" is not") {
		t.Errorf("got %v", err)
	}
	var log strings.Builder
	loose := packWith(t, "codemode/rules/freeze/freeze.rego", strings.Replace(someDenial, `input.tool.server == "production"`, "input.call.args.n > 5", 1))
	if _, err := New(t.Context(), Options{Policy: loose, Logger: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), check.ComparesAbsent) {
		t.Errorf("said only %q", log.String())
	}
}

// Rules for the decision log have another input than a call, with METADATA and without.
func TestRulesOfTheLogReadAnotherInput(t *testing.T) {
	for _, before := range []string{"", "# METADATA\n# title: What is left out of the log\n"} {
		policy := packWith(t, "log/log.rego", before+"package system.log\n\nmask contains \"/input/call/args/secret\" if input.input.call.args.secret != \"\"\n",
			"log/log_test.rego", "package system.log_test\n\nimport data.system.log\n\ntest_a_secret_is_masked if count(log.mask) == 1 with input as {\"input\": {\"call\": {\"args\": {\"secret\": \"x\"}}}}\n")
		if found, err := Findings(t.Context(), CheckOptions{Source: Source{FS: policy}}); err != nil || len(found) > 0 {
			t.Errorf("%v, %v", found, err)
		}
		if _, err := Test(t.Context(), TestOptions{Source: Source{FS: policy}, Run: "log"}); err != nil {
			t.Error(err)
		}
	}
}
