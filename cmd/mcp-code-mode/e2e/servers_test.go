//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is an entry of a config file.
type server struct {
	Command string              `json:"command"`
	Args    []string            `json:"args,omitempty"`
	Env     map[string]string   `json:"env,omitempty"`
	Allow   []string            `json:"allow,omitempty"`
	Private any                 `json:"private,omitempty"`
	Rules   map[string][]string `json:"rules,omitempty"`
}

// starts is an entry with a command line.
func starts(line ...string) server { return server{Command: line[0], Args: line[1:]} }

// config writes a config file and returns its path.
func (p *place) config(servers map[string]server) string {
	p.t.Helper()
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		p.t.Fatal(err)
	}
	return p.write("servers.json", string(text))
}

// TestOneProgramUsesFourServers: three servers as they are published, and the toy
// server, with allowlists, a rule and a private server.
func TestOneProgramUsesFourServers(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		files := starts(realServer(t, "filesystem", p.work)...)
		files.Allow = []string{"write_file", "read_text_file"}
		memory := starts(realServer(t, "memory")...)
		memory.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(p.work, "memory.jsonl")}
		memory.Private = true
		toy := starts(built.toyserver)
		toy.Rules = map[string][]string{"create_issue": {"size(args.title) <= 10", "args.priority != 'high'"}}
		c := p.serve(driver, "--startup-timeout", "120", "--config", p.config(map[string]server{
			"files": files, "memory": memory, "toy": toy, "every-thing": starts(realServer(t, "everything")...),
		}))
		c.hello(current)

		note := filepath.Join(p.work, "note.txt")
		got := c.run(fmt.Sprintf(`
path = %q
sums = [r.data["sum"] for r in await asyncio.gather(*[toy__add(a=i, b=10) for i in range(20)])]
await files__write_file(path=path, content=f"grüße {sums}")
print((await files__read_text_file(path=path)).data["content"])
print(await every_thing__echo(message="hi"), (await every_thing__get_sum(a=2, b=3)).splitlines()[-1])
image = [b for b in (await every_thing__get_tiny_image()).content if b["type"] == "image"]
print(len(image), image[0]["mimeType"], image[0]["data"][:8])
print((await every_thing__get_structured_content(location="New York")).data["temperature"] > 0)
print("files__list_directory" in TOOLS, [n for n in TOOLS if "sum" in n], "[private]" in TOOLS["memory__read_graph"])
for call in toy__create_issue(title="far too long a title"), toy__create_issue(title="short", priority="high"):
    try: await call
    except ToolError as e: print(e.code, e.tool)
try: await files__read_text_file(path="/etc/passwd")
except ToolError as e: print(e.code)
print(await toy__create_issue(title="short", priority="low"))
`, note))
		want := outcome{
			Stdout: `grüße [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]
Echo: hi The sum of 2 and 3 is 5.
1 image/png iVBORw0K
True
False ['every_thing__get_sum'] True
rule_not_met toy/create_issue
rule_not_met toy/create_issue
tool_error
{"id":1,"title":"short","priority":"low"}
`,
			Refused: []refusal{{"toy/create_issue", "rule_not_met", 2}},
		}
		wantOutcome(t, got, want)
		if text, err := os.ReadFile(note); err != nil || !strings.HasPrefix(string(text), "grüße [10, 11,") {
			t.Errorf("the file holds %q, %v", text, err)
		}
	})
}

// TestPrivateDataStaysWithPrivateTools: once a private tool was called, no other
// can be, on no server and in no later run.
func TestPrivateDataStaysWithPrivateTools(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		log := filepath.Join(p.work, "toy.log")
		notes, other, toy := starts(built.toyserver), starts(built.toyserver), starts(built.toyserver, "-log", log)
		notes.Private = []string{"note"}
		other.Private = true
		c := p.serve(driver, "--config", p.config(map[string]server{"notes": notes, "other": other, "toy": toy}))
		c.hello(current)

		refused := "try: await notes__note(oops=1)\nexcept ToolError as e: print(e.code)\n"
		c.prints("print((await toy__add(a=1, b=2)).data['sum'])", "3\n")
		wantOutcome(t, c.run(refused+"print(await toy__echo(text='still free'))"), outcome{
			Stdout: "arguments_invalid\nstill free\n", Refused: []refusal{{"notes/note", "arguments_invalid", 1}},
		})
		c.prints("print((await notes__note())[:8])", "PRIVATE:\n")
		wantOutcome(t, c.run(`
for call in toy__echo(text="leak"), notes__echo(text="leak"):
    try: await call
    except ToolError as e: print(e.code, e.tool)
print(await other__echo(text="between private tools"))`), outcome{
			Stdout:  "private_data toy/echo\nprivate_data notes/echo\nbetween private tools\n",
			Refused: []refusal{{"notes/echo", "private_data", 1}, {"toy/echo", "private_data", 1}},
		})
		if text, err := os.ReadFile(log); err != nil || strings.Contains(string(text), "leak") {
			t.Errorf("the server that is not private was sent %q, %v", text, err)
		}
	})
}

