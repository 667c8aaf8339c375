package sandboxtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// callChecks: what code calls.
var callChecks = []check{
	prints("a dict and keywords are the same call", "print(await echo({'a': 1, 'b': 2}) == await echo(a=1, b=2), await echo())", "True {}\n"),
	fails("a dict and keywords together are a TypeError", "await echo({'a': 1}, b=2)", "TypeError: echo() takes one dict"),
	fails("two positional arguments are a TypeError", "await echo(1, 2)", "TypeError: echo() takes one dict"),
	fails("a positional argument that is no dict is a TypeError", "await echo([1])", "not a list"),
	passes("a result has data, text and content", `
r = await echo(a=[1, 2.5, None, 'é'])
assert isinstance(r, str) and r == '{"a":[1,2.5,null,"é"]}', r
assert r.data == {'a': [1, 2.5, None, 'é']}
assert r.content == [{'type': 'text', 'text': str(r)}]
assert (await big(bytes=3)).data is None`),
	passes("a refused call raises ToolError with its codes", `
try:
    await fail()
except Exception as e:
    assert type(e) is ToolError and str(e) == 'refused', e
    assert (e.tool, e.code, e.codes) == ('toy/fail', 'tool_not_allowed', ['tool_not_allowed', 'rule_not_met'])
else:
    assert False`),
	{"200 calls in one gather work, at most 64 at once, in order", func(t *testing.T, s *suite) {
		h := &host{together: 64}
		sb := s.open(t, sandbox.Limits{})
		o := s.execIn(t, sb, "r = await asyncio.gather(*[echo(i=i) for i in range(200)])\nprint([x.data['i'] for x in r] == list(range(200)))", h.call)
		wantStdout(t, o, "True\n")
		if h.count.Load() != 200 || h.most.Load() != 64 {
			t.Errorf("%d calls, %d at once", h.count.Load(), h.most.Load())
		}
	}},
	{"10000 calls in one gather work", func(t *testing.T, s *suite) {
		h := &host{}
		o := s.execIn(t, s.open(t, sandbox.Limits{}), "r = await asyncio.gather(*[echo(i=i) for i in range(10000)])\nprint(sum(x.data['i'] for x in r))", h.call)
		wantStdout(t, o, "49995000\n")
		if n := h.count.Load(); n != 10000 {
			t.Errorf("%d calls", n)
		}
	}},
	{"calls whose results do not fit into memory together wait for each other", func(t *testing.T, s *suite) {
		var now, most atomic.Int64
		gate := func(_ context.Context, c wire.Call) sandbox.Verdict {
			return sandbox.Verdict{Bytes: 60 << 20, Answer: func() wire.Reply {
				most.Store(max(most.Load(), now.Add(1)))
				defer now.Add(-1)
				time.Sleep(20 * time.Millisecond)
				return wire.Reply{Text: strings.Repeat("x", 4<<20)}
			}}
		}
		o, err := s.open(t, sandbox.Limits{}).ExecGated(t.Context(), "r = await asyncio.gather(*[big() for _ in range(8)])\nprint(sum(map(len, r)))", gate)
		if err != nil {
			t.Fatal(err)
		}
		wantStdout(t, o, fmt.Sprintln(8*4<<20))
		if n := most.Load(); n > 2 {
			t.Errorf("%d results of up to 60 MiB at once", n)
		}
	}},
	{"a result that there is no memory for is an error of its call", func(t *testing.T, s *suite) {
		for _, room := range []int{4, 40, 70, 110} { // MiB: for the pieces of the line, the line, the text
			o := s.exec(t, fmt.Sprintf(`
import resource
used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()
_, most = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + (%d << 20), most))
try:
    print(len(await big(bytes=32 << 20)) == 32 << 20)
except ToolError as e:
    print(e.code == 'result_too_large' and '--memory' in str(e))
print(len(await big(bytes=1000)))`, room))
			wantStdout(t, o, "True\n1000\n")
		}
	}},
	prints("calls work from a thread with its own loop while the code waits for it", `
import threading
out = []
def work(n):
    out.append(asyncio.run(echo(n=n)).data['n'])
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(out))
`, "[0, 1, 2, 3]\n"),
	prints("calls work from a thread while the code calls too", `
import threading
async def many(n):
    return sum(r.data['i'] for r in await asyncio.gather(*[echo(i=i) for i in range(n)]))
out = []
t = threading.Thread(target=lambda: out.append(asyncio.run(many(100))))
t.start()
print(await many(100))
t.join()
print(out)
`, "4950\n[4950]\n"),
	prints("calls work from a thread on the code's loop", `
loop = asyncio.get_running_loop()
print(await asyncio.to_thread(lambda: asyncio.run_coroutine_threadsafe(echo(a=1), loop).result()))
`, `{"a":1}`+"\n"),
	prints("descriptors that the code watches are looked at before, beside and after calls", `
import os
loop = asyncio.get_running_loop()
read, write = os.pipe()
came = asyncio.Queue()
loop.add_reader(read, lambda: came.put_nowait(os.read(read, 10)))
os.write(write, b"before")
print(await came.get())
call = asyncio.create_task(slow())
os.write(write, b"beside")
print(await came.get(), call.done())
call.cancel()
os.write(write, b"with")
print(await asyncio.gather(echo(a=1), came.get()))
loop.remove_reader(read)
print(await echo(a=2))
`, "b'before'\nb'beside' False\n['{\"a\":1}', b'with']\n{\"a\":2}\n"),
	{"a call whose await was cancelled is cancelled at once, and its place is free", func(t *testing.T, s *suite) {
		var cancelled atomic.Int64
		h := &host{}
		o := s.execIn(t, s.open(t, sandbox.Limits{Deadline: time.Minute}), `
for _ in range(3):
    try:
        async with asyncio.timeout(0.01), asyncio.TaskGroup() as group:
            for _ in range(64): group.create_task(slow())
    except TimeoutError:
        pass
try:
    await asyncio.wait_for(slow(), 0.01)
except TimeoutError:
    pass
task = asyncio.create_task(slow())
await asyncio.sleep(0)
task.cancel()
print(await asyncio.gather(task, *[echo(i=i) for i in range(100)], return_exceptions=True) and 'all came')
`, func(ctx context.Context, c wire.Call) wire.Reply {
			r := h.call(ctx, c)
			if ctx.Err() != nil {
				cancelled.Add(1)
			}
			return r
		})
		wantStdout(t, o, "all came\n")
		if n := cancelled.Load(); n != 3*64+2 || h.most.Load() > 64 {
			t.Errorf("%d calls were cancelled; %d at once", n, h.most.Load())
		}
	}},
	passes("calls cancelled before they were answered leave every place free", `
async def quick(): return await echo(a=1)
for _ in range(10):
    tasks = [asyncio.create_task(echo(i=i)) for i in range(100)]
    await asyncio.sleep(0)
    for t in tasks: t.cancel()
    r = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(x, asyncio.CancelledError) for x in r), r
assert (await asyncio.wait_for(quick(), 10)).data == {'a': 1}`),
	{"calls under way at the end are cancelled and the next cell has all places", func(t *testing.T, s *suite) {
		sb, h := s.open(t, sandbox.Limits{}), &host{}
		wantStdout(t, s.execIn(t, sb, "t = [asyncio.create_task(slow()) for _ in range(80)]\nawait asyncio.sleep(0.05)\nraise SystemExit", h.call), "")
		if n := h.count.Load(); n != 64 {
			t.Errorf("%d calls went out", n)
		}
		wantStdout(t, s.execIn(t, sb, "len(await asyncio.gather(*[echo(i=i) for i in range(100)]))", h.call), "100\n")
	}},
	{"integers of 30 digits and exact decimals pass both ways", func(t *testing.T, s *suite) {
		h := &host{}
		o := s.execIn(t, s.open(t, sandbox.Limits{}), "r = await echo(n=-123456789012345678901234567890, f=0.1)\nprint(r, r.data['n'] + 1)", h.call)
		wantStdout(t, o, `{"f":0.1,"n":-123456789012345678901234567890} -123456789012345678901234567889`+"\n")
		args := h.seen()[0].Args.(map[string]any)
		if args["n"] != json.Number("-123456789012345678901234567890") {
			t.Errorf("the host saw %v", args["n"])
		}
	}},
	{"arguments that are not JSON are refused before they leave", func(t *testing.T, s *suite) {
		h := &host{}
		o := s.execIn(t, s.open(t, sandbox.Limits{}), `
deep = []
for _ in range(10000): deep = [deep]
loop = {}
loop['loop'] = loop
for bad in [deep, loop, float('nan'), float('inf'), -float('inf'), {1: 2}, {None: 1}, {1: 2, '1': 3}, '\ud800', {'\udfff': 1},
            {1, 2}, object(), b'x', 1j, 10**1000, [[[float('nan')]]], [None] * 100001, 'x' * (1 << 20)]:
    try:
        print('sent', await echo(a=bad))
    except ToolError as e:
        assert e.tool == 'toy/echo' and e.codes == [e.code] and len(str(e)) <= 500, e
        print(e.code)
try:
    await echo({1: 2})
except ToolError as e:
    print(e)
`, h.call)
		want := strings.Repeat("arguments_invalid\n", 16) + strings.Repeat("arguments_too_large\n", 2) + "arguments: a key: keys must be strings, not int\n"
		wantStdout(t, o, want)
		if n := h.count.Load(); n != 0 {
			t.Errorf("%d calls left the sandbox", n)
		}
	}},
	passes("results of 63, 64 and 65 KiB arrive whole", `
for n in (63, 64, 65):
    assert await big(bytes=n << 10) == 'x' * (n << 10)`),
	passes("large results and arguments do not deadlock", `
r = await asyncio.gather(*[echo(a='x' * 60_000, i=i) for i in range(200)])
assert [x.data['i'] for x in r] == list(range(200))`),
	prints("TOOLS and search_tools are local and list the tools", `
print(sorted(TOOLS), TOOLS['echo'].splitlines()[0])
print(list(search_tools('arguments')), search_tools('echo refuse') == ['echo', 'fail'], search_tools('zzz'))
print(len(search_tools('')) == len(await search_tools(None)) == len(TOOLS), await TOOLS['echo'](a=1))
try:
    TOOLS['x'] = 1
except TypeError:
    print('read-only')
`, "['big', 'echo', 'fail', 'slow'] async def echo(params: dict) -> str:\n['echo'] True no tool found for 'zzz'; search_tools() lists all 4\nTrue {\"a\":1}\nread-only\n"),
	{"cancelling the context stops the code and its calls", func(t *testing.T, s *suite) {
		sb := s.open(t, sandbox.Limits{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		cause := make(chan error, 1)
		o, err := sb.Exec(ctx, "await slow()", func(callCtx context.Context, c wire.Call) wire.Reply {
			cancel()
			<-callCtx.Done()
			cause <- callCtx.Err()
			return wire.Reply{}
		})
		if err != nil || !o.Stopped || o.Error != "stopped: cancelled" {
			t.Errorf("got %+v, %v", o, err)
		}
		if err := <-cause; err == nil {
			t.Error("the call was not cancelled")
		}
		s.fresh(t)
	}},
}

// forge is code that writes a line to every descriptor it can find, the
// protocol's private ones among them.
func forge(line string) string {
	return fmt.Sprintf(`
import os
for fd in range(64):
    try: os.write(fd, %q.encode() + b'\n')
    except OSError: pass
`, line)
}

// hostileChecks: code that attacks the protocol on its private descriptors.
var hostileChecks = []check{
	stops("garbage on the pipe ends the run", sandbox.Limits{}, forge("garbage")+"await asyncio.sleep(1000)", "protocol violation"),
	stops("an unknown op ends the run", sandbox.Limits{}, forge(`{"op":"exec","cell":1,"code":"1"}`)+"await asyncio.sleep(1000)", "protocol violation"),
	stops("an unknown key ends the run", sandbox.Limits{}, forge(`{"op":"out","text":"x","more":1}`)+"await asyncio.sleep(1000)", "protocol violation"),
	stops("a duplicate key ends the run", sandbox.Limits{}, forge(`{"op":"call","id":1,"tool":"toy/echo","args":{"a":1,"a":2}}`)+"await asyncio.sleep(1000)", "protocol violation"),
	stops("a reused call id ends the run", sandbox.Limits{}, "await echo()\n"+forge(`{"op":"call","id":1,"tool":"toy/echo","args":{}}`)+"await asyncio.sleep(1000)", "protocol violation"),
	stops("the end of another cell ends the run", sandbox.Limits{}, forge(`{"op":"done","cell":2,"error":null}`)+"await asyncio.sleep(1000)", "protocol violation"),
	stops("a second ready ends the run", sandbox.Limits{}, forge(`{"op":"ready","version":1}`)+"await asyncio.sleep(1000)", "protocol violation"),
	stops("bytes that are no text end the run", sandbox.Limits{}, `
import os
for fd in range(64):
    try: os.write(fd, b'{"op":"out","text":"\xff\xfe\x00"}\n')
    except OSError: pass
await asyncio.sleep(1000)
`, "protocol violation"),
	stops("arguments nested 20000 deep end the run", sandbox.Limits{}, `
import os
for fd in range(64):
    try: os.write(fd, b'{"op":"call","id":1,"tool":"toy/echo","args":{"a":' + b'[' * 20000 + b']' * 20000 + b'}}\n')
    except OSError: pass
await asyncio.sleep(1000)
`, "protocol violation"),
	stops("a call id that is no whole number ends the run", sandbox.Limits{}, forge(`{"op":"call","id":1.5,"tool":"toy/echo","args":{}}`)+"await asyncio.sleep(1000)", "protocol violation"),
	stops("half a line and no more ends at the deadline", sandbox.Limits{Deadline: 2 * time.Second}, `
import os
for fd in range(3, 58): # not what is shown as output, which would end the line
    try: os.write(fd, b'{"op":"call",')
    except OSError: pass
await asyncio.sleep(1000)
`, "deadline"),
	stops("a line without end ends the run", sandbox.Limits{}, `
import os, threading
def flood(fd):
    try:
        while True: os.write(fd, b'x' * 4096)
    except OSError: pass
for fd in range(3, 58): threading.Thread(target=flood, args=(fd,)).start() if os.path.exists(f'/proc/self/fd/{fd}') else None
await asyncio.sleep(1000)
`, "protocol violation"),
	stops("more than 64 calls at once end the run", sandbox.Limits{}, `
import os
for fd in range(64):
    for i in range(65):
        try: os.write(fd, b'{"op":"call","id":%d,"tool":"toy/slow","args":{}}\n' % (i + 1))
        except OSError: pass
await asyncio.sleep(1000)
`, "protocol violation"),
	stops("a cancelled call that never was ends the run", sandbox.Limits{}, forge(`{"op":"cancel","id":1}`)+"await asyncio.sleep(1000)", "protocol violation"),
	stops("a call cancelled again and again ends the run", sandbox.Limits{}, "await echo()\n"+forge(`{"op":"cancel","id":1}`)+forge(`{"op":"cancel","id":1}`)+"await asyncio.sleep(1000)", "protocol violation"),
	{"calls that are made and cancelled at once are no more at once than others", func(t *testing.T, s *suite) {
		h := &host{delay: time.Millisecond}
		sb := s.open(t, sandbox.Limits{Deadline: 20 * time.Second})
		o := s.execIn(t, sb, `
import os
for i in range(1, 301):
    for fd in range(3, 64):
        try: os.write(fd, b'{"op":"call","id":%d,"tool":"toy/slow","args":{}}\n{"op":"cancel","id":%d}\n' % (i, i))
        except OSError: pass
`, h.call)
		if most := h.most.Load(); o.Error != "" || most > 64 || h.count.Load() != 300 {
			t.Errorf("got %+v; %d calls, %d at once", o, h.count.Load(), most)
		}
	}},
	{"a forged end of the cell is no worse than an end", func(t *testing.T, s *suite) {
		sb := s.open(t, sandbox.Limits{Deadline: 20 * time.Second})
		o := s.execIn(t, sb, forge(`{"op":"done","cell":1,"error":null}`), nil)
		if o.Error != "" && !strings.HasPrefix(o.Error, "stopped: protocol violation") {
			t.Errorf("got %+v", o)
		}
		// The real end of the first cell is an unexpected message in the second.
		if o, err := sb.Exec(t.Context(), "await asyncio.sleep(1000)", nil); err == nil && o.Error != "stopped: protocol violation" {
			t.Errorf("got %+v", o)
		}
		s.fresh(t)
	}},
	stops("a runner that does not read its replies is stopped and bounded", sandbox.Limits{Deadline: 2 * time.Second}, `
import os, time
for i in range(1, 100000):
    for fd in range(50, 64):
        try: os.write(fd, b'{"op":"call","id":%d,"tool":"toy/big","args":{"bytes":60000}}\n' % i)
        except OSError: pass
`, ""),
}
