package mcpcodemode_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker"
)

// These tests keep README.md and docs true: what they name exists, what they count
// is what the code says, and what they show works.

// pages are the documents whose names and links are looked at.
func pages(t *testing.T) []string {
	t.Helper()
	below, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	records, err := filepath.Glob("docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat([]string{"README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"}, below, records)
}

// Example_readme is the Go of README.md. It is compiled and not run: it needs a
// Docker engine and a built server.
func Example_readme() {
	ctx := context.Background()
	s, err := server.New(server.Options{
		Bridge: func(ctx context.Context) (*bridge.Bridge, error) {
			return bridge.New(ctx, bridge.Options{Servers: []bridge.Server{{
				Name:    "math",
				Command: &upstream.Command{Path: "bin/toyserver", Env: upstream.DefaultEnv()}, // or a Transport
				Rules:   map[string][]string{"add": {"args.a <= 100"}},
			}}})
		},
		Driver: func(ctx context.Context) (sandbox.Driver, error) {
			return docker.New(ctx, docker.Options{Limits: sandbox.Limits{Memory: 128 << 20}})
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	result, err := s.Run(ctx, `print((await math__add(a=40, b=2))["sum"])`)
	fmt.Println(result.Stdout, err)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// section is README.md from one heading to the next of its level or above.
func section(t *testing.T, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(readFile(t, "README.md"), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("README.md has no %q", heading)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	return rest
}

// blocks are the fenced blocks of one language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	var found []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(readFile(t, "README.md"), -1) {
		found = append(found, m[1])
	}
	if len(found) == 0 {
		t.Fatalf("README.md has no block of %s", language)
	}
	return found
}

// rows are the cells of the tables in a text, without the heads.
func rows(text string) [][]string {
	var all [][]string
	head := true
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, "|"):
			head = true
		case strings.HasPrefix(line, "|---"):
			head = false
		case !head:
			line = strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00")
			var cells []string
			for cell := range strings.SplitSeq(line, "|") {
				cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|")))
			}
			all = append(all, cells)
		}
	}
	return all
}

func TestEveryThreatNamesATestThatExists(t *testing.T) {
	var tests, conformance strings.Builder
	names := map[string]bool{}
	for _, file := range tracked(t) {
		names[filepath.Base(file)] = true
		switch {
		case strings.HasPrefix(file, "sandbox/sandboxtest/"):
			conformance.WriteString(readFile(t, file))
		case strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_test.rego"):
			tests.WriteString("\n" + readFile(t, file))
		}
	}
	exists := func(name string) bool {
		switch {
		case strings.HasSuffix(name, ".txtar"):
			return names[name]
		case strings.HasPrefix(name, "test_"):
			return regexp.MustCompile(`\n` + name + `(\[\w+\])? if \{`).MatchString(tests.String())
		default:
			return strings.Contains(tests.String(), "\nfunc "+name+"(")
		}
	}
	threats := rows(readFile(t, "docs/threat-model.md"))
	if len(threats) < 15 {
		t.Fatalf("only %d threats are read", len(threats))
	}
	for _, page := range pages(t) {
		for _, m := range regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(readFile(t, page), -1) {
			if !exists(m[1]) {
				t.Errorf("%s names %s, which is no test", page, m[1])
			}
		}
	}
	for _, row := range threats {
		found := 0
		for _, m := range regexp.MustCompile("`([^`]+)`|\"([^\"]+)\"").FindAllStringSubmatch(row[2], -1) {
			found++
			if m[1] != "" && !strings.HasPrefix(m[1], "Test") && !exists(m[1]) {
				t.Errorf("%q names %s, which is no test", row[0], m[1])
			}
			if m[2] != "" && !strings.Contains(conformance.String(), `("`+m[2]+`"`) && !strings.Contains(conformance.String(), `{"`+m[2]+`"`) {
				t.Errorf("%q names %q, which no sandbox is tested for", row[0], m[2])
			}
		}
		if found == 0 {
			t.Errorf("%q names no test", row[0])
		}
	}
}

// described are the names of the program's options and commands, as its source
// gives them to the command line parser.
func described(t *testing.T) (options, commands map[string]bool) {
	t.Helper()
	options, commands = map[string]bool{}, map[string]bool{}
	files, err := filepath.Glob("cmd/mcp-code-mode/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if option := optionOf(n); option != "" {
					options[option] = true
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Use" {
					if use := text(n.Value); use != "" {
						commands[strings.Fields(use)[0]] = true
					}
				}
			}
			return true
		})
	}
	return options, commands
}

// optionOf is the name in a call such as textVar(flags, &x, "name", …).
func optionOf(call *ast.CallExpr) string {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	if !strings.HasSuffix(name, "Var") && !strings.HasSuffix(name, "VarP") {
		return ""
	}
	for _, arg := range call.Args {
		if s := text(arg); s != "" {
			return s
		}
	}
	return ""
}

// text is the value of a string literal, "" of anything else.
func text(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, _ := strconv.Unquote(lit.Value)
	return s
}

