//go:build linux

package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// known are tools as one server has them.
var known = []wire.Tool{
	aTool("add", "number", wire.Param{Name: "a", Required: true, Integer: true, Line: "a: int"}, wire.Param{Name: "b", Required: true, Integer: true, Line: "b: int"}),
	aTool("create_issue", "object", wire.Param{Name: "title", Required: true, Line: "title: str"},
		wire.Param{Name: "priority", Line: `priority?: "low" | "normal" | "high" = "normal"`}, wire.Param{Name: "labels", Nullable: true, Line: "labels?: list[str]"}),
	aTool("find_issue", "object", wire.Param{Name: "text", Required: true, Line: "text: str"}, wire.Param{Name: "from", Line: "from?: str"},
		wire.Param{Name: "max-results", Integer: true, Line: `"max-results"?: int`}),
	aTool("store", "object", wire.Param{Name: "data", Required: true, Line: "data: dict"}, wire.Param{Name: "key", Line: "key?: str"}),
	aTool("show", "text", wire.Param{Name: "text", Required: true, Line: "text: str"}),
	aTool("fail", "text"),
}

func aTool(name, kind string, params ...wire.Param) wire.Tool {
	var lines []string
	for _, p := range params {
		lines = append(lines, p.Line)
	}
	stub := fmt.Sprintf("async def %s(params: dict) -> str:\n    \"\"\"\n    Does it.\n\n    params: %s\n    \"\"\"\n", name, strings.Join(lines, ", "))
	return wire.Tool{Name: name, ID: "desk/" + name, Stub: stub, Facts: wire.Facts{Params: params, Returns: wire.Returns{Kind: kind}}}
}

// desk answers as the server of these tools, and counts what reached it.
type desk struct{ calls atomic.Int64 }

func (d *desk) call(_ context.Context, c wire.Call) wire.Reply {
	d.calls.Add(1)
	args, _ := c.Args.(map[string]any)
	refuse := func(code, message string) wire.Reply {
		return wire.Reply{Err: &wire.CallError{Tool: c.Tool, Code: code, Codes: []string{code}, Message: message}}
	}
	switch c.Tool {
	case "desk/fail":
		return refuse("tool_error", "it always fails")
	case "desk/add":
		a, aIs := args["a"].(json.Number)
		b, bIs := args["b"].(json.Number)
		if !aIs || !bIs || len(args) > 2 || strings.Contains(string(a+b), ".") {
			return refuse("arguments_invalid", `the arguments do not fit "desk/add" (a: expected integer)`)
		}
		x, _ := a.Int64()
		y, _ := b.Int64()
		return wire.Reply{Text: fmt.Sprint(x + y)}
	case "desk/create_issue":
		if _, is := args["title"].(string); !is {
			return refuse("arguments_invalid", `the arguments do not fit "desk/create_issue" (missing required "title"; unknown argument "name")`)
		}
	}
	text, _ := json.Marshal(args)
	return wire.Reply{Text: string(text), Structured: true}
}

// aProgram is one as models write them, and what it must get.
type aProgram struct {
	code  string
	out   string // all it prints, where it works
	says  string // a pattern of what its error says
	calls int64  // that reach the host, where it does not work
}

func (p aProgram) try(t *testing.T, d *sandboxtest.Process, tools []wire.Tool) {
	t.Helper()
	s, err := sandbox.Open(t.Context(), sandboxtest.WithLimits(d, sandbox.Limits{Deadline: 60 * time.Second}))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Init(t.Context(), tools); err != nil {
		t.Fatal(err)
	}
	host := &desk{}
	o, err := s.Exec(t.Context(), p.code, host.call)
	switch {
	case err != nil:
		t.Error(err)
	case p.says == "" && (o.Error != "" || o.Stdout != p.out):
		t.Errorf("%s\nprinted %q, want %q; error: %s", p.code, o.Stdout, p.out, o.Error)
	case p.says != "" && (o.Stopped || !regexp.MustCompile("(?s)"+p.says).MatchString(o.Error)):
		t.Errorf("%s\ngot %q and the error\n%s\nwant it to say %s", p.code, o.Stdout, o.Error, p.says)
	case p.says != "" && host.calls.Load() != p.calls:
		t.Errorf("%s\nmade %d calls, want %d", p.code, host.calls.Load(), p.calls)
	}
	for _, ours := range []string{"<sandbox>", "runner.py", "tracemalloc"} {
		if strings.Contains(o.Stdout+o.Error, ours) {
			t.Errorf("%s\nshows %s: %+v", p.code, ours, o)
		}
	}
}

func tryAll(t *testing.T, tools []wire.Tool, programs []aProgram) {
	d := newProcess(t)
	for i, p := range programs {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			p.try(t, d, tools)
		})
	}
}

