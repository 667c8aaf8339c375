"""The runner: executes model-written code and carries its tool calls out.

Started as `python3 -I -S -B /runner.py` with the protocol on descriptors 0 and
1: one JSON object per line, documented in the host's package sandbox/internal/protocol. It
moves the protocol to private descriptors before any code runs, so that
whatever the code prints, on whichever level, is output and nothing else.
It is written as two files, of which forked.py is the second, and is one file in
the sandbox, ended by a call of main.

Nothing here is a security boundary: the code shares this process and can do to
it what it likes. The host enforces every limit; this file is polite, fast, and
tells honest code clearly what it did wrong.
"""

import gc

gc.disable()  # until the imports are done: the collector took a fifth of their time

import _sitebuiltins
import builtins
import sys

HERE = "<sandbox>"  # the path that frames of this file show
if sys._getframe().f_code.co_filename != HERE:  # started from the source, not the .pyc
    with open(__file__, encoding="utf-8") as source:
        exec(compile(source.read(), HERE, "exec"))  # to the end of the process

# What the site module, which is not loaded here, gives every script.
builtins.exit = builtins.quit = sys.exit
builtins.help = _sitebuiltins._Helper()

# Functions defined below look their builtins up in this copy, so that code
# which deletes or replaces builtins does not break the runner.
ORIGINALS = dict(vars(builtins))
__builtins__ = ORIGINALS

# None of these modules may draw random numbers when imported: where machines are
# copies of one that was saved after this point, all would draw the same.
sys.modules["ssl"] = None  # asyncio imports it and nobody here has a network:
import asyncio  # 1 MB and 5 ms less
del sys.modules["ssl"]
import _ctypes
import ast
import codecs
import fcntl
import inspect
import io
import json
import linecache
import os
import re
import select
import threading
import time
import traceback
import types
import warnings
from asyncio import events, runners, tasks
from collections import deque
from math import isfinite

VERSION = 1
MAX_DEPTH = 64  # of arguments
MAX_VALUES = 100_000  # in arguments
HUGE, NEGATIVE_HUGE = 10**999, -(10**999)  # integers in arguments lie between
MAX_MESSAGE = 500  # characters of a ToolError
MAX_ERROR = 2048  # bytes of a traceback
OUT_PIECE = 64 << 10  # characters of one line of output
F_SETPIPE_SZ = 1031
RECURSION = sys.getrecursionlimit()
PROCESS = os.getpid()
LOST = 70  # exit status when the code closed the protocol's descriptors

# What the code may replace in a module is bound here.
dup_write, dup_read, dup_readv, leave, monotonic = os.write, os.read, os.readv, os._exit, time.monotonic
running_loop = events._get_running_loop
quote = json.encoder.encode_basestring


def parse_line(line, scan=json.JSONDecoder().scan_once):
    return scan(str(line, "utf-8"), 0)[0]


# --- the protocol stream ------------------------------------------------------


class Wire:
    """Lines from and to the host, for any thread.

    Senders never wait for each other: a sender that finds no other one writing
    writes the lines of all, in one system call where possible.
    """

    def __init__(self, read_fd, write_fd):
        self.read_fd, self.write_fd = read_fd, write_fd
        os.set_blocking(read_fd, False)
        try:
            fcntl.fcntl(read_fd, F_SETPIPE_SZ, 1 << 18)  # several large results at once
        except OSError:
            pass  # not a pipe of ours to resize
        self.outbox = deque()
        self.writing = threading.Lock()
        self.reading = threading.Lock()
        # One buffer for all reads: os.read would map and unmap this much for each line.
        self.buffer = memoryview(bytearray(1 << 18))
        self.partial = []  # pieces of a line whose end has not come

    def send(self, line):
        self.outbox.append(line)
        self.pump()

    def pump(self):
        outbox = self.outbox
        while outbox and self.writing.acquire(False):
            try:
                data = memoryview(b"".join([outbox.popleft() for _ in range(len(outbox))]))
                while data:
                    data = data[dup_write(self.write_fd, data):]
            except OSError:
                leave(LOST)
            finally:
                self.writing.release()

    def receive(self):
        """The messages that have come, without waiting for one."""
        if not self.reading.acquire(False):
            return ()
        try:
            size = dup_readv(self.read_fd, (self.buffer,))
            if not size:
                leave(0)  # the host is gone
            data = bytes(self.buffer[:size])
            if data.find(b"\n") == size - 1:  # one line, or its end, as is usual
                lines = [data, b""]  # a large one is not copied: JSON may end in a space
            else:
                lines = data.split(b"\n")
            if len(lines) == 1:
                self.partial.append(data)
                return ()
            if self.partial:
                lines[0] = b"".join([*self.partial, lines[0]])
            self.partial = [lines.pop()]
        except BlockingIOError:
            return ()
        except OSError:
            leave(LOST)
        finally:
            self.reading.release()
        return [parse_line(line) for line in lines]


