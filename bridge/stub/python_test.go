package stub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// cpython is the Python that sandboxes hold.
var cpython = sync.OnceValues(func() (string, error) {
	dir, _, err := rootfs.Tree(context.Background(), sandbox.RunnerSource, nil)
	return filepath.Join(dir, "usr/bin/python3"), err
})

// python runs a script in the Python of the sandboxes with input as JSON on
// stdin, and decodes what it prints.
func python(t testing.TB, script string, input, output any) {
	t.Helper()
	path, err := cpython()
	if errors.Is(err, rootfs.ErrUnsupported) {
		t.Skip("SKIPPED: no Python is embedded for this system")
	}
	if err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "-I", "-c", script)
	cmd.Stdin = bytes.NewReader(in)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(out, output); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
}

// readModule is Python's own view of a module of stubs. Anything but async
// functions of one shape, with a docstring and nothing else, fails.
const readModule = `
import ast, json, sys, warnings
warnings.simplefilter("error")
out = []
for source in json.load(sys.stdin):
    functions = {}
    for f in ast.parse(source).body:
        assert isinstance(f, ast.AsyncFunctionDef), ast.dump(f)
        assert ast.unparse(f.args) == "params: dict", ast.unparse(f)
        assert set(ast.unparse(f.returns).split(" | ")) <= {"str", "int", "float", "bool", "dict", "list", "None", "Any"}, ast.unparse(f)
        assert not f.decorator_list and len(f.body) == 1, ast.unparse(f)
        e, = f.body
        assert isinstance(e, ast.Expr) and isinstance(e.value, ast.Constant) and type(e.value.value) is str, ast.dump(e)
        assert f.name not in functions, f.name
        functions[f.name] = e.value.value
    out.append(functions)
json.dump(out, sys.stdout)
`

// checkModule has CPython compile the module of entries and compares what it
// finds in it with what should be there.
func checkModule(t *testing.T, entries []Entry) map[string]string {
	t.Helper()
	var modules []map[string]string
	python(t, readModule, []string{Module(entries)}, &modules)
	if len(modules[0]) != len(entries) {
		t.Errorf("%d functions of %d stubs", len(modules[0]), len(entries))
	}
	for _, e := range entries {
		if _, ok := modules[0][e.Name]; !ok {
			t.Errorf("there is no function %q", e.Name)
		}
	}
	return modules[0]
}

// CPython itself is asked what its names are.
func TestReservedHoldsEveryNameOfCPython(t *testing.T) {
	var asked struct {
		Version                       []int
		Keywords, SoftKeywords, Names []string
	}
	python(t, `
import builtins, json, keyword, sys
print(json.dumps({"Version": sys.version_info[:2], "Keywords": keyword.kwlist, "SoftKeywords": keyword.softkwlist,
    "Names": [n for n in dir(builtins) if n not in keyword.kwlist]}))`, nil, &asked)
	own := map[string]bool{}
	for _, list := range [][]string{asked.Keywords, asked.SoftKeywords, asked.Names} {
		for _, name := range list {
			own[name] = true
			if !Reserved(name) {
				t.Errorf("%s is not reserved", name)
			}
		}
	}
	for _, name := range asked.Keywords {
		if !isKeyword(name) {
			t.Errorf("%s is not a keyword", name)
		}
	}
	if asked.Version[0] == 3 && asked.Version[1] == 14 { // the sandbox's own
		for _, list := range []map[string]bool{keywords, softKeywords, builtins} {
			for name := range list {
				if !own[name] {
					t.Errorf("%s is reserved and Python does not have it", name)
				}
			}
		}
	}
}

// The runner's source says what it puts into the namespace of the code.
func TestReservedHoldsEveryNameOfTheRunner(t *testing.T) {
	source, err := os.ReadFile("../../sandbox/runner/cells.py")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	python(t, `
import ast, json, sys
names = []
for call in ast.walk(ast.parse(json.load(sys.stdin))):
    if isinstance(call, ast.Call) and ast.unparse(call.func) == "self.space.update":
        names += [k.arg for k in call.keywords]
print(json.dumps(names))`, string(source), &names)
	for _, want := range []string{"ToolError", "TOOLS", "search_tools"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s was not found in the runner; it fills its namespace in another way than this test reads: %q", want, names)
		}
	}
	for _, name := range names {
		if !Reserved(name) {
			t.Errorf("%s is not reserved", name)
		}
	}
}