// TestIntegersOf30DigitsAreExactBothWays: from code to a server and back to the
// client.
func TestIntegersOf30DigitsAreExactBothWays(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		log := filepath.Join(p.work, "calls")
		c := p.serve(driver, "--", built.toyserver, "-log", log)
		c.hello(current)
		c.prints(`
a = 123456789012345678901234567890
r = await add(a=a, b=-1)
print(r.data["sum"], r.data["sum"] == a - 1, r)
r = await mirror(value=[a, -a, 0.1, 1e300])
print(r.data["value"] == [a, -a, 0.1, 1e300], r)`, `123456789012345678901234567889 True {"sum":123456789012345678901234567889}
True {"value":[123456789012345678901234567890,-123456789012345678901234567890,0.1,1e+300]}
`)
		want := []string{
			`{"tool":"add","arguments":{"a":123456789012345678901234567890,"b":-1}}`,
			`{"tool":"mirror","arguments":{"value":[123456789012345678901234567890,-123456789012345678901234567890,0.1,1e+300]}}`,
		}
		if diff := cmp.Diff(want, linesOf(t, log)); diff != "" {
			t.Errorf("what reached the server (-want +got):\n%s", diff)
		}
	})
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func TestImagesReachTheCodeAsContentBlocks(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		serve(t, driver, "--", built.toyserver).prints(`
import base64
r = await image()
print(repr(str(r)), r.data, [(b["type"], b["mimeType"]) for b in r.content], base64.b64decode(r.content[0]["data"])[:4])`,
			`'<image image/png 70 bytes, in .content[0]>' None [('image', 'image/png')] b'\x89PNG'`+"\n")
	})
}

// TestGatheredCallsRunAtTheSameTime: of two calls, the first one can only be
// overtaken when both are under way.
func TestGatheredCallsRunAtTheSameTime(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		serve(t, driver, "--", built.toyserver).prints(`
done = []
async def call(name, seconds):
    await slow(seconds=seconds)
    done.append(name)
await asyncio.gather(call("long", 2), *[call("short", 0) for _ in range(10)])
print(done[-1], len(done))`, "long 11\n")
	})
}

// TestAnSDKClientIsServed: the Go SDK starts the program, as clients do, lists
// the tools and calls the one there is.
func TestAnSDKClientIsServed(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		cmd := exec.Command(built.program, "serve", "--sandbox", driver, "--warm", "1", "--allow", "add", "--allow", "note", "--private", "note", "--", built.toyserver)
		cmd.Env, cmd.Dir = p.environment(nil), p.work
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		c, err := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tools, err := c.ListTools(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(tools.Tools) != 1 || tools.Tools[0].Name != "run_python" {
			t.Fatalf("tools: %+v", tools.Tools)
		}
		stubs := tools.Tools[0].Description
		for text, want := range map[string]bool{"async def add(": true, "async def note(": true, "[private]": true, "echo": false, "server__": false} {
			if strings.Contains(stubs, text) != want {
				t.Errorf("%q in the description is %v:\n%s", text, !want, stubs)
			}
		}
		got, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "run_python", Arguments: map[string]any{"code": `
print([r.data["sum"] for r in await asyncio.gather(*[add(a=i, b=i) for i in range(4)])])
await note()
await add(a=1, b=1)`}})
		if err != nil {
			t.Fatal(err)
		}
		result := got.StructuredContent.(map[string]any)
		text, _ := result["error"].(string)
		if result["stdout"] != "[0, 2, 4, 6]\n" || !strings.Contains(text, "ToolError: ") || !strings.Contains(text, "private") {
			t.Errorf("got %v", result)
		}
		if err := c.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
}