# --- output -------------------------------------------------------------------


class Output(io.BufferedIOBase):
    """What sys.stdout and sys.stderr write to, and the end of the pipe that
    descriptors 1 and 2 are: everything printed becomes lines for the host.

    A printed line is sent at once, so that nothing is lost if the code then
    never returns. After a burst of lines, lines are sent together (see Attendant).
    """

    BURST, PER_SECOND, ENOUGH = 128, 1000, 8192

    def __init__(self, wire, pipe_fd):
        self.wire, self.pipe_fd = wire, pipe_fd
        os.set_blocking(pipe_fd, False)
        self.open = False  # between cells nothing is kept
        self.chunks = deque()
        self.size = 0
        self.credit, self.last = self.BURST, monotonic()
        self.flushing = threading.Lock()
        decoder = codecs.getincrementaldecoder("utf-8")
        self.decode = decoder("backslashreplace").decode
        self.decode_pipe = decoder("backslashreplace").decode

    def stream(self):
        return io.TextIOWrapper(self, "utf-8", "backslashreplace", newline="\n", line_buffering=True)

    def write(self, data):
        data = bytes(data)
        if self.open:
            self.chunks.append(data)
            self.size += len(data)
            if self.spend() or self.size >= self.ENOUGH:
                self.drain()
        return len(data)

    def spend(self):
        now = monotonic()
        credit = self.credit + (now - self.last) * self.PER_SECOND
        self.credit, self.last = min(credit, self.BURST), now
        if self.credit < 1:
            return False
        self.credit -= 1
        return True

    def drain(self):
        """Sends the output that waits. If another thread is sending, it waits for that
        one, which may need the interpreter; the code might never release it again."""
        while self.flushing.acquire(timeout=0.1):
            try:
                self.emit()
            finally:
                self.flushing.release()
            if not self.chunks:
                return

    def emit(self, last=False):
        text = self.decode_pipe(self.read_pipe())
        self.size = 0
        chunks = self.chunks
        text += self.decode(b"".join([chunks.popleft() for _ in range(len(chunks))]))
        if last:
            text += self.decode_pipe(b"", True) + self.decode(b"", True)
        for i in range(0, len(text) if self.open else 0, OUT_PIECE):
            self.send(text[i:i + OUT_PIECE])

    def send(self, text):
        self.wire.send(b'{"op":"out","text":%b}\n' % quote(text).encode())

    def read_pipe(self):
        try:
            return dup_read(self.pipe_fd, 1 << 16)
        except BlockingIOError:
            return b""
        except OSError:
            leave(LOST)

    def start(self):
        self.chunks.clear()
        self.open = True

    def stop(self):
        """Sends the rest; what threads print later is dropped."""
        with self.flushing:
            self.emit(last=True)
            self.open = False

    def writable(self):
        return True

    def isatty(self):
        return False

    def fileno(self):
        return 1

    def close(self):
        pass

    def flush(self):
        pass  # called at the end of every line; write has decided whether to send it

    closed = False
    name = "<run_python>"


# --- calls --------------------------------------------------------------------


class ToolError(Exception):
    """A tool call was refused or failed.

    .tool is the tool's id, .code the stable code of the first reason and
    .codes those of all of them.
    """

    def __init__(self, message="", tool="", code="", codes=()):
        super().__init__(message)
        self.tool, self.code, self.codes = tool, code, list(codes)

    __module__ = "__main__"