func TestTheReadmeNamesTheOptionsAndCommandsThereAre(t *testing.T) {
	options, commands := described(t)
	if len(options) < 15 || len(commands) < 10 {
		t.Fatalf("only %d options and %d commands are found in the source", len(options), len(commands))
	}
	// The inspector is another program and has options of its own.
	readme := regexp.MustCompile(`(?m)^.*/inspector@.*$`).ReplaceAllString(readFile(t, "README.md"), "")
	for _, m := range regexp.MustCompile(`--([a-z][a-z-]+)`).FindAllStringSubmatch(readme, -1) {
		if !options[m[1]] {
			t.Errorf("README.md names --%s, which is no option", m[1])
		}
	}
	tables := section(t, "## Limits") + section(t, "## Commands and options")
	delete(options, "code") // -c CODE
	delete(options, "input")
	delete(options, "out") // -o FILE
	for option := range options {
		if !regexp.MustCompile("--" + option + `\b`).MatchString(tables) {
			t.Errorf("README.md does not say what --%s is", option)
		}
	}
	for command := range commands {
		if command != "mcp-code-mode" && command != "help" && !strings.Contains(tables, command) {
			t.Errorf("README.md does not say what the command %s is", command)
		}
	}
}

func TestTheDocumentsNameTheTargetsThereAre(t *testing.T) {
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z]+):.*## `).FindAllStringSubmatch(readFile(t, "Makefile"), -1) {
		targets[m[1]] = true
	}
	named := map[string]bool{}
	for _, page := range []string{"README.md", "docs/development.md"} {
		for _, m := range regexp.MustCompile("(?:^|`|    )make ([a-z]+)").FindAllStringSubmatch(readFile(t, page), -1) {
			named[m[1]] = true
		}
	}
	delete(targets, "help")
	delete(targets, "clean")
	if diff := cmp.Diff(slices.Sorted(maps.Keys(targets)), slices.Sorted(maps.Keys(named))); diff != "" {
		t.Errorf("targets (-Makefile +README.md and docs/development.md):\n%s", diff)
	}
}

func TestTheReadmesNumbersAreTheCodesNumbers(t *testing.T) {
	limits := sandbox.Limits{}.WithDefaults()
	want := map[string]string{
		"time of a run":             seconds(limits.Deadline),
		"calls of a run":            fmt.Sprint(engine.DefaultCallsPerRun),
		"calls at the same time":    fmt.Sprint(limits.InFlight),
		"refused calls of a run":    fmt.Sprint(bridge.MaxRefused),
		"time of a call":            seconds(bridge.DefaultTimeout),
		"arguments of a call":       size(engine.DefaultArgumentBytes),
		"result of a call":          size(bridge.DefaultResult),
		"output returned":           size(limits.OutputKept),
		"output that stops the run": size(limits.OutputFlood),
		"memory, no swap":           size(int(limits.Memory)),
		"processes and threads":     fmt.Sprint(limits.Pids),
		"processors":                fmt.Sprint(limits.CPUs),
		"open files of a process":   fmt.Sprint(limits.Files),
		"`/tmp`":                    size(int(limits.TmpBytes)),
		"code":                      size(server.MaxCode),
		"start of all servers":      seconds(server.DefaultStartupTimeout),
	}
	got := map[string]string{}
	for _, row := range rows(section(t, "## Limits")) {
		got[row[0]] = row[1]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("limits (-code +README.md):\n%s", diff)
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%d s", int(d.Seconds())) }

func size(n int) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// TestTheReadmesPolicyWorks adds the Rego of README.md to a copy of the built-in
// pack, as a reader does, and runs its tests and every other one.
func TestTheReadmesPolicyWorks(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, policies.FS); err != nil {
		t.Fatal(err)
	}
	before, err := engine.Test(t.Context(), engine.TestOptions{Source: engine.Source{FS: policies.FS}})
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks(t, "rego") {
		first, _, _ := strings.Cut(block, "\n")
		name, ok := strings.CutPrefix(first, "# policies/")
		if !ok {
			t.Fatalf("the block does not begin with the name of its file: %s", first)
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(block), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	source, err := engine.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Check(t.Context(), source); err != nil {
		t.Error(err)
	}
	var report bytes.Buffer
	after, err := engine.Test(t.Context(), engine.TestOptions{Source: source, Threshold: 100, Out: &report})
	if err != nil {
		t.Fatalf("%v\n%s", err, report.String())
	}
	if after.Passed <= before.Passed {
		t.Errorf("%d tests pass with the README's, %d without", after.Passed, before.Passed)
	}
}

func TestTheReadmesGoIsTheExample(t *testing.T) {
	_, body, _ := strings.Cut(readFile(t, "readme_test.go"), "\nfunc Example_readme() {\n")
	body, _, _ = strings.Cut(body, "\n}\n")
	want := regexp.MustCompile(`(?m)^\t`).ReplaceAllString(body, "") + "\n"
	if diff := cmp.Diff(want, blocks(t, "go")[0]); diff != "" {
		t.Errorf("Go (-compiled +README.md):\n%s", diff)
	}
}

func TestTheReadmesJSONIsWhole(t *testing.T) {
	for _, block := range blocks(t, "json") {
		if !json.Valid([]byte(block)) {
			t.Errorf("not JSON:\n%s", block)
		}
	}
}

// TestTheReadmesInspectorIsTheOneThatIsTested: another version may read its command
// line in another way, as 0.15 does, which keeps the second "--".
func TestTheReadmesInspectorIsTheOneThatIsTested(t *testing.T) {
	var pinned struct{ Dependencies map[string]string }
	if err := json.Unmarshal([]byte(readFile(t, "testdata/inspector/package.json")), &pinned); err != nil {
		t.Fatal(err)
	}
	want := "npx @modelcontextprotocol/inspector@" + pinned.Dependencies["@modelcontextprotocol/inspector"] +
		" --cli --method tools/list -- mcp-code-mode serve -- bin/toyserver"
	if !strings.Contains(readFile(t, "README.md"), want) {
		t.Errorf("README.md does not have the line %s", want)
	}
}
