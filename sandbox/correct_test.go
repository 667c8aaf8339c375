//go:build linux

package sandbox_test

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// The look at a program must let every program run that may be right, however
// unusual it is.
func TestNoCorrectProgramIsRefused(t *testing.T) {
	tryAll(t, known, []aProgram{
		// The name of a tool is something else here.
		{code: "def add(a, b=0, *c):\n    return a + b\nadd(1)\nprint(add(1, 2), add(1, 2, 3, 4))", out: "3 3\n"},
		{code: "add = lambda x: x\nprint(add(x=5))", out: "5\n"},
		{code: "seen = set()\nadd = seen.add\nadd(1)\nprint(seen)", out: "{1}\n"},
		{code: "from operator import add\nprint(add(1, 2))\nx = add(3, 4)", out: "3\n"},
		{code: "import operator as add\nprint(add.add(1, 2))", out: "3\n"},
		{code: "def f(add):\n    add(7)\nf(print)", out: "7\n"},
		{code: "for show in (print, repr):\n    show(1)", out: "1\n"},
		{code: "show = print\nshow(1)", out: "1\n"},
		{code: "print([add(1) for add in (str, int)])", out: "['1', 1]\n"},
		{code: "match print:\n    case add:\n        add(1)", out: "1\n"},
		{code: "match {'k': print}:\n    case {'k': add}:\n        add(1)", out: "1\n"},
		{code: "match [1, 2]:\n    case [*add]:\n        print(add[0])", out: "1\n"},
		{code: "if (add := print):\n    add(2)", out: "2\n"},
		{code: "try:\n    raise ValueError\nexcept ValueError as add:\n    print(add.args)", out: "()\n"},
		{code: "class add:\n    def __init__(self, x): print(x)\nadd(1) and None", out: "1\n"},
		{code: "class T:\n    def add(self, x): return x\n    def go(self): self.add(1); return self.add(x=2)\nprint(T().go())", out: "2\n"},
		{code: "def f():\n    global add\n    add = print\nf()\nadd(1)", out: "1\n"},
		{code: "def f():\n    def g():\n        nonlocal add\n        add = print\n    add = None\n    g()\n    add(1)\nf()", out: "1\n"},
		{code: "import contextlib\n@contextlib.contextmanager\ndef m(): yield print\nwith m() as add:\n    add(1)", out: "1\n"},
		{code: "del add\ntry:\n    add(1)\nexcept NameError:\n    print('gone')", out: "gone\n"},
		{code: "globals()['add'] = print\nadd(1, end='!\\n')", out: "1!\n"},
		{code: "exec('add = print')\nadd(1)", out: "1\n"},
		{code: "exec('def helper(x): print(x)')\nhelper(1)", out: "1\n"},
		{code: "import builtins\nbuiltins.helper = print\nhelper(await add(1, 2))", out: "3\n"},
		{code: "import sys\nsys.modules['__main__'].helper = print\nhelper(await add(1, 2))", out: "3\n"},
		{code: "import __main__\n__main__.helper = print\nhelper(await add(1, 2))", out: "3\n"},
		{code: "from math import *\nprint(floor(2.5), await add(1, 2))", out: "2 3\n"},
		// A coroutine may go many ways.
		{code: "r = add(a=1, b=2)\nprint(await r)", out: "3\n"},
		{code: "r = add(a=1, b=2)\nr = await r\nprint(r)", out: "3\n"},
		{code: "r = add(a=1, b=2)\nt = asyncio.create_task(r)\nprint(await t)", out: "3\n"},
		{code: "a, b = add(1, 2), add(3, 4)\nprint(await a, await b)", out: "3 7\n"},
		{code: "a = b = add(1, 2)\nprint(await b)", out: "3\n"},
		{code: "c = add(1, 2)\nprint(asyncio.iscoroutine(c), type(c).__name__)\nc.close()", out: "True coroutine\n"},
		{code: "add(1, 2).close()", out: ""},
		{code: "c = add(1, 2)\nprint(c.cr_frame is not None, c.__name__)\nprint(await c)", out: "True add\n3\n"},
		{code: "print(*await asyncio.gather(add(1, 2), add(3, 4)))", out: "3 7\n"},
		{code: "calls = [add(i, 1) for i in range(3)]\nprint([int(x) for x in await asyncio.gather(*calls)])", out: "[1, 2, 3]\n"},
		{code: "calls = []\nfor i in range(3):\n    calls.append(add(i, 1))\nfor c in asyncio.as_completed(calls):\n    await c\nprint('ok')", out: "ok\n"},
		{code: "calls = {'x': add(1, 2)}\nprint({k: int(await v) for k, v in calls.items()})", out: "{'x': 3}\n"},
		{code: "f = lambda x: add(x, 1)\nprint(await f(1))", out: "2\n"},
		{code: "def f(x): return add(x, 1)\nprint(await f(1))", out: "2\n"},
		{code: "def f():\n    yield add(1, 2)\nfor c in f():\n    print(await c)", out: "3\n"},
		{code: "print(await (add(1, 2) if True else add(3, 4)))", out: "3\n"},
		{code: "print(await (None or add(1, 2)))", out: "3\n"},
		{code: "print(await (c := add(1, 2)))", out: "3\n"},
		{code: "class Job:\n    call = add(1, 2)\nprint(await Job.call)", out: "3\n"},
		{code: "class Job: pass\nj = Job()\nj.call = add(1, 2)\nprint(await j.call)", out: "3\n"},
		{code: "async def f(c): return await c\nprint(await f(add(1, 2)))", out: "3\n"},
		{code: "def str(x): return x\nprint(await str(add(1, 2)))", out: "3\n"},
		{code: "list = lambda *x: x[0]\nprint(await list(add(1, 2)))", out: "3\n"},
		{code: "class json:\n    dumps = staticmethod(lambda x: x)\nprint(await json.dumps(add(1, 2)))", out: "3\n"},
		{code: "class asyncio2:\n    gather = staticmethod(len)\nasyncio = asyncio2\nprint(asyncio.gather([1, 2]))", out: "2\n"},
		{code: "async with asyncio.TaskGroup() as tg:\n    t = tg.create_task(add(1, 2))\nprint(t.result())", out: "3\n"},
		{code: "async def main():\n    return await add(1, 2)\ncoro = main()\nprint(await coro)", out: "3\n"},
		{code: "def deco(f):\n    def run(): return asyncio.run(f())\n    return run\n@deco\nasync def main():\n    print(await add(1, 2))\nmain()", out: "3\n"},
		{code: "async def numbers():\n    yield await add(1, 2)\nasync for x in numbers():\n    print(x)", out: "3\n"},
		{code: "print([x async for x in (await add(i, 1) for i in range(1))])", out: "[1]\n"},
		{code: "print(sum([int(await add(i, 1)) for i in range(3)]), sum(int(x) for x in [await add(1, 1)]))", out: "6 2\n"},
		{code: "print(sum(x for x in range(int(await add(1, 2)))))", out: "3\n"},
		// An error may be wanted.
		{code: "try:\n    await add(x=1)\nexcept ToolError as e:\n    print(e.code)", out: "arguments_invalid\n"},
		{code: "try:\n    await no_such_tool()\nexcept NameError:\n    print('none')\nawait add(1, 2) and None", out: "none\n"},
		{code: "try:\n    await add(1)\nexcept (KeyError, Exception):\n    print('caught')", out: "caught\n"},
		{code: "async def f():\n    await add(x=1)\ntry:\n    await f()\nexcept ToolError as e:\n    print(e.code)", out: "arguments_invalid\n"},
		{code: "r = await asyncio.gather(add(x=1), add(1, 2), return_exceptions=True)\nprint(type(r[0]).__name__, r[1])", out: "ToolError 3\n"},
		{code: "import contextlib\nwith contextlib.suppress(ToolError):\n    await add(x=1)\nprint('on')", out: "on\n"},
		{code: "class Quiet:\n    def __enter__(self): pass\n    def __exit__(self, *a): return True\nwith Quiet():\n    await add(x=1)\nprint('on')", out: "on\n"},
		{code: "t = asyncio.create_task(add(x=1))\nawait asyncio.wait([t])\nprint(t.exception().code)", out: "arguments_invalid\n"},
		{code: "try:\n    r = add(1, 2)['sum']\nexcept TypeError:\n    r = await add(1, 2)\nprint(r)", says: "never awaited", calls: 1},
		// A place may never be reached, or be chosen by what there is.
		{code: "if False:\n    await no_such_tool()\nprint(await add(1, 2))", out: "3\n"},
		{code: "if 'no_such_tool' in TOOLS:\n    await no_such_tool()\nelse:\n    print(await add(1, 2))", out: "3\n"},
		{code: "have = False\nif have:\n    await nosuch(a=1)\nelse:\n    print(await add(1, 2))", out: "3\n"},
		{code: "tools_available = ['add']\nif 'get_user' in tools_available:\n    await get_user(id=1)\nprint(await add(1, 2))", out: "3\n"},
		{code: "r = await add(1, 2)\nif len('abc') > 5:\n    cleanup()\nprint(r)", out: "3\n"},
		{code: "if __name__ != '__main__':\n    wrong()\nprint(await add(1, 2))", out: "3\n"},
		{code: "for i in []:\n    await add(x=i)\nwhile not True:\n    await add(x=1)\nprint(await add(1, 2))", out: "3\n"},
		{code: "async def spare():\n    await nosuch(x=1)\nprint(await add(1, 2))", out: "3\n"},
		{code: "try:\n    r = await add(1, 2)\nexcept ZeroDivisionError:\n    r = await add(x=1)\nprint(r)", out: "3\n"},
		{code: "match await add(1, 2):\n    case 'x':\n        await nosuch()\nprint([await add(x=i) for i in ''], True or nosuch())", out: "[] True\n"},
		{code: "async def f(n):\n    if n:\n        await f(n - 1)\n    else:\n        print(await add(1, 2))\nawait f(2)", out: "3\n"},
		{code: "class Part:\n    def __radd__(self, other): return other\nprint(await (add(1, 2) + Part()))", out: "3\n"},
		{code: "if 'limit' in (add.__doc__ or ''):\n    print(await add(1, 2, limit=3))\nelse:\n    print(await add(1, 2))", out: "3\n"},
		{code: "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    no_such()\nprint(await add(1, 2))", out: "3\n"},
		{code: "import sys\nprint(await add(1, 2))\nsys.exit()\nawait add(x=1)", out: "3\n"},
		{code: "async def f():\n    return await add(1, 2)\n    await add(x=1)\nprint(await f())", out: "3\n"},
		// Arguments may come from anywhere.
		{code: "args = {'a': 1, 'b': 2}\nprint(await add(**args), await add(args), await add(a=1, **{'b': 2}), await add(*args.values()))", out: "3 3 3 3\n"},
		{code: "print(await add(dict(a=1, b=2)), await add(*(1, 2)), await add(1, **{'b': 2}))", out: "3 3 3\n"},
		{code: "params = {'a': 1, 'b': 2}\nprint(await add(params=params))", out: "3\n"},
		{code: "from functools import partial\none = partial(add, 1)\nprint(await one(2), await one(b=3))", out: "3 4\n"},
		{code: "print([int(x) for x in await asyncio.gather(*map(add, [1, 2], [3, 4]))])", out: "[4, 6]\n"},
		{code: "tool = TOOLS and add\nprint(await tool(1, 2))", out: "3\n"},
		{code: "t = {'sum': add}\nprint(await t['sum'](1, 2))", out: "3\n"},
		{code: "def __helper(x): return x\nprint(__helper(await add(1, 2)))", out: "3\n"},
		{code: "print(await add(1, 2), __name__, __doc__)", out: "3 __main__ None\n"},
		{code: "x = 5\ndef f():\n    print(locals())\nf()\nprint(await add(1, 2))", out: "{}\n3\n"},
		{code: "lines = '''!ls\n%magic\nconst x = 1\n'''\nprint(len(lines), await add(1, 2))", out: "23 3\n"},
	})
}