class ToolResult(str):
    """The text a tool returned.

    .data is its structured content, or the text parsed as JSON, or None.
    .content is the list of content blocks as plain dicts.
    """

    __module__ = "__main__"
    _content = None

    @property
    def data(self):
        try:
            return json.loads(self)
        except (ValueError, RecursionError):
            return None

    @property
    def content(self):
        if self._content is None:
            return [{"type": "text", "text": str(self)}]
        return json.loads(self._content)


def tool_error(tool, code, message, codes=None):
    return ToolError(message[:MAX_MESSAGE], tool=tool, code=code, codes=codes or [code])


PLAIN = frozenset((str, bool, type(None)))


def unfit(params):
    """Why params cannot be sent as JSON: a code and a text, or None."""
    stack, count = [(params, "", 1)], 0
    while stack:
        value, path, depth = stack.pop()
        if depth > MAX_DEPTH:
            return "arguments_invalid", f"more than {MAX_DEPTH} levels deep"
        count += len(value)
        if count >= MAX_VALUES:
            return "arguments_too_large", f"more than {MAX_VALUES} values"
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            kind = type(item)
            if type(key) is not str and isinstance(value, dict) and not isinstance(key, str):
                return "arguments_invalid", f"{path or 'a key'}: keys must be strings, not {type(key).__name__}"
            if kind in PLAIN or kind is int and NEGATIVE_HUGE < item < HUGE or kind is float and isfinite(item):
                continue
            where = f"{path}/{key}"
            if isinstance(item, (dict, list, tuple)):
                stack.append((item, where, depth + 1))
            elif kind is int:
                return "arguments_invalid", f"{where}: an integer of more than 999 digits"
            elif kind is float:
                return "arguments_invalid", f"{where}: {item} is not JSON"
            elif not isinstance(item, (str, int, float)):
                return "arguments_invalid", f"{where}: a {kind.__name__} is not JSON"
    return None


def not_json(value):
    raise TypeError(f"a {type(value).__name__} is not JSON")


def make_encoder():
    make = json.encoder.c_make_encoder
    encode = make(None, not_json, quote, None, ":", ",", False, False, False)
    return lambda value: "".join(encode(value, 0))


encode_json = make_encoder()


class Calls:
    """The calls under way, from every thread and event loop.

    At most `limit` are with the host; the others wait in order. A call whose
    await was cancelled keeps its place until the host has answered.
    """

    over = "run_over", "the code this call belongs to has ended"

    def __init__(self, wire):
        self.wire = wire
        self.lock = threading.Lock()
        self.open = False  # a cell is running
        self.limit = self.free = 64
        self.largest = 64 << 10  # bytes of arguments
        self.last_id = 0
        self.pending = {}  # id -> future
        self.queue = deque()  # (future, rest of the line)

    def stop(self):
        """Forgets every call, as the host does when a cell is done."""
        with self.lock:
            self.open = False
            left = [*self.pending.values(), *(future for future, _ in self.queue)]
            self.pending.clear()
            self.queue.clear()
            self.free = self.limit
        return left

    def issue(self, tool, head, params):
        """Starts a call; the future is of the running loop."""
        problem = unfit(params)
        if problem:
            raise tool_error(tool, problem[0], "arguments: " + problem[1])
        try:
            text = encode_json(params).encode()
        except UnicodeEncodeError:
            raise tool_error(tool, "arguments_invalid", "arguments: a string holds a lone surrogate") from None
        except (ValueError, TypeError, RecursionError) as e:
            raise tool_error(tool, "arguments_invalid", f"arguments: {e}") from None
        if len(text) > self.largest:
            raise tool_error(tool, "arguments_too_large", f"arguments: {len(text)} bytes of JSON")
        rest = b"%b%b}\n" % (head, text)
        loop = events.get_running_loop()
        future = loop.create_future()
        with self.lock:
            if not self.open:
                raise tool_error(tool, *self.over)
            if not self.free:
                self.queue.append((future, rest))
                self.attend(loop)
                return future
            self.launch(future, rest)
        if self.attend(loop):
            self.wire.pump()
        return future

    def launch(self, future, rest):
        self.free -= 1
        self.last_id += 1
        self.pending[self.last_id] = future
        self.wire.outbox.append(b'{"op":"call","id":%d,%b' % (self.last_id, rest))

    def attend(self, loop):
        """Makes sure that the loop reads replies, and says whether a call should be
        sent at once. The first call of a tick is, so that the host can start with
        it; the others of that tick are sent together at its end."""
        state = loop.__dict__
        if "_tick" not in state:
            loop.add_reader(self.wire.read_fd, self.deliver)
            state["_tick"] = False
        if state["_tick"]:
            return False
        state["_tick"] = True
        loop.call_soon(self.end_tick, state)
        return True

    def end_tick(self, state):
        state["_tick"] = False
        self.wire.pump()

    def deliver(self):
        self.settle(self.wire.receive())

    def settle(self, replies):
        """Hands replies to their futures and sends calls that have waited."""
        done = []
        with self.lock:
            for reply in replies:
                future = self.pending.pop(reply.get("id"), None)
                if future is not None:
                    self.free += 1
                    done.append((future, reply))
            while self.free and self.queue:
                future, rest = self.queue.popleft()
                if not future.done():
                    self.launch(future, rest)
        self.wire.pump()
        here = running_loop()
        for future, reply in done:
            on_loop(here, future, resolve, reply)


