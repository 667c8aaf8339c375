# Child processes of the code.


class Children:
    """What happens when the code forks.

    A child has no calls, and nothing in it can reach the host: what it prints goes
    to descriptor 1, which makes it output of the first process. It is a copy of the
    whole program, whose loop goes on apart from the parent's, so that it can await.
    """

    def __init__(self, runner):
        self.runner = runner
        self.first = True  # this is no child
        self.forking = threading.local()
        os.register_at_fork(before=self.before, after_in_child=self.after)

    def before(self):
        loop = running_loop()
        self.forking.where = loop, loop and tasks.current_task(loop)
        self.runner.cells.flush()

    def after(self):
        cells = self.runner.cells
        try:
            loop, task = self.forking.where
            events.set_event_loop(cells.loop)  # asyncio takes this from a child,
            events._set_running_loop(loop)  # and this
            if task and not tasks.current_task(loop):
                tasks._enter_task(loop, task)
            if self.first:
                self.first = False
                self.settle()
            for loop in {cells.loop, loop} - {None}:
                part(loop, self.runner.private)
        except BaseException:
            pass  # no memory or no descriptors left, or a loop of another kind

    def settle(self):
        """Leaves the host to the parent."""
        runner = self.runner
        wire, output, calls = runner.wire, runner.output, runner.calls
        wire.pump = wire.send = wire.receive = lambda *_: ()
        output.write, output.drain, output.stop = child_write, lambda: None, lambda: None
        for fd in runner.private:
            os.close(fd)
        calls.lock = threading.RLock()
        calls.over = "child_process", "a child process cannot call tools; only the first process can"
        for future in calls.stop():
            if not future.done():
                future.set_exception(tool_error("", *calls.over))
                future.exception()  # or asyncio would complain where nobody waits for it


def child_write(data):
    """Writes to descriptor 1: output, unless the child made something else of it."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[dup_write(1, rest):]
    except OSError:
        pass  # the child closed it
    return len(data)


def part(loop, private):
    """Gives a loop in a forked child a selector and a pipe of its own: those it has
    are the parent's too, from whom it would take events."""
    apart = {loop._ssock.fileno(), *private}
    watched = [key for fd, key in loop._selector.get_map().items() if fd not in apart]
    loop._selector.close()
    loop._selector = selectors.DefaultSelector()
    loop._close_self_pipe()
    loop._make_self_pipe()
    loop._default_executor = None  # its threads are the parent's
    for key in watched:
        loop._selector.register(key.fd, key.events, key.data)


def end_child(error):
    """Ends a child as a script ends. Does not return."""
    status = 1
    try:
        match error:
            case None:
                status = 0
            case SystemExit(code=int(code)):
                status = code & 0xFF
            case SystemExit(code=text):
                print(text, file=sys.stderr)
            case _:
                sys.excepthook(type(error), error, error.__traceback__)
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except BaseException:
        pass  # the code made something else of these
    leave(status)