// What comes around a program is not what it is about.
func TestAProgramIsReadAsItIsMeant(t *testing.T) {
	tryAll(t, known, []aProgram{
		{code: "```python\nprint(await add(a=1, b=2))\n```", out: "3\n"},
		{code: "\n```py\nprint(1)\n```\n\n", out: "1\n"},
		{code: "```\nprint(1)\n```", out: "1\n"},
		{code: "~~~python\nprint(1)\n~~~", out: "1\n"},
		{code: "```python\nprint(1)", out: "1\n"},
		{code: "print(1)\n```", out: "1\n"},
		{code: "Here is the code:\n\n```python\nprint(1)\n```\nIt prints one.", out: "1\n"},
		{code: "```tool_code\nprint(await default_api.add(a=1, b=2))\n```", out: "3\n"},
		{code: "   ```python\n   x = 1\n   print(x)\n   ```", out: "1\n"},
		{code: "<code>\nprint(1)\n</code>", out: "1\n"},
		{code: "`print(1)`", out: "1\n"},
		{code: "\ufeffprint(1)\r\nprint(2)\r\n", out: "1\n2\n"},
		{code: "    x = 1\n    if x:\n        print(x)\n", out: "1\n"},
		{code: "\tx = 1\n\tprint(x)\n", out: "1\n"},
		{code: "  x = 1\nprint(x)", out: "1\n"},
		{code: "x = 1\n    y = 2\n    print(x + y)", out: "3\n"},
		{code: "    text = '''a\nb'''\n    print(text)", out: "a\nb\n"},
		{code: ">>> x = 1\n>>> for i in range(2):\n...     print(i)\n...\n0\n1\n>>> print(x)\n1", out: "0\n1\n1\n"},
		{code: "print('''\n```python\nx\n```\n''')", out: "\n```python\nx\n```\n\n"},
		{code: "text = \"\"\"\n>>> no prompt\n\"\"\"\nprint(len(text))", out: "15\n"},
		{code: "", out: ""},
		{code: "# nothing yet", out: ""},
		{code: "```python\nprint(1 / 0)\n```", says: `line 2, in <module>\n    print\(1 / 0\)`},
		{code: "    x = 1\n    y = = 2", says: `line 2\n    y = = 2`},
	})
}