def on_loop(here, future, act, *args):
    loop = future.get_loop()
    if loop is here:
        act(future, *args)
        return
    try:
        loop.call_soon_threadsafe(act, future, *args)
    except RuntimeError:
        pass  # the loop is closed, so nothing waits for the future any more


def resolve(future, reply):
    if future.done():
        return
    if reply["op"] == "error":
        future.set_exception(tool_error(reply["tool"], reply["code"], reply["message"], reply["codes"]))
        return
    result = ToolResult(reply["text"])
    if "content" in reply:
        result._content = reply["content"]
    future.set_result(result)


def abandon(future):
    if not future.done():
        future.cancel()


# --- tools --------------------------------------------------------------------


def make_tool(calls, name, tool_id, stub):
    head = f'"tool":{quote(tool_id)},"args":'.encode()

    async def tool(*params, **named):
        if not params:
            return await calls.issue(tool_id, head, named)
        if len(params) > 1 or named or not isinstance(params[0], dict):
            raise TypeError(bad_use(name, params, named))
        return await calls.issue(tool_id, head, params[0])

    tool.__name__ = tool.__qualname__ = name
    tool.__module__, tool.__doc__ = "__main__", stub
    return tool


def bad_use(name, params, named):
    if named:
        found = "both a positional argument and keywords"
    elif len(params) > 1:
        found = f"{len(params)} positional arguments"
    else:
        found = f"a {type(params[0]).__name__}"
    return f"{name}() takes one dict, as in {name}({{...}}), or keyword arguments, not {found}"


class Found(list):
    """Names of tools, best match first; shown with the first line of each stub."""

    SHOWN = 50

    def __init__(self, names, stubs):
        super().__init__(names)
        self._stubs = stubs

    def __repr__(self):
        lines = [f"{name}: {first_line(self._stubs.get(name, ''))}" for name in self[:self.SHOWN]]
        if len(self) > self.SHOWN:
            lines.append(f"... and {len(self) - self.SHOWN} more")
        return "\n".join(lines) or "no tool found"


def first_line(stub):
    lines = [line.strip() for line in stub.splitlines()[1:]]
    return next((line for line in lines if line.strip('"')), "")


def make_search(stubs):
    def search_tools(query):
        """A list of the names of the tools whose name or stub holds a word of
        the query, best first: 2 points per word in the name, 1 in the stub.
        Printed, it shows the first line of each stub; TOOLS[name] is the stub
        itself, which shows how to call the tool."""
        words = set(re.findall(r"\w+", str(query).lower()))
        scored = []
        for name, stub in stubs.items():
            name_text, stub_text = name.lower(), stub.lower()
            score = sum(2 if w in name_text else w in stub_text for w in words)
            if score:
                scored.append((-score, name))
        return Found([name for _, name in sorted(scored)], stubs)

    search_tools.__module__ = "__main__"
    return search_tools


