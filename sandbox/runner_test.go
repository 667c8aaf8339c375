//go:build linux

package sandbox_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/protocol"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// The promises of sandboxes, as far as a plain process can keep them, under
// the very Python that sandboxes hold.
func TestTheRunnerKeepsItsPromises(t *testing.T) {
	sandboxtest.Conformance(t, func(t *testing.T, _ sandbox.Limits) sandbox.Driver {
		d, err := sandboxtest.NewProcess(python)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}, sandboxtest.WithoutIsolation())
}

// When the host dies its end of standard input closes. The process must end
// at once, whatever the code does.
func TestTheRunnerEndsWithItsHost(t *testing.T) {
	for name, code := range map[string]string{
		"idle":             "",
		"endless loop":     "print('begun')\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass",
		"sleeping":         "print('begun')\nimport time\ntime.sleep(1000)",
		"waiting":          "print('begun')\nawait asyncio.sleep(1000)",
		"a thread is left": "print('begun')\nimport threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()\ntime.sleep(1000)",
	} {
		t.Run(name, func(t *testing.T) {
			runner := filepath.Join(t.TempDir(), "runner.py")
			if err := os.WriteFile(runner, sandbox.RunnerSource, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			cmd := exec.CommandContext(ctx, pythonOrPath(), "-I", "-S", "-B", runner)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			lines.Scan()
			if code != "" {
				in.Write(protocol.AppendExec(nil, 1, code))
				lines.Scan()
			}
			if got := lines.Text(); !strings.Contains(got, "ready") && !strings.Contains(got, "begun") {
				t.Errorf("got %q", got)
			}
			in.Close()
			if err := cmd.Wait(); err != nil {
				t.Errorf("it did not end by itself: %v", err)
			}
		})
	}
}

func pythonOrPath() string {
	if python == "" {
		return "python3"
	}
	return python
}

// What the host knows about the runner's names must be what the runner has.
func TestReservedNamesAreTheRunners(t *testing.T) {
	s := open(t)
	want := fmt.Sprintf("%q\n", strings.Join(sandbox.ReservedNames, " "))
	got := stdout(t, s, "' '.join(sorted(n for n in globals() if not n.startswith('_')))")
	if strings.ReplaceAll(got, "'", `"`) != want || !slices.IsSorted(sandbox.ReservedNames) {
		t.Errorf("the runner has %s, the host knows %s", got, want)
	}
}

// The runner does without it only until it is ready.
func TestGarbageOfTheCodeIsCollected(t *testing.T) {
	s := open(t)
	const code = `
import gc, weakref
class Node: pass
a = Node()
a.itself = a
gone = weakref.ref(a)
del a
kept = [[] for _ in range(200_000)]
print(gc.isenabled() and gone() is None)
`
	if got := stdout(t, s, code); got != "True\n" {
		t.Errorf("got %q", got)
	}
}

func TestTenThousandToolsAreUsable(t *testing.T) {
	s := open(t)
	var tools []wire.Tool
	for i := range 10_000 {
		name := fmt.Sprintf("tool_%d", i)
		tools = append(tools, wire.Tool{Name: name, ID: "big/" + name, Stub: "async def " + name + "(params: dict) -> str:\n    \"\"\"\n    Number " + fmt.Sprint(i) + ".\n    \"\"\"\n"})
	}
	if err := s.Init(t.Context(), tools); err != nil {
		t.Fatal(err)
	}
	o, err := s.Exec(t.Context(), "print(len(TOOLS), search_tools('9999'), await tool_9999(a=1))", echo)
	if err != nil || o.Stdout != "10000 tool_9999: Number 9999. big/tool_9999\n" || o.Error != "" {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestToolsAreProperAsyncFunctions(t *testing.T) {
	s := open(t)
	if err := s.Init(t.Context(), []wire.Tool{{Name: "a__b", ID: "a/b", Stub: "the stub"}, {Name: "params", ID: "a/params"}}); err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]string{
		"import inspect\ninspect.iscoroutinefunction(a__b)":    "True\n",
		"print(a__b.__name__, a__b.__doc__)":                   "a__b the stub\n",
		"print(await a__b(params=1), await params(params={}))": "a/b a/params\n",
		"c = a__b(x=1)\nc.close()\ntype(c).__name__":           "'coroutine'\n",
		"import copy, pickle\nr = await a__b()\nprint(r.content, type(copy.deepcopy(r)), type(copy.copy(r)), type(pickle.loads(pickle.dumps(r))))": "[{'type': 'text', 'text': 'a/b'}] <class 'str'> <class 'str'> <class 'str'>\n",
		"import pickle\ne = pickle.loads(pickle.dumps(ToolError('m', tool='t', code='c', codes=['c'])))\nprint(e, e.tool, e.code, e.codes)":        "m t c ['c']\n",
	} {
		o, err := s.Exec(t.Context(), code, echo)
		if err != nil || !strings.HasPrefix(o.Stdout, want) && !strings.HasSuffix(o.Stdout, want) || strings.Contains(o.Error, "Error") {
			t.Errorf("%s: got %+v, %v", code, o, err)
		}
	}
}

func TestContentBlocksArriveAsPlainDicts(t *testing.T) {
	s := open(t)
	if err := s.Init(t.Context(), []wire.Tool{{Name: "image", ID: "a/image"}}); err != nil {
		t.Fatal(err)
	}
	reply := func(context.Context, wire.Call) wire.Reply {
		return wire.Reply{Text: "hello", Content: []byte("[{\"type\":\"text\",\"text\":\"hello\"},\n{\"type\":\"image\",\"data\":\"QUJD\",\"mimeType\":\"image/png\",\"n\":123456789012345678901234567890}]")}
	}
	o, err := s.Exec(t.Context(), "r = await image()\nprint(r, r.data, r.content[1])", reply)
	want := "hello None {'type': 'image', 'data': 'QUJD', 'mimeType': 'image/png', 'n': 123456789012345678901234567890}\n"
	if err != nil || o.Stdout != want {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestSearchRanksNamesAboveStubs(t *testing.T) {
	s := open(t)
	tool := func(name, text string) wire.Tool {
		return wire.Tool{Name: name, ID: "a/" + name, Summary: name + "(): " + text, Stub: "async def " + name + "(params: dict) -> str:\n    \"\"\"\n    " + text + "\n    \"\"\"\n"}
	}
	if err := s.Init(t.Context(), []wire.Tool{
		tool("zeta", "Files an issue."), tool("create_issue", "Make one."), tool("alpha", "Closes an issue."), tool("listIssueFiles", "x"), tool("other", "y"),
	}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"issue":                   "['create_issue', 'listIssueFiles', 'zeta', 'alpha']",
		"ISSUES file!":            "['listIssueFiles', 'zeta', 'create_issue', 'alpha']",
		"what is the list of the": "['listIssueFiles']",
		"nothing":                 "[]",
		"":                        "['zeta', 'create_issue', 'alpha', 'listIssueFiles', 'other']",
	} {
		if got := stdout(t, s, fmt.Sprintf("print(list(search_tools(%q)))", query)); got != want+"\n" {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	if got := stdout(t, s, "search_tools('create list')"); got != "create_issue(): Make one.\nlistIssueFiles(): x\n" {
		t.Errorf("shown as %q", got)
	}
}

// What models write to look around is answered, whatever they take TOOLS for.
func TestToolsCanBeLookedAtInEveryUsualWay(t *testing.T) {
	s := open(t)
	if err := s.Init(t.Context(), []wire.Tool{{
		Name: "create_issue", ID: "hub/create-issue", Summary: "create_issue(title: str): File it.",
		Stub:  "async def create_issue(params: dict) -> str:\n    \"\"\"\n    File it.\n\n    params: title: str\n    \"\"\"",
		Facts: wire.Facts{Schemas: []byte(`{"input":{"type":"object"}}`)},
	}, {Name: "other", ID: "hub/other"}}); err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]string{
		`print(TOOLS)`:                           "create_issue(title: str): File it.",
		`help()`:                                 "create_issue(title: str): File it.",
		`help(create_issue)`:                     "params: title: str",
		`help("create_issue")`:                   "params: title: str",
		`help(len)`:                              "Return the number of items",
		`TOOLS`:                                  `search_tools("words")`,
		`print(list(TOOLS), list(TOOLS.keys()))`: "['create_issue', 'other'] ['create_issue', 'other']",
		`for name, text in TOOLS.items(): print(name, len(text) > 3)`:                                         "create_issue True",
		`for t in TOOLS: print(t.name, t.description, t["description"], t.server)`:                            "create_issue File it. File it. hub",
		`print(await TOOLS["create_issue"](a=1), await list(TOOLS)[0]({"a": 1}))`:                             "hub/create-issue hub/create-issue", // two calls print it
		`print(await search_tools("file")[0](a=1))`:                                                           "hub/create-issue",
		`print("hub/create-issue" in TOOLS, "nothing" in TOOLS, TOOLS.get("x", "none"))`:                      "True False none",
		`print(TOOLS["create-issue"].name, TOOLS.create_issue.name)`:                                          "create_issue create_issue", // two calls print it
		`print(TOOLS.schema("create_issue")["input"]["type"], TOOLS["create_issue"].inputSchema)`:             "object {'type': 'object'}",
		`print(json.dumps(TOOLS.servers), TOOLS.servers)`:                                                     `{"hub": ""} hub (2 tools)`,
		"try: TOOLS['createIssue']\nexcept KeyError as e: print(e)":                                           "did you mean create_issue?",
		"try: TOOLS['creat_isue']\nexcept KeyError as e: print(e)":                                            "did you mean create_issue?",
		"try: TOOLS['zzz']\nexcept KeyError as e: print(e)":                                                   "print(TOOLS) lists them",
		"try: TOOLS['other']['x']\nexcept KeyError as e: print(e)":                                            "a tool has name, server",
		"try: TOOLS.schema('other')\nexcept LookupError as e: print(e)":                                       "too large",
		"import pickle, copy\nprint(pickle.loads(pickle.dumps([*TOOLS])), copy.deepcopy(TOOLS['other'])[:3])": "['create_issue', 'other'] ",
	} {
		o, err := s.Exec(t.Context(), code, echo)
		if err != nil || !strings.Contains(o.Stdout, want) || o.Error != "" {
			t.Errorf("%s: got %+v, %v", code, o, err)
		}
	}
}