// Cells of one sandbox know each other's names, also those that no look can see.
func TestNamesOfEarlierCellsAreLeftAlone(t *testing.T) {
	s := open(t)
	if err := s.Init(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	host := &desk{}
	for _, p := range []aProgram{
		{code: "def setup():\n    global helper, add\n    helper, add = print, sum\nc = add(1, 2)"},
		{code: "print(await c)\nsetup()\nhelper(add([1, 2]))\nhelper(1)", out: "3\n3\n1\n"},
		{code: "add([1, 2])", out: "3\n"},
		{code: "helper(await mcp__desk__add(1, 2))", out: "3\n"},
	} {
		if o, err := s.Exec(t.Context(), p.code, host.call); err != nil || o.Stdout != p.out || p.out != "" && o.Error != "" {
			t.Errorf("%s: got %+v, %v", p.code, o, err)
		}
	}
}

// lookAtAll is a program that looks at all Python files of a directory as at
// programs that may call tools, which are named as what the files hold.
//
//go:embed testdata/look_at_all.py
var lookAtAll string

// The standard library is a large body of Python that is right.
func TestNoFileOfTheStandardLibraryIsRefused(t *testing.T) {
	dir := t.TempDir()
	runner, found := strings.CutSuffix(strings.TrimSpace(string(sandbox.RunnerSource)), "\nmain()")
	if !found {
		t.Fatal("the runner does not end as expected")
	}
	for name, text := range map[string]string{"runner.py": runner, "look.py": lookAtAll} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, pythonOrPath(), "-I", "-S", "-B", "-W", "ignore", filepath.Join(dir, "look.py"), filepath.Join(dir, "runner.py")).CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "none refused\n") {
		t.Errorf("%v: %s", err, out)
	}
	t.Log(string(out))
}
