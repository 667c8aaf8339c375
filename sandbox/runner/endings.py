# What a program left unfinished.

LINGER = 10  # seconds that tasks may go on without a call under way
MOST_NAMED = 5  # tasks, or coroutines, that an error names
WAIT_STEP = 0.05  # seconds between looks at whether tasks can still come to an end


class Endings:
    """What happens when the code has ended and not all that it began has."""

    def __init__(self, calls, warn=warnings._warn_unawaited_coroutine):
        self.calls, self.warn = calls, warn
        self.loop, self.space, self.lone, self.before = None, {}, [], frozenset()

    def begin(self, loop, space):
        self.loop, self.space = loop, space
        self.lone.clear()
        self.before = frozenset(threading.enumerate())
        loop.lost.clear()

    def unawaited(self, coroutine):
        """Called by Python for a coroutine that is freed and was never awaited."""
        place = where_made(coroutine)
        if place is None:
            self.warn(coroutine)
        elif len(self.lone) < MOST_NAMED:
            self.lone.append((coroutine.__qualname__, place))

    async def wait(self):
        """Runs the tasks and threads that are left to their end, as long as they can come
        to one. The error, or None."""
        here, seen, quiet = tasks.current_task(), set(), monotonic() + LINGER
        while True:
            left = {task for task in tasks.all_tasks(self.loop) if task is not here}
            seen |= left
            busy = self.busy_threads()
            if not left and not busy:
                break
            if self.calls.pending or self.calls.queue:
                quiet = monotonic() + LINGER
            elif not self.moves(quiet):
                break
            if left:
                await tasks.wait(left, timeout=WAIT_STEP, return_when=tasks.FIRST_COMPLETED)
            else:
                await tasks.sleep(WAIT_STEP / 5)
        for task in seen - left:
            if not task.cancelled() and task._log_traceback:
                return with_note(task.exception(), task)
        stuck = [task for task in left if not idle(task)]
        return unfinished(stuck, busy) if stuck or busy else None

    def busy_threads(self):
        """The threads of this program that it did not make daemons, and that do not wait
        for work. Those of an earlier cell have been waited for already."""
        if threading.active_count() <= 2:
            return []
        frames = sys._current_frames()
        return [thread for thread in threading.enumerate() if not thread.daemon and thread not in self.before
                and thread is not threading.main_thread() and not waits_for_work(frames.get(thread.ident))]

    def moves(self, quiet):
        """Whether anything is to come that a task may wait for, before that time."""
        loop, now = self.loop, monotonic()
        if now > quiet:
            return False
        if loop._ready or len(loop._selector.get_map()) > 2 or threading.active_count() > 2:
            return True  # a file, or a thread; two of each are the runner's
        return any(not timer._cancelled and timer._when <= quiet for timer in loop._scheduled)

    def forgotten(self):
        """The error of a task that nothing asked for, or of a coroutine that was
        never awaited, or None."""
        for value in reachable(self.space):
            if futures.isfuture(value):
                if value.done() and not value.cancelled() and getattr(value, "_log_traceback", False):
                    return with_note(value.exception(), value)
        if self.loop.lost:
            return with_note(self.loop.lost[0])
        lone = [*self.lone, *never_begun()]
        return never_awaited(lone) if lone else None


def reachable(space):
    """The values of variables, and what is directly in lists and the like."""
    for value in list(space.values()):
        yield value
        if type(value) in (list, tuple, set) and len(value) <= 1000:
            yield from list(value)
        elif type(value) is dict and len(value) <= 1000 and value is not space:
            yield from list(value.values())


def never_begun():
    """The coroutines of the program that wait to be awaited, wherever it holds them.
    Python knows all objects that were made since the runner was ready, so that this
    costs a call nothing."""
    created = [each for each in gc.get_objects() if type(each) is types.CoroutineType
               and inspect.getcoroutinestate(each) == inspect.CORO_CREATED]
    found = ((each.__qualname__, where_made(each)) for each in created)
    return [(name, place) for name, place in found if place is not None]


