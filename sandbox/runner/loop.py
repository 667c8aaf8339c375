# The event loop of the cells.


class CellLoop(asyncio.SelectorEventLoop):
    """The loop all cells of a sandbox run in."""

    PASSES = 4  # in a row that do not look for events
    passed = 0

    def __init__(self):
        super().__init__()
        self.lost = []  # errors of tasks, until the cell ends

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

    def call_exception_handler(self, context):
        """Keeps the errors of tasks that nothing asked for."""
        if self._exception_handler is None and "exception" in context and "never retrieved" in context.get("message", ""):
            self.lost.append(context["exception"])
        else:
            super().call_exception_handler(context)

    def close(self):
        if not self.is_running():  # else a script has closed the loop that it was given
            super().close()


def until_complete(run_until_complete, loop, future):
    """run_until_complete that works where a loop already runs, also the same one."""
    here = running_loop()
    if here is None:
        return run_until_complete(loop, future)
    if here is not loop:
        with suspended(here):
            return run_until_complete(loop, future)
    future = tasks.ensure_future(future, loop=loop)
    with suspended(loop):
        events._set_running_loop(loop)
        while not future.done():
            loop._run_once()
    return future.result()


def forever(run_forever, loop):
    """run_forever that works where a loop already runs; stop ends it."""
    here = running_loop()
    if here is not loop:
        with suspended(here):
            return run_forever(loop)
    with suspended(loop):
        events._set_running_loop(loop)
        while not loop._stopping:
            loop._run_once()
        loop._stopping = False


def with_runner(run, runner, *args, **options):
    """Runner.run that works where a loop already runs."""
    with suspended(running_loop()):
        return run(runner, *args, **options)


def nest_loops():
    """Lets programs start loops as a script does, although one runs already."""

    def change(kind, name, around):
        inner = getattr(kind, name)

        def method(self, *args, **options):
            return around(inner, self, *args, **options)

        method.__name__, method.__doc__ = name, inner.__doc__
        setattr(kind, name, method)

    base = asyncio.base_events.BaseEventLoop
    change(base, "run_until_complete", until_complete)
    change(base, "run_forever", forever)
    change(runners.Runner, "run", with_runner)
    asyncio.run = runners.run = run


class suspended:
    """Takes the thread out of its running loop, if one runs, and task for a while."""

    def __init__(self, loop):
        self.loop, self.task = loop, loop and tasks.current_task(loop)

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
    with suspended(running_loop()):
        return run(main, **options)
