//go:build linux

package sandbox_test

import (
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// What is certainly a mistake stops a program before its first call, whatever
// comes before it, and its error shows the line and how to write it.
func TestAMistakeStopsAProgramBeforeItsFirstCall(t *testing.T) {
	first := "await create_issue(title='first')\n"
	tryAll(t, known, []aProgram{
		// Never awaited.
		{code: first + "add(a=1, b=2)", says: `line 2\n    add\(a=1, b=2\)\n    \^+\n.*Write: await add\(a=1, b=2\)`},
		{code: first + "r = add(a=1, b=2)\nprint(r)", says: `Write: r = await add\(a=1, b=2\)`},
		{code: first + "r = add(1, 2)\nprint(f'the sum is {r}')", says: `r = await add`},
		{code: first + "r = create_issue(title='x')\nprint(r['id'])", says: `r = await create_issue`},
		{code: first + "r = create_issue(title='x')\nprint('done')", says: `r = await create_issue`},
		{code: first + "r: dict = create_issue(title='x')\nfor k in r:\n    print(k)", says: `r = await create_issue`},
		{code: first + "for issue in find_issue(text='x'):\n    print(issue)", says: `for issue in await find_issue\(text='x'\):`},
		{code: first + "print([i for i in find_issue(text='x')])", says: `in await find_issue`},
		{code: first + "print(add(a=1, b=2))", says: `print\(await add\(a=1, b=2\)\)`},
		{code: first + "print(f\"{add(a=1, b=2)}\")", says: `\{await add`},
		{code: first + "if find_issue(text='x'):\n    print('found')", says: `if await find_issue`},
		{code: first + "print(await create_issue(title='x')['id'])", says: `\(await create_issue\(title='x'\)\)\['id'\]`},
		{code: first + "print(create_issue(title='x').data)", says: `\(await create_issue\(title='x'\)\)\.data`},
		{code: first + "a, b = find_issue(text='x')", says: `a, b = await find_issue`},
		{code: first + "import json\nprint(json.dumps(find_issue(text='x')))", says: `json.dumps\(await find_issue`},
		{code: first + "print(len(find_issue(text='x')))", says: `len\(await find_issue`},
		{code: first + "def total(x):\n    r = add(a=x, b=1)\n    return r.data\nprint(total(1))", says: `line 3.*async def total`},
		{code: first + "async def main():\n    for i in range(3):\n        create_issue(\n            title=f'{i}',\n        )\nawait main()", says: `await create_issue\(…\)`},
		{code: first + "async def main():\n    print(await add(1, 2))\nmain()", says: `line 4.*await main\(\)`},
		{code: first + "tools.add(a=1, b=2)\nmcp__desk__add(a=1, b=2)", says: `await tools.add.*line 3.*await mcp__desk__add`},
		{code: first + "print('r: ' + show(text='x'))", says: `Write: 'r: ' \+ await show`},
		{code: first + "x = add(a=1, b=2) + 1", says: `Write: await add\(a=1, b=2\) \+ 1`},
		{code: first + "print('%s' % add(a=1, b=2))", says: `'%s' % await add`},
		{code: first + "print('{}'.format(add(a=1, b=2)))", says: `format\(await add`},
		{code: first + "if add(a=1, b=2) > 2:\n    print('more')", says: `await add\(a=1, b=2\) > 2`},
		{code: `{"name": "add", "arguments": {"a": 1, "b": 2}}`, says: `is data.*await add\(a=1, b=2\)`},
		{code: `[{"tool": "find_issue", "args": {"text": "x", "max-results": 3}}]`, says: `await find_issue\(\{'text': 'x', 'max-results': 3\}\)`},
		{code: `{"name": "show", "input": {"text": null}}`, says: `await show\(text=None\)`},
		// No such tool.
		{code: first + "print(await createIssue(title='x'))", says: `no tool 'createIssue'.*create_issue`},
		{code: first + "print(await issue_create(title='x'))", says: `create_issue`},
		{code: first + "print(await get_weather(city='x'))", says: `no tool 'get_weather'. The tools are: add, create_issue`},
		{code: first + "async def main():\n    await creat_issue(title='x')\nasyncio.run(main())", says: `line 3.*create_issue`},
		{code: first + "await tools.creat_issue(title='x')", says: `create_issue`},
		{code: first + "results = await asyncio.gather(*[finds_issue(text=x) for x in 'ab'])", says: `find_issue`},
		// Arguments.
		{code: first + "await create_issue(name='x')", says: `does not take 'name'.*title: str`},
		{code: first + "await create_issue(titel='x')", says: `did you mean 'title'`},
		{code: first + "await create_issue(title='x', prio='high')", says: `did you mean 'priority'`},
		{code: first + "await find_issue(text='x', maxResults=3)", says: `did you mean 'max-results'`},
		{code: first + "await create_issue()", says: `needs 'title'`},
		{code: first + "await add(a=1)", says: `needs 'b'. It takes: a: int, b: int`},
		{code: first + "await add(1, 2, 3)", says: `3 arguments and takes 2`},
		{code: first + "x = await add(1, 2)\nif __name__ == '__main__':\n    await add(x=x, y=1)", says: `line 4.*'x' or 'y'`},
		{code: first + "try:\n    await add(x=1)\nexcept asyncio.TimeoutError:\n    pass", says: `'x'`},
		{code: first + "sem = asyncio.Semaphore(2)\nasync def one(i):\n    async with sem:\n        return await add(a=i, c=i)\nprint(await asyncio.gather(*[one(i) for i in range(2)]))", says: `'c'`},
		{code: first + "await fail(reason='x')", says: `does not take 'reason'. It takes: no arguments`},
		// Several, all told.
		{code: first + "add(1, 2)\nawait add(a=1)\nawait createIssue(title='x')", says: `line 2.*line 3: .*needs 'b'.*line 4: .*create_issue`},
		// await where it does not do what it looks like.
		{code: first + "print(sum(await add(i, 1) for i in range(3)))", says: `async generator.*\[… await`},
		{code: first + "print(', '.join(str(await add(i, 1)) for i in range(3)))", says: `async generator`},
		{code: first + "print(*(await add(i, 1) for i in range(3)))", says: `async generator`},
		{code: first + "print(await asyncio.gather([add(i, 1) for i in range(3)]))", says: `asyncio.gather\(\*\[`},
		{code: first + "def get(i):\n    return await add(i, 1)\nprint(get(1))", says: `line 3\n    return await add\(i, 1\)\n.*async def`},
		{code: first + "f = lambda i: await add(i, 1)", says: `async def`},
		{code: first + "print(list(map(lambda i: [x async for x in i], [])))\ndef f():\n    async with asyncio.timeout(1):\n        pass", says: `async def`},
		// Other languages, and other places that run Python.
		{code: first + "console.log('x')", says: `JavaScript; Python writes print`},
		{code: first + "print({'a': null, 'b': true})", says: `Python writes None`},
		{code: "const r = await add({a: 1, b: 2});\nconsole.log(r);", says: `Only Python.*JavaScript`},
		{code: "let x = 1", says: `JavaScript`},
		{code: "import { add } from './tools';\nconsole.log(await add(1, 2));", says: `JavaScript or TypeScript`},
		{code: "async function main() {\n  return 1;\n}", says: `JavaScript`},
		{code: "interface Issue {\n  id: number;\n}", says: `TypeScript`},
		{code: "// adds\nx = 1", says: `JavaScript`},
		{code: "if (x === 1) {\n  y = 2\n}", says: `JavaScript`},
		{code: "```javascript\nconst x = 1;\n```", says: `marked as javascript`},
		{code: "```bash\nls\n```", says: `marked as bash`},
		{code: "```python\nprint(1)\n```\n\n```python\nprint(2)\n```", says: `one program, code only`},
		{code: "!pip install pandas", says: `no shell`},
		{code: "pip install pandas", says: `no shell`},
		{code: "ls -la /tmp", says: `no shell`},
		{code: "curl https://example.com", says: `no shell`},
		{code: "%timeit x = 1", says: `IPython magic`},
		{code: first + "%%time\nx = 1", says: `IPython magic`},
		{code: "add?", says: `help\(add\)`},
		{code: "?add", says: `help\(add\)`},
		{code: "<html><body>x</body></html>", says: `not HTML`},
		{code: "SELECT * FROM issues", says: `not SQL`},
		{code: "I will add the numbers and then print the sum.", says: `program only`},
		{code: "print(“hello”)", says: `straight quotes`},
		{code: "print(‘hello’)", says: `straight quotes`},
		{code: `r = await add(a=1, b=2)\nprint(r)`, says: `real line breaks`},
		{code: "if True:\n\tx = 1\n        y = 2", says: `spaces only`},
		{code: first + "return 1", says: `print\(…\)`},
	})
}

// What only shows while a program runs is told in one line too.
func TestAnErrorSaysWhatToChange(t *testing.T) {
	tryAll(t, known, []aProgram{
		{code: "x = 1\nprint(await createIssue(title='x'))", says: `NameError.*create_issue`},
		{code: "import requests", says: `no network here: the tools`},
		{code: "import pandas as pd", says: `pandas is not installed.*standard library.*csv`},
		{code: "from dateutil import parser", says: `datetime and zoneinfo`},
		{code: "import numpy.linalg", says: `numpy is not installed`},
		{code: "import no_such_module", says: `only the standard library is`},
		{code: "from servers.tracker import create_issue", says: `need no import.*await create_issue`},
		{code: "from tools import creat_issue", says: `cannot import|create_issue`},
		{code: "import urllib.request\nurllib.request.urlopen('http://no-such-host.invalid/')", says: `no network here`},
		{code: "import socket\nsocket.getaddrinfo('no-such-host.invalid', 80)", says: `no network here`},
		{code: "import subprocess\nsubprocess.run(['no-such-program'])", says: `no shell here`},
		{code: "await asyncio.create_subprocess_exec('no-such-program')", says: `no shell here`},
		{code: "name = input('Your name? ')", says: `Nobody can type`},
		{code: "calls = [add(i, 1) for i in range(2)]\nprint(await asyncio.gather(calls))", says: `gather\(\*calls\)`},
		{code: "print(await asyncio.gather(await add(1, 2), await add(1, 2)))", says: `without await`, calls: 2},
		{code: "r = await (await add(1, 2))", says: `is a .* already: leave out`, calls: 1},
		{code: "r = await add", says: `Call it`},
		{code: "async def f():\n    add = await add(1, 2)\nawait f()", says: `is also a tool`},
		{code: "add = await add(1, 2)\nprint(await add(1, 2))", says: `give the variable another name`, calls: 1},
		{code: "c = add(1, 2)\nprint(await c)\nprint(await c)", says: `awaited once`, calls: 1},
		{code: "calls = {'x': add(1, 2)}\nprint('done')", says: `add\(\) was never awaited.*line 1.*Write: await add`},
		{code: "class Job: pass\nj = Job()\nj.call = add(1, 2)\nprint('done')", says: `add\(\) was never awaited.*line 3`},
		{code: "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as pool:\n    f = pool.submit(add, a=1, b=2)\nprint('done')", says: `add\(\) was never awaited`},
		{code: "async def f():\n    return add(1, 2)\nt = asyncio.create_task(f())\nawait t\nprint('done')", says: `add\(\) was never awaited.*line 2`},
		{code: "from collections import deque\nq = deque([add(1, 2)])\nprint('done')", says: `add\(\) was never awaited.*line 2`},
		{code: "q = asyncio.Queue()\nq.put_nowait([{'x': add(1, 2)}])\nprint('done')", says: `add\(\) was never awaited.*line 2`},
		{code: "def keep(c):\n    return lambda: c\nf = keep(add(1, 2))\nprint('done')", says: `add\(\) was never awaited.*line 3`},
		{code: "def f(x):\n    return add(x, 1)\nf(1)\nprint('done')", says: `add\(\) was never awaited.*line 2`},
		{code: "async def g():\n    return 1\nx = [g() for _ in range(2)]\ndel x", says: `g\(\) was never awaited`},
		{code: "def f(x):\n    return add(x, 1)\nprint(f(1)['sum'])", says: `not subscriptable.*awaited: \(await`},
		{code: "async def f():\n    await fail()\nt = asyncio.create_task(f())\nprint('done')", says: `it always fails.*did not await`, calls: 1},
		{code: "def get(a, b):\n    return add(a=a, b=b)\nprint(get(1, 2))", says: `Write: await get\(1, 2\), where get is called`},
		{code: "class C:\n    async def go(self):\n        return 1\nc = C()\nc.go()", says: `Write: await c\.go\(\)`},
		{code: "import sys\nasync def main():\n    return 0\nsys.exit(main())", says: `sys\.exit\(await main`},
		{code: "def get():\n    return show(text='x')\nx = 'r: '\nprint(x + get())", says: `await get\(…\)`},
		{code: "def get():\n    return add(1, 2)\nx = 1\nprint(get() > x)", says: `await get\(…\)`},
		{code: "def get():\n    return add(1, 2)\nprint(', '.join([get()]))", says: `when it is awaited`},
		{code: "print(issues[0])", says: `earlier run: this program must define issues`},
		{code: "issues", says: `earlier run`},
		{code: "import threading\nthreading.Thread(target=threading.Event().wait, name='waiter').start()", says: `before its threads: waiter`},
		{code: "async def f():\n    await asyncio.Event().wait()\nt = asyncio.create_task(f())", says: `cancelled: f\(\) at line 2`},
		{code: "try:\n    await add(x=1, y=2)\nexcept KeyError:\n    pass\nexcept Exception as e:\n    raise SystemExit(str(e))", says: `takes: a: int, b: int`, calls: 1},
		{code: "args = {'name': 'x'}\nawait create_issue(**args)", says: `takes: title: str, priority`, calls: 1},
		{code: "await add('{\"a\": 1}', 2)", says: `takes: a: int`, calls: 1},
		{code: "await call_tool('creat_issue', {'title': 'x'})", says: `create_issue`},
	})
}

// Python has names of its own that a tool cannot take.
func TestAnErrorNamesTheToolThatPythonHides(t *testing.T) {
	tryAll(t, []wire.Tool{aTool("list_", "text"), aTool("open_", "text"), aTool("json_", "text"), aTool("print_", "text")}, []aProgram{
		{code: "await list(state='open')", says: `named list_ here: await list_`},
		{code: "await open(path='x')", says: `named open_ here`},
		{code: "await json(a=1)", says: `named json_ here`},
		{code: "await print(text='x')", says: `named print_ here`},
	})
}