// TestTheDescriptionNamesTheToolsOfEveryServer: with its stub, or where they do
// not all fit with a line.
func TestTheDescriptionNamesTheToolsOfEveryServer(t *testing.T) {
	p := newPlace(t)
	c := p.serve("auto", "--config", p.config(map[string]server{
		"files": starts(realServer(t, "filesystem", p.work)...), "toy": starts(built.toyserver),
		"memory": starts(realServer(t, "memory")...), "everything": starts(realServer(t, "everything")...),
	}))
	c.hello(current)
	var got struct {
		Tools []struct{ Name, Description string }
	}
	c.ask("tools/list", nil).result(&got)
	if len(got.Tools) != 1 || got.Tools[0].Name != "run_python" || len(got.Tools[0].Description) > 12_000 {
		t.Fatalf("tools: %+v", got.Tools)
	}
	for _, tool := range []string{"files__read_text_file", "toy__create_issue", "memory__read_graph", "everything__get_sum"} {
		if !strings.Contains(got.Tools[0].Description, tool+"(") {
			t.Errorf("the description does not show %s", tool)
		}
	}
}

// TestToolsOffTheAllowlistDoNotExist: neither by name nor by calling past the
// stubs, and the server hears nothing of it.
func TestToolsOffTheAllowlistDoNotExist(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		log := filepath.Join(p.work, "calls")
		c := p.serve(driver, "--allow", "add", "--", built.toyserver, "-log", log)
		c.hello(current)
		got := c.run("print(sorted(TOOLS))\nsearch_tools('echo')\nawait echo(text='x')")
		if got.Stdout != "['add']\n" || !strings.Contains(got.err(), "NameError") {
			t.Errorf("got %+v", got)
		}
		// The line that the runner would write for a call, on every descriptor. The
		// runner's own next call then has the number of this one, and ends the run,
		// perhaps before the forged one is decided.
		got = c.run(`
import os
for fd in range(3, 64):
    try: os.write(fd, b'{"op":"call","id":1,"tool":"server/echo","args":{"text":"forged"}}\n')
    except OSError: pass
await add(a=1, b=1)`)
		if !got.Stopped || got.err() != "stopped: protocol violation" || len(got.Refused) > 0 && got.Refused[0] != (refusal{"server/echo", "tool_not_allowed", 1}) {
			t.Errorf("a forged call: %+v %q", got, got.err())
		}
		c.works()
		if text, _ := os.ReadFile(log); strings.Contains(string(text), "echo") {
			t.Errorf("the server was sent %s", text)
		}
	})
}

// TestArgumentsArriveAsTheyAreOrNotAtAll: what JSON cannot say is refused in the
// sandbox; everything else reaches the server and comes back.
func TestArgumentsArriveAsTheyAreOrNotAtAll(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		log := filepath.Join(p.work, "calls")
		c := p.serve(driver, "--", built.toyserver, "-log", log)
		c.hello(current)
		c.prints(`
good = ["", "\x00\x1f\x7f", "\u2028\u2029\ufeff", "grüße 😀", "'\"\\</script>", 0, -0.0, 10**30, -(10**900), 1e-300, 1e400 > 1, None, [], {},
        [[[[[[]]]]]], {"": {"a.b": [1, {"$ref": "#"}]}}, "x" * 15_000, list(range(3_000))]
wrong = [v for v in good if repr((await mirror(value=v)).data["value"]) != repr(v)]
deep = []
for _ in range(10_000): deep = [deep]
bad = [float("nan"), float("inf"), -float("inf"), "\ud800", {1: 2}, {1, 2}, b"bytes", object(), 10**1_000, deep, [0] * 200_000]
raised = []
for value in bad:
    try: await mirror(value=value)
    except ToolError: raised.append(value)
print(len(good), wrong, len(raised), len(bad))
told = 0
for wrong in lambda: mirror(1, 2), lambda: mirror({"value": 1}, value=2):
    try: await wrong()
    except TypeError as e: told += "takes one dict" in str(e)
print(told)
print((await add({"a": 1, "b": 2})).data, (await add(a=1, b=2)).data)`,
			"18 [] 11 11\n2\n{'sum': 3} {'sum': 3}\n")
		if n := len(linesOf(t, log)); n != 20 {
			t.Errorf("%d calls reached the server, want 20", n)
		}
	})
}

// TestTwoHundredCallsAtOnceAllGoOut, and by default not one more.
func TestTwoHundredCallsAtOnceAllGoOut(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		c := serve(t, driver, "--", built.toyserver)
		wantOutcome(t, c.run(`
sums = [r.data["sum"] for r in await asyncio.gather(*[add(a=i, b=0) for i in range(200)])]
print(sums == list(range(200)))
try: await add(a=1, b=1)
except ToolError as e: print(e.code)`), outcome{
			Stdout: "True\nbudget_exhausted\n", Refused: []refusal{{"server/add", "budget_exhausted", 1}},
		})
		c.works()
	})
}