def where_made(coroutine):
    """The file and line of the program at which a coroutine was made, without them
    for a tool's that was made elsewhere, as in another thread; or None."""
    origin = coroutine.cr_origin
    if origin and origin[0][0].startswith("<run_python"):
        return origin[0][0], origin[0][1]
    return ("", 0) if coroutine.cr_code.co_name == "tool" and coroutine.cr_code.co_filename in OURS else None


def never_awaited(lone):
    lines = []
    for name, (file, number) in dict.fromkeys(lone):
        line = linecache.getline(file, number).strip()[:120] if number else ""
        lines.append(f"{name}() was never awaited, so it did nothing{f' (line {number}: {line})' if number else ''}. "
                     f"Write: await {as_written(name, line, file, number)}")
    return RuntimeError("\n".join(lines[:MOST_NAMED]))


def as_written(name, line, file, number):
    """The call of a coroutine as its line has it; where a plain function hands the
    coroutine on, which cannot await it, the call of that function."""
    own = name.rpartition(".")[2]
    found = re.search(rf"[\w.]*\b{own}\([^()]*\)", line) or re.search(rf"[\w.]*\b{own}(?=\()", line)
    lines = linecache.getlines(file)[:number] if number else []
    depth = indent(lines[-1]) if lines else 0
    outer = next((each for each in reversed(lines) if indent(each) < depth and re.match(r"\s*(async\s+)?def\b", each)), "")
    plain = re.match(r"\s*def\s+(\w+)", outer) or re.match(r"\s*def\s+(\w+).*:\s*return\b", line)
    if plain:
        text = "".join(linecache.getlines(file))
        call = re.search(rf"(?<!def )[\w.]*(?<!def )\b{plain[1]}\([^()\n]*\)", text)
        return f"{call[0] if call else plain[1] + '(…)'}, where {plain[1]} is called: it hands on what is to be awaited"
    return "(…)".join((found[0] if found else name, "")) if not found or not found[0].endswith(")") else found[0]


def with_note(e, task=None):
    name = task.get_coro().__qualname__ + "()" if isinstance(task, tasks.Task) and hasattr(task.get_coro(), "__qualname__") else "a task"
    try:
        e.add_note(f"This came up in {name}, which the program did not await.")
    except Exception:
        pass
    return e


def waiting_in(task):
    """What a task waits in: the coroutines that await each other, the innermost last."""
    inner, found = task.get_coro(), []
    while inner is not None and len(found) < 100:
        found.append(inner)
        inner = getattr(inner, "cr_await", None) or getattr(inner, "ag_await", None)
    return found


def idle(task):
    """Whether a task waits for work that does not come, as a worker at its queue does."""
    queue = sys.modules.get("asyncio.queues")
    return queue is not None and any(getattr(each, "cr_code", None) is queue.Queue.get.__code__ for each in waiting_in(task))


WORKERS = (("concurrent/futures/thread.py", "_worker", "work_queue"), ("queue.py", "get", "self"))  # where, and which queue


def waits_for_work(frame):
    """Whether a thread waits at an empty queue, as the workers of a pool do."""
    while frame is not None and frame.f_code.co_filename.endswith("threading.py") and frame.f_code.co_name == "wait":
        frame = frame.f_back
    for file, name, queue in WORKERS if frame is not None else ():
        if frame.f_code.co_filename.endswith(file) and frame.f_code.co_name == name:
            queue = frame.f_locals.get(queue)
            return queue is None or queue.qsize() == 0
    return False


def unfinished(stuck, busy):
    if not stuck:
        names = ", ".join(thread.name for thread in busy[:MOST_NAMED])
        return RuntimeError(f"the program ended before its threads: {names}. "
                            "Join them, or make those daemons that need not come to an end")
    named = []
    for task in stuck[:MOST_NAMED]:
        frames = [getattr(each, "cr_frame", None) for each in waiting_in(task)]
        line = next((f.f_lineno for f in reversed(frames) if f and f.f_code.co_filename.startswith("<run_python")), None)
        named.append(getattr(task.get_coro(), "__qualname__", "a task") + "()" + (f" at line {line}" if line else ""))
    more = f" and {len(stuck) - MOST_NAMED} more" if len(stuck) > MOST_NAMED else ""
    return RuntimeError(f"the program ended before its tasks, which were cancelled: {', '.join(named)}{more}. "
                        "Await them, or cancel those that are to run no longer")
