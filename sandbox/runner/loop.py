# The event loop of the cells.


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
