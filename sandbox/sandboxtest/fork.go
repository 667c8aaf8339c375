package sandboxtest

import (
	"strings"
	"testing"
)

// inChild is code whose child process runs body, a line or more, and whose parent
// waits for it and prints its exit status and one more call.
func inChild(body string) string {
	return "import os, sys, traceback\npid = os.fork()\nif pid == 0:\n    " + strings.ReplaceAll(body, "\n", "\n    ") +
		"\nelse:\n    status = os.waitpid(pid, 0)[1]\n    await asyncio.sleep(0)\n    print(os.waitstatus_to_exitcode(status), await echo(a=1))"
}

// parents is what the parent of inChild prints after what its child did.
func parents(status string) string { return status + ` {"a":1}` + "\n" }

const noCalls = "a child process cannot call tools; only the first process can\n"

// forkChecks: processes that the code forks. Each is a copy of the whole program.
var forkChecks = []check{
	prints("multiprocessing works, however it is told to start processes", `
import multiprocessing, concurrent.futures
multiprocessing.set_start_method("spawn")
def square(n):
    return n * n
with multiprocessing.Pool(2) as pool:
    print(pool.map(square, range(5)))
with concurrent.futures.ProcessPoolExecutor(2) as pool:
    print(list(pool.map(square, range(5))))
for how in ("spawn", "forkserver", "fork"):
    made = multiprocessing.get_context(how)
    queue = made.Queue()
    child = made.Process(target=lambda: queue.put(square(7)))
    child.start()
    print(queue.get(), child.join(), child.exitcode)
`, "[0, 1, 4, 9, 16]\n[0, 1, 4, 9, 16]\n49 None 0\n49 None 0\n49 None 0\n"),
	prints("processes share locks, events, values and conditions", `
from multiprocessing import Process, Lock, RLock, Semaphore, BoundedSemaphore, Event, Value, Barrier, Condition, JoinableQueue
import time
value, lock, begun = Value('i', 0), Lock(), Event()
def count():
    begun.wait()
    for _ in range(200):
        with lock: value.value += 1
children = [Process(target=count) for _ in range(3)]
for c in children: c.start()
begun.set()
for c in children: c.join()
print(value.value, lock.acquire(False), lock.acquire(timeout=0.01), lock.release())
r = RLock()
with r, r: print(r.acquire(), r.release())
for bad in (lock.release, r.release):
    try: bad()
    except (ValueError, AssertionError) as e: print(type(e).__name__)
s = Semaphore(2)
print([s.acquire(False) for _ in range(3)], s.release(), s.acquire(False))
barrier = Barrier(2)
child = Process(target=barrier.wait)
child.start()
print(barrier.wait(10) in (0, 1), child.join())
condition, ready = Condition(), Value('b', 0)
def tell():
    with condition:
        ready.value = 1
        condition.notify_all()
child = Process(target=tell)
with condition:
    child.start()
    print(condition.wait_for(lambda: ready.value, 10))
child.join()
q = JoinableQueue(1)
child = Process(target=lambda: (q.get(), q.task_done()))
child.start()
q.put(1)
q.join()
print('joined', child.join())
`, "600 True False None\nTrue None\nValueError\nAssertionError\n[True, True, False] None True\nTrue None\n1\njoined None\n"),
	prints("a child process ends as a script does", inChild("print('child')"), "child\n"+parents("0")),
	prints("a child process has its exit status", inChild("sys.exit(3)"), parents("3")),
	prints("a child process says why it exits", inChild("sys.exit('why')"), "why\n"+parents("1")),
	prints("a child process forks again, and again", inChild(`for n in range(3):
    if os.fork():
        os._exit(os.waitstatus_to_exitcode(os.wait()[1]))
print('deep')`), "deep\n"+parents("0")),
	prints("a child process awaits", inChild("await asyncio.sleep(0.01)\nprint(await asyncio.to_thread(len, 'abc'))"), "3\n"+parents("0")),
	prints("a child process runs a loop of its own", inChild("async def f():\n    await asyncio.sleep(0.01)\n    return 5\nprint(asyncio.run(f()))"), "5\n"+parents("0")),
	prints("a child process cannot call", inChild("try: await echo(a=2)\nexcept ToolError as e: print(e.code, e)"), "child_process "+noCalls+parents("0")),
	prints("a child process cannot wait for its parent's call", `import os
call = asyncio.ensure_future(echo(a=1))
await asyncio.sleep(0)
pid = os.fork()
if pid == 0:
    try: await call
    except ToolError as e: print(e)
else:
    os.waitpid(pid, 0)
    print(await call)`, noCalls+`{"a":1}`+"\n"),
	prints("a child process waits for its threads and does what was left for the exit", inChild(`import atexit, threading, time
atexit.register(print, 'exit')
over = threading.Event()
threading.Thread(target=lambda: (over.wait(), time.sleep(0.05), print('thread'))).start()
print('body')
over.set()`), "body\nthread\nexit\n"+parents("0")),
	prints("a child process that exits at once has said what it printed", inChild("for n in range(1000): print('x', end='\\n' if n % 100 == 99 else '')\nos._exit(4)"), strings.Repeat(strings.Repeat("x", 100)+"\n", 10)+parents("4")),
	prints("a child process has the hook that the code gave it", inChild("sys.excepthook = lambda kind, *_: print('hook', kind.__name__)\n1 / 0"), "hook ZeroDivisionError\n"+parents("1")),
	prints("a child process that closes everything harms nobody", inChild("os.closerange(0, 1000)\nprint('lost')\nos.fork()"), parents("0")),
	prints("a child process leaves its parent's loop alone", inChild(`asyncio.get_running_loop().call_soon_threadsafe(print, 'mine')
await asyncio.sleep(0.01)`)+"\nprint(await asyncio.to_thread(len, 'ab'))", "mine\n2\n"+parents("0")+"2\n"),
	prints("a task forks", `import os
async def f():
    pid = os.fork()
    if pid == 0: return 'child'
    os.waitpid(pid, 0)
    return 'parent'
print(await asyncio.create_task(f()))`, "child\nparent\n"),
	prints("a thread forks", `import os, threading
def f():
    pid = os.fork()
    print('parent' if pid and os.waitpid(pid, 0) else 'child')
thread = threading.Thread(target=f)
thread.start()
thread.join()
print(await echo(a=1))`, `child
parent
{"a":1}
`),
	prints("multiprocessing forks", `import multiprocessing
process = multiprocessing.get_context('fork').Process(target=print, args=('child',))
process.start()
process.join()
print(process.exitcode, await echo(a=1))`, "child\n"+parents("0")),
	{"no process of the code shows a frame of the runner", func(t *testing.T, s *suite) {
		for _, body := range []string{
			"1 / 0", "await fail()", "traceback.print_stack()", "traceback.print_exc()", "import inspect\nprint([f.filename for f in inspect.stack()])",
			"try: await fail()\nexcept ToolError: traceback.print_exc()",
			"try: await echo({1: 2})\nexcept ToolError as e:\n    import inspect\n    print([f.filename for f in inspect.getinnerframes(e.__traceback__)])",
			"import threading\nt = threading.Thread(target=asyncio.run, args=(fail(),))\nt.start()\nt.join()",
			"asyncio.get_running_loop().call_soon(lambda: 1 / 0)\nawait asyncio.sleep(0.01)",
			"task = asyncio.ensure_future(fail())\nprint(task)\nawait asyncio.sleep(0.1)\ntask.print_stack()\nprint(task)\ndel task",
			"print(asyncio.all_tasks())", "import logging\ntry: await fail()\nexcept ToolError: logging.exception('it')",
			"class A:\n    def __del__(self): asyncio.run(fail())\na = A()\ndel a", "import atexit\natexit.register(lambda: 1 / 0)",
			"import multiprocessing\np = multiprocessing.get_context('fork').Process(target=asyncio.run, args=(fail(),))\np.start()\np.join()",
			"sys.stdout.detach()\nos.fork()", "os.fork() and os.fork()\n1 / 0", "import faulthandler\nfaulthandler.dump_traceback(1)", "import faulthandler\nfaulthandler.enable(1)\nif os.getppid() > 1: os.fork() or os.abort()",
			"seen = set()\nsys.settrace(lambda frame, *_: seen.add(frame.f_code.co_filename))\nprint(1)\nsys.settrace(None)\nprint(seen)",
		} {
			for _, code := range []string{"import os, sys, traceback\n" + body, inChild(body)} {
				o := s.exec(t, code)
				for _, ours := range []string{"runner.py", "runner.pyc", "Bad file descriptor", "Runner.", "Children."} {
					if o.Stopped || strings.Contains(o.Stdout+o.Error, ours) {
						t.Errorf("%s:\n%+v", code, o)
					}
				}
				if strings.Contains(o.Stdout+o.Error, `File "<sandbox>"`) {
					t.Errorf("%s: a frame of the runner:\n%+v", code, o)
				}
			}
		}
	}},
}