# --- cells --------------------------------------------------------------------


class CellLoop(asyncio.SelectorEventLoop):
    """The loop all cells of a sandbox run in. Code written for a script may
    call run_until_complete although the loop already runs: that nests."""

    PASSES = 4  # in a row that do not look for events
    passed = 0

    def _run_once(self):
        """Does what asyncio does, with two differences: without a timer it does not
        ask for the time, and while something is ready it looks for events less
        often. In gVisor these two system calls were half of the runner's cost of
        a tool call."""
        if self._scheduled or self._stopping or self._debug:
            return super()._run_once()
        ready = self._ready
        if ready and self.passed < self.PASSES:
            self.passed += 1
        else:
            self.passed = 0
            self._process_events(self._selector.select(0 if ready else None))
        for _ in range(len(ready)):
            handle = ready.popleft()
            if not handle._cancelled:
                handle._run()
        handle = None  # otherwise an exception in it would never be freed

    def run_until_complete(self, future):
        if running_loop() is not self:
            return super().run_until_complete(future)
        future = tasks.ensure_future(future, loop=self)
        with suspended(self):
            events._set_running_loop(self)
            while not future.done():
                self._run_once()
        return future.result()


class suspended:
    """Takes the thread out of its running loop and task for a while."""

    def __init__(self, loop):
        self.loop, self.task = loop, tasks.current_task(loop)

    def __enter__(self):
        if self.task:
            tasks._leave_task(self.loop, self.task)
        events._set_running_loop(None)

    def __exit__(self, *_):
        events._set_running_loop(self.loop)
        if self.task:
            tasks._enter_task(self.loop, self.task)


def run(main, *, run=runners.run, **options):
    """asyncio.run that works where a loop already runs, as at a cell's top level."""
    loop = running_loop()
    if loop is None:
        return run(main, **options)
    with suspended(loop):
        return run(main, **options)


class Cells:
    """Executes cells, one after the other, in one module that stays."""

    def __init__(self, calls, output):
        self.calls, self.output = calls, output
        self.loop = CellLoop()
        self.module = types.ModuleType("__main__")
        self.space = self.module.__dict__
        self.space.update(__builtins__=builtins, ToolError=ToolError, ToolResult=ToolResult, asyncio=asyncio, json=json)
        self.tools = {}
        self.streams = ()
        self.set_tools([])

    def set_tools(self, entries):
        for name, tool in self.tools.items():
            if self.space.get(name) is tool:
                del self.space[name]
        self.tools = {name: make_tool(self.calls, name, tool_id, stub) for name, tool_id, stub in entries}
        stubs = types.MappingProxyType({name: stub for name, _, stub in entries})
        self.space.update(self.tools, TOOLS=stubs, search_tools=make_search(stubs))

    def install(self):
        self.streams = (self.output.stream(), self.output.stream())
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = self.streams
        sys.modules["__main__"] = self.module
        asyncio.run = runners.run = run
        events.set_event_loop(self.loop)

    def execute(self, number, code):
        """Runs a cell; the text of its error, or None."""
        try:
            error = self.attempt(number, code)
        except BaseException as e:  # raised in another task, or the loop is broken
            error = None if is_clean_exit(e) else e
        restore()
        if os.getpid() != PROCESS:  # this is a child process of the code
            end_child(error)
        text = None if error is None else describe(error)
        self.cancel_tasks()
        self.flush(sys.stdout, sys.stderr)
        self.output.stop()
        return text

    def attempt(self, number, code):
        filename = "<run_python>" if number == 1 else f"<run_python {number}>"
        linecache.cache[filename] = (len(code), None, code.splitlines(True), filename)
        try:
            body, value = prepare(code, filename)
        except BaseException as e:  # SyntaxError, RecursionError, MemoryError, …
            return e
        if self.loop.is_closed():
            self.loop = CellLoop()
            events.set_event_loop(self.loop)
        return self.loop.run_until_complete(self.body(body, value))

    async def body(self, body, value):
        error = None
        try:
            await evaluate(body, self.space)
            if value is not None:
                result = await evaluate(value, self.space)
                if result is not None:
                    print(repr(result))
        except BaseException as e:
            error = None if is_clean_exit(e) else e
        restore()
        return error

    def cancel_tasks(self):
        """Tasks do not outlive their cell; one that resists is left behind."""
        try:
            left = tasks.all_tasks(self.loop)
            for task in left:
                task.cancel()
            if left:
                self.loop.run_until_complete(tasks.wait(left, timeout=1))
        except BaseException:
            pass

    def flush(self, *more):
        for stream in (*more, *self.streams):
            try:
                stream.flush()
            except BaseException:
                pass  # the code put something there that cannot, or took ours apart