// A call may be written in all the ways that models know.
func TestOtherWaysToCallJustWork(t *testing.T) {
	tryAll(t, known, []aProgram{
		{code: "print(await add(1, 2), await add(1, b=2), await add({'a': 1, 'b': 2}), await add(*[1, 2]), await add(**{'a': 1, 'b': 2}))", out: "3 3 3 3 3\n"},
		{code: "print(await add(params={'a': 1, 'b': 2}), await add(arguments={'a': 1, 'b': 2}))", out: "3 3\n"},
		{code: "from tools import add, find_issue as find\nprint(await add(1, 2), (await find(text='x')).data)", out: "3 {'text': 'x'}\n"},
		{code: "import add\nprint(await add(1, 2))", out: "3\n"},
		{code: "import tools\nprint(await tools.add(a=1, b=2))", out: "3\n"},
		{code: "from servers.desk import add\nfrom desk import create_issue\nprint(await add(a=1, b=2))", out: "3\n"},
		{code: "from weather import add, find_issue as find\nprint(await add(a=1, b=2), (await find(text='x')).data)", out: "3 {'text': 'x'}\n"},
		{code: "from tools import *\nprint(await add(a=1, b=2))", out: "3\n"},
		{code: "print(await tools.add(a=1, b=2), await functions.add(a=1, b=2), await desk.add(1, 2), await mcp.add(1, 2), await tools['add'](1, 2))", out: "3 3 3 3 3\n"},
		{code: "print(await mcp__desk__add(a=1, b=2), await desk__add(a=1, b=2), await mcp_desk_add(a=1, b=2))", out: "3 3 3\n"},
		{code: "print(await my_server.add(a=1, b=2), await mcp__my_server__add(a=1, b=2))", out: "3 3\n"},
		{code: "print(await call_tool('add', {'a': 1, 'b': 2}), await call_tool('desk', 'add', {'a': 1, 'b': 2}), await call_tool('add', a=1, b=2))", out: "3 3 3\n"},
		{code: "print(await session.call_tool('add', arguments={'a': 1, 'b': 2}), await client.call_tool(name='add', arguments={'a': 1, 'b': 2}))", out: "3 3\n"},
		{code: "print([t.name for t in (await session.list_tools()).tools][:2])", out: "['add', 'create_issue']\n"},
		{code: "display(1, 'a')\ndisplay([await add(1, 2)][0] and 'b')", out: "1\na\nb\n"},
		{code: "print(await show(text='x'))", out: "{\"text\":\"x\"}\n"},
		{code: "print((await find_issue(text='x', from_='y', max_results=4/2)).data)", out: "{'from': 'y', 'max-results': 2, 'text': 'x'}\n"},
		{code: "print((await create_issue(title='x', priority=None, labels=None)).data)", out: "{'labels': None, 'title': 'x'}\n"},
		{code: "print(await add(a=4/2, b=1.0))", out: "3\n"},
		{code: "print((await store({'x': 1})).data, (await store({'data': {'y': 2}})).data)", out: "{'data': {'x': 1}} {'data': {'y': 2}}\n"},
		{code: "import asyncio\nloop = asyncio.new_event_loop()\nasyncio.set_event_loop(loop)\nprint(loop.run_until_complete(add(a=1, b=2)))\nloop.close()", out: "3\n"},
		{code: "loop = asyncio.get_event_loop()\nprint(loop.run_until_complete(add(a=1, b=2)))\nloop.close()\nprint(await add(2, 2))", out: "3\n4\n"},
		{code: "with asyncio.Runner() as runner:\n    print(runner.run(add(a=1, b=2)))", out: "3\n"},
		{code: "import nest_asyncio\nnest_asyncio.apply()\nasync def main():\n    return asyncio.get_event_loop().run_until_complete(add(1, 2))\nprint(asyncio.run(main()))", out: "3\n"},
		{code: "async def main():\n    print(await add(1, 2))\n    loop.stop()\nloop = asyncio.get_event_loop()\nloop.create_task(main())\nloop.run_forever()\nprint('end')", out: "3\nend\n"},
		{code: "import asyncio\nasync def main():\n    print(await add(1, 2))\nif __name__ == '__main__':\n    asyncio.run(main())", out: "3\n"},
		{code: "async def main():\n    print(await add(1, 2))\nasyncio.ensure_future(main())\nprint('first')", out: "first\n3\n"},
		{code: "async def main():\n    return int(await add(1, 2))\nasyncio.create_task(main())", out: "3\n"},
		{code: "import threading, time\ndef run():\n    time.sleep(0.2)\n    print(asyncio.run(add(1, 2)))\nthreading.Thread(target=run).start()\nprint('first')", out: "first\n3\n"},
		{code: "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\nf = pool.submit(lambda: print(asyncio.run(add(1, 2))))", out: "3\n"},
		{code: "import threading, queue\nq = queue.Queue()\ndef work():\n    while True:\n        print(q.get())\nthreading.Thread(target=work).start()\nq.put(1)", out: "1\n"},
		{code: "import threading, time\nthreading.Thread(target=time.sleep, args=(3600,), daemon=True).start()\nprint('end', await asyncio.to_thread(len, 'ab'))", out: "end 2\n"},
		{code: "import concurrent.futures\nwith concurrent.futures.ThreadPoolExecutor() as ex:\n    print([int(r) for r in ex.map(lambda i: asyncio.run(add(a=i, b=1)), range(4))])", out: "[1, 2, 3, 4]\n"},
		{code: "import functools, inspect\nprint(inspect.iscoroutinefunction(add), await functools.partial(add, a=1)(b=2))", out: "True 3\n"},
	})
}

// A helper of ours hides nothing: not a tool, not a variable, not a module.
func TestHelpersGiveWay(t *testing.T) {
	tools := []wire.Tool{
		aTool("display", "text", wire.Param{Name: "x", Line: "x: int"}), aTool("tools", "text"), aTool("call_tool", "text"), aTool("session", "text"),
		aTool("statistics", "text"), aTool("mcp__desk__add", "text"),
	}
	tryAll(t, tools, []aProgram{
		{code: "print(await display(x=1), await tools(), await call_tool(), await session(), await mcp__desk__add())", out: "{\"x\":1} {} {} {} {}\n"},
		{code: "import statistics\nprint(statistics.mean([1, 3]))", out: "2\n"},
		{code: "show = str.upper\nclient = {'add': 1}\nprint(show('a'), client['add'])", out: "A 1\n"},
		{code: "print(sorted(n for n in globals() if not n.startswith('_') and n.islower()))", out: "['asyncio', 'call_tool', 'display', 'json', 'mcp__desk__add', 'search_tools', 'session', 'statistics', 'tools']\n"},
		{code: "def f(functions):\n    return functions.upper()\nprint(f('a'))", out: "A\n"},
		{code: "import importlib.util\nprint(importlib.util.find_spec('numpy'), importlib.util.find_spec('no_such'))", out: "None None\n"},
		{code: "try:\n    import pandas as pd\nexcept ImportError as e:\n    print(type(e).__name__, e.name, e)", out: "ModuleNotFoundError pandas No module named 'pandas'. pandas is not installed, only the standard library is: use lists of dicts, with csv, statistics, sqlite3 and collections.\n"},
		{code: "import socket\ntry:\n    socket.create_connection(('no-such-host.invalid', 80), timeout=1)\nexcept OSError as e:\n    print(type(e).__name__, 'There is no network here' in str(e))", out: "gaierror True\n"},
		{code: "try:\n    import yaml\nexcept ImportError:\n    yaml = None\nprint(yaml)", out: "None\n"},
	})
}
