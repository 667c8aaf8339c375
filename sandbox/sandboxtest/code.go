package sandboxtest

import (
	"strings"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// codeChecks: what code may be.
var codeChecks = []check{
	prints("the last expression is printed", "x = 20\nx + 1", "21\n"),
	prints("the last expression is not printed when it is None", "None", ""),
	prints("top-level await works", "r = await echo(a=1)\nr.data", "{'a': 1}\n"),
	prints("asyncio.run works at top level", `
async def main():
    return await echo(a=1)
print(asyncio.run(main()), await echo(b=2))
`, `{"a":1} {"b":2}`+"\n"),
	prints("run_until_complete works at top level", `
async def main():
    return await echo(a=1)
print(asyncio.get_event_loop().run_until_complete(main()), await echo(b=2))
`, `{"a":1} {"b":2}`+"\n"),
	prints("dataclasses, pickle and enums work in the code's own module", `
import pickle, dataclasses, enum
@dataclasses.dataclass
class Point:
    x: int
class Color(enum.Enum):
    RED = 1
print(pickle.loads(pickle.dumps((Point(3), Color.RED))), __name__)
`, "(Point(x=3), <Color.RED: 1>) __main__\n"),
	prints("the locale of the environment can be set, and text is UTF-8 before and after", `
import locale, sys
for _ in range(2):
    print({sys.getfilesystemencoding(), locale.getpreferredencoding(False), open('/dev/null').encoding}, 'é'.encode(), f'{12345:n}')
    locale.setlocale(locale.LC_ALL, '')
import time
print(time.strftime('%B %A', time.gmtime(0)))
`, "{'utf-8'} b'\\xc3\\xa9' 12345\n{'utf-8'} b'\\xc3\\xa9' 12345\nJanuary Thursday\n"),
	fails("an error shows where in the code it arose", "def f():\n    return 1 / 0\nf()", `Traceback (most recent call last):
  File "<run_python>", line 3, in <module>
    f()`),
	fails("an error names its type and text", "raise ValueError('so what')", "ValueError: so what"),
	{"an error holds no frame of the runner and no path of the host", func(t *testing.T, s *suite) {
		for _, code := range []string{"await fail()", "await echo({1: 2})", "echo(1, 2).send(None)", "await asyncio.gather(fail())", "("} {
			o := s.exec(t, code)
			if o.Error == "" || strings.Contains(o.Error, "runner") || strings.Contains(o.Error, "/work") {
				t.Errorf("%s: got %+v", code, o)
			}
		}
	}},
	{"a long traceback keeps its end", func(t *testing.T, s *suite) {
		o := s.exec(t, "def f(n):\n    g(n)\ndef g(n):\n    f(n)\ntry:\n    f(1)\nexcept RecursionError as e:\n    raise ValueError('y' * 1000 + 'the end') from e")
		if len(o.Error) > 2<<10 || !strings.HasSuffix(o.Error, "the end") {
			t.Errorf("got %d bytes: %s", len(o.Error), o.Error)
		}
	}},
	fails("a syntax error shows its line", "x = 1\ny = = 2", "y = = 2"),
	fails("6000 nested parentheses are a clean error", strings.Repeat("(", 6000)+strings.Repeat(")", 6000), "Error"),
	fails("endless recursion is a clean error", "def deep(n): return deep(n + 1)\ndeep(0)", "RecursionError"),
	fails("a NUL in the code is a clean error", "print(1)\x00", "SyntaxError"),
	fails("reading input ends at once", "input()", "EOFError"),
	fails("a broken repr is a clean error", "class A:\n    def __repr__(self): raise KeyError('broken')\nA()", "KeyError: 'broken'"),
	fails("an exception that cannot be shown is a clean error", "class E(Exception):\n    def __str__(self): raise KeyError(1)\nraise E()", "E"),
	{"cells keep variables, functions and imports", func(t *testing.T, s *suite) {
		sb, h := s.open(t, sandbox.Limits{}), &host{}
		wantStdout(t, s.execIn(t, sb, "import math\nx = 40\ndef f(): return x + 2", h.call), "")
		wantStdout(t, s.execIn(t, sb, "print(f(), math.floor(2.5), await echo(a=x))", h.call), `42 2 {"a":40}`+"\n")
		o := s.execIn(t, sb, "1 / 0", h.call)
		if o.Stopped || !strings.Contains(o.Error, `File "<run_python 3>", line 1`) {
			t.Errorf("got %+v", o)
		}
		wantStdout(t, s.execIn(t, sb, "x += 1\nx", h.call), "41\n")
	}},
	{"code longer than the limit or not UTF-8 is refused and harms nothing", func(t *testing.T, s *suite) {
		sb := s.open(t, sandbox.Limits{})
		for _, code := range []string{strings.Repeat("#", sandbox.MaxCode+1), "print('\xed\xa0\x80')"} {
			if o, err := sb.Exec(t.Context(), code, nil); err == nil {
				t.Errorf("got %+v", o)
			}
		}
		wantStdout(t, s.execIn(t, sb, strings.Repeat("#", sandbox.MaxCode-9)+"\nprint(1)", nil), "1\n")
	}},
}

// endChecks: how code may end.
var endChecks = []check{
	stops("os.abort ends the run", sandbox.Limits{}, "import os\nos.abort()", "the sandbox ended"),
	stops("os._exit ends the run", sandbox.Limits{}, "import os\nos._exit(7)", "the sandbox ended (exit status 7)"),
	stops("a crash of the interpreter ends the run", sandbox.Limits{}, "import ctypes\nctypes.string_at(0)", "the sandbox ended"),
	fails("sys.exit(3) is an error", "import sys\nsys.exit(3)", "SystemExit: 3"),
	fails("exit(3) is an error", "exit(3)", "SystemExit: 3"),
	fails("sys.exit with a text is an error", "import sys\nsys.exit('bad input')", "SystemExit: bad input"),
	fails("sys.exit in a task is an error", "import sys\nasync def f(): sys.exit(3)\nawait asyncio.create_task(f())", "SystemExit: 3"),
	prints("raising SystemExit is a clean end", "print(1)\nraise SystemExit\nprint(2)", "1\n"),
	prints("sys.exit(0) is a clean end", "import sys\nprint(1)\nsys.exit(0)", "1\n"),
	fails("KeyboardInterrupt is an error", "raise KeyboardInterrupt", "KeyboardInterrupt"),
	stops("an endless loop that catches everything is stopped at the deadline", sandbox.Limits{Deadline: time.Second}, `
while True:
    try:
        while True: pass
    except BaseException: pass
`, "deadline of 1 s reached"),
	stops("an await that never returns is stopped at the deadline", sandbox.Limits{Deadline: time.Second}, "await asyncio.sleep(1000)", "deadline of 1 s reached"),
	stops("a call that is never answered is stopped at the deadline", sandbox.Limits{Deadline: time.Second}, "await slow()", "deadline of 1 s reached"),
	prints("a daemon thread that outlives the code does not keep the run open", `
import threading, time
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
print('done')
`, "done\n"),
	prints("a thread ends before the run does", `
import threading, time
threading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()
print('code')
`, "code\nthread\n"),
	prints("a task pending at the end is run to its end", `
async def f():
    await asyncio.sleep(0.1)
    print((await echo(a=1)).data)
asyncio.create_task(f())
print('done')
`, "done\n{'a': 1}\n"),
	prints("sys.exit cancels the tasks that are left", `
async def f():
    try:
        await asyncio.sleep(1000)
    except asyncio.CancelledError:
        print('cancelled')
        raise
t = asyncio.create_task(f())
await asyncio.sleep(0)
print('done')
raise SystemExit
`, "done\ncancelled\n"),
	fails("a task that cannot come to its end is cancelled and named", `
async def f():
    await asyncio.sleep(1000)
t = asyncio.create_task(f())
print('done')
`, "cancelled: f() at line 3"),
	fails("a task that refuses to be cancelled does not keep the run open", `
async def f():
    while True:
        try: await asyncio.sleep(1000)
        except BaseException: pass
t = asyncio.create_task(f())
print('done')
`, "cancelled: f() at line 4"),
	fails("a task that fails and is not awaited says so", `
async def f():
    1 / 0
asyncio.create_task(f())
print('done')
`, "ZeroDivisionError: division by zero"),
	prints("a worker that waits for more work keeps nothing open", `
queue = asyncio.Queue()
async def worker():
    while True:
        print((await echo(a=await queue.get())).data)
        queue.task_done()
workers = [asyncio.create_task(worker()) for _ in range(3)]
queue.put_nowait(1)
await queue.join()
`, "{'a': 1}\n"),
	{"deleting every builtin harms nothing but the code", func(t *testing.T, s *suite) {
		sb := s.open(t, sandbox.Limits{})
		o := s.execIn(t, sb, "import builtins\nfor n in list(vars(builtins)): delattr(builtins, n)\nprint(1)", nil)
		if o.Stopped || !strings.Contains(o.Error, "NameError") {
			t.Errorf("got %+v", o)
		}
		wantStdout(t, s.execIn(t, sb, "print(len([1]))", nil), "1\n")
		o = s.execIn(t, sb, "import builtins\nfor n in list(vars(builtins)): delattr(builtins, n)\nawait asyncio.sleep(0)", nil)
		if o.Stopped {
			t.Errorf("got %+v", o)
		}
		s.fresh(t)
	}},
	fails("a recursion limit set too low is a clean error", "import sys\nsys.setrecursionlimit(30)\ndef deep(n): return deep(n + 1)\ndeep(0)", "RecursionError"),
	{"closing every descriptor ends the run cleanly", func(t *testing.T, s *suite) {
		o := s.exec(t, "import os\nos.closerange(3, 64)\nprint(1)")
		if want := "stopped: the code closed descriptors that the sandbox needs"; o.Error != want || !o.Stopped {
			t.Errorf("got %+v, want %q", o, want)
		}
		s.fresh(t)
	}},
}