def restore():
    """Restores what the code may have changed and the runner needs."""
    vars(builtins).update(ORIGINALS)
    sys.setrecursionlimit(RECURSION)


async def evaluate(code, space):
    result = eval(code, space)
    if code.co_flags & inspect.CO_COROUTINE:
        return await result
    return result


def prepare(code, filename):
    """Compiles a cell: its statements, and its last expression if it ends in one."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile(code, filename, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    value = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
        value = compile(last, filename, "eval", flags, dont_inherit=True)
    return compile(tree, filename, "exec", flags, dont_inherit=True), value


def is_clean_exit(e):
    return isinstance(e, SystemExit) and e.code in (None, 0)


# --- errors -------------------------------------------------------------------


def describe(e):
    """The end of the traceback."""
    try:
        text = render(e)
    except BaseException:
        text = type(e).__name__  # a broken __str__, or no memory left
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= MAX_ERROR:
        return data.decode()
    tail = data[-MAX_ERROR:].decode("utf-8", "ignore")
    head, newline, rest = tail.partition("\n")
    return rest if newline and len(rest) > MAX_ERROR // 2 else tail


def render(e):
    if isinstance(e, SystemExit):
        return f"SystemExit: {e}"
    trace = traceback.TracebackException(type(e), e, e.__traceback__, compact=True)
    bare = not trace.stack and not trace.exceptions and trace.__cause__ is None is trace.__context__
    return "".join(trace.format_exception_only() if bare else trace.format()).rstrip()


# --- life ---------------------------------------------------------------------


class Attendant(threading.Thread):
    """Does what must happen even if the code never returns: ends the
    process when the host is gone, sends output that waits, and reads what
    child processes print."""

    TICK = 50  # ms between looks at output that waits

    def __init__(self, wire, output, flush):
        super().__init__(daemon=True)
        self.output, self.flush = output, flush
        self.wire_fd, self.pipe_fd = wire.read_fd, output.pipe_fd
        self.wake_fd = private(os.eventfd(0, os.EFD_NONBLOCK))

    def wake(self):
        os.eventfd_write(self.wake_fd, 1)

    def run(self):
        poll = select.poll()
        poll.register(self.wire_fd, 0x2000)  # POLLRDHUP; POLLHUP and POLLERR always count
        poll.register(self.pipe_fd, select.POLLIN)
        poll.register(self.wake_fd, select.POLLIN)
        while True:
            for fd, event in poll.poll(self.TICK if self.output.open else None):
                if event & select.POLLNVAL:
                    leave(LOST)
                elif fd == self.wire_fd:
                    leave(0)
                elif fd == self.wake_fd:
                    os.eventfd_read(fd)
                elif not event & select.POLLIN:
                    poll.unregister(fd)  # the code closed 1 and 2
            self.flush()
            self.output.drain()


def private(fd):
    """Moves a descriptor to a high number that programs started later do not inherit."""
    try:
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 56)
    except OSError:  # fewer descriptors allowed than expected
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
    if fd > 2:
        os.close(fd)
    return high


def take_descriptors():
    """The private descriptors: protocol in and out, output pipe, machine's stderr."""
    wire_in, wire_out, stderr = private(0), private(1), private(2)
    null = os.open(os.devnull, os.O_RDONLY)
    read, write = os.pipe()
    for fd, target in ((null, 0), (write, 1), (write, 2)):
        os.dup2(fd, target)
    os.close(null)
    os.close(write)
    return wire_in, wire_out, private(read), stderr


def spare_address_space():
    """Keeps threads from reserving 64 MiB for a heap and 8 MiB for a stack
    each, which counts where memory is limited by address space."""
    threading.stack_size(1 << 20)
    try:
        mallopt = _ctypes.dlsym(_ctypes.dlopen(None, 0), "mallopt")
        _ctypes.call_function(mallopt, (-8, 1))  # M_ARENA_MAX
    except OSError:
        pass  # not glibc


class Runner:
    fresh = True  # no code has run

    def __init__(self, wire_in, wire_out, pipe, stderr):
        self.wire = Wire(wire_in, wire_out)
        self.output = Output(self.wire, pipe)
        self.calls = Calls(self.wire)
        self.cells = Cells(self.calls, self.output)
        self.attendant = Attendant(self.wire, self.output, self.cells.flush)
        self.private = {wire_in, wire_out, pipe, stderr, self.attendant.wake_fd}
        Children(self)

    def serve(self):
        self.cells.install()
        self.rehearse()
        describe(ValueError())
        self.attendant.start()
        gc.collect()
        gc.freeze()
        gc.enable()
        self.ready()
        idle = select.poll()
        idle.register(self.wire.read_fd, select.POLLIN)
        while True:
            idle.poll()
            for message in self.wire.receive():
                self.handle(message)

    def rehearse(self):
        """Runs a cell that makes a call whose reply is already there. This takes the
        extra time that only a first cell and a first call need. A machine that was
        copied needs it too: it has not yet fetched the memory that cells and calls
        use."""
        read, write = os.pipe()
        null = os.open(os.devnull, os.O_WRONLY)
        os.write(write, b'{"op":"result","id":1,"text":"{}"}\n')
        calls, cells = Calls(Wire(read, null)), self.cells
        calls.open = True
        cells.space["rehearsed"] = make_tool(calls, "rehearsed", "", "")
        cells.execute(0, "print((await rehearsed(a=1)).data)\n0")
        del cells.space["rehearsed"]
        cells.loop.remove_reader(read)
        vars(cells.loop).pop("_tick", None)  # the next call attends to its own wire
        for fd in (read, write, null):
            os.close(fd)

    def ready(self):
        self.wire.send(b'{"op":"ready","version":%d}\n' % VERSION)

    def handle(self, message):
        op = message["op"]
        if op == "exec":
            self.execute(message["cell"], message["code"])
        elif op == "init":
            self.cells.set_tools(message["tools"])
            self.calls.limit = self.calls.free = message["in_flight"]
            self.calls.largest = message["arguments"]
            if self.fresh:
                self.attendant.wake()  # its thread runs once too, for the reason of rehearse
                self.rehearse()
            self.ready()
        elif op == "ping":
            self.ready()
        # else a reply to a call that was forgotten when its cell ended

    def execute(self, number, code):
        self.fresh = False
        self.output.start()
        self.calls.open = True
        self.attendant.wake()  # the output is open now
        error = self.cells.execute(number, code)
        left = self.calls.stop()
        text = "null" if error is None else quote(error)
        self.wire.send(b'{"op":"done","cell":%d,"error":%b}\n' % (number, text.encode()))
        for future in left:
            on_loop(None, future, abandon)


def main():
    descriptors = take_descriptors()
    hide_frames()
    spare_address_space()
    sys.set_int_max_str_digits(0)  # integers pass exactly, however large
    # The warning is about the runner's own thread; the code cannot avoid it.
    warnings.filterwarnings("ignore", ".*multi-threaded, use of fork", DeprecationWarning)
    try:
        Runner(*descriptors).serve()
    except BaseException:
        OURS.clear()
        dup_write(descriptors[-1], traceback.format_exc().encode("utf-8", "replace"))
        leave(LOST + 1)
