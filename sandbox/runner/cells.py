# Cells, one after the other.


class Cells:
    """Executes cells, one after the other, in one module that stays."""

    def __init__(self, calls, output):
        self.calls, self.output = calls, output
        self.loop = CellLoop()
        self.module = types.ModuleType("__main__")
        self.space = self.module.__dict__
        self.space.update(__builtins__=builtins, ToolError=ToolError, ToolResult=ToolResult, asyncio=asyncio, json=json)
        self.basics = dict(self.space)
        self.tools, self.about, self.names = {}, {}, Names({}, {}, {})
        self.importer = Importer()
        self.endings = Endings(calls)
        self.streams = ()
        self.set_tools([])

    def set_tools(self, entries, servers=()):
        for name, tool in self.tools.items():
            if self.space.get(name) is tool:
                del self.space[name]
        self.names.take(self.space)
        self.about = {entry[0]: About(*entry) for entry in entries}
        self.tools = {name: make_tool(self.calls, about) for name, about in self.about.items()}
        self.calls.returns = {about.id: (about.kind, about.field) for about in self.about.values()}
        toolbox = ORIGINALS["help"].toolbox = Toolbox(self.about, self.tools, dict(servers))
        self.space.update(self.tools, TOOLS=toolbox, search_tools=toolbox.search)
        given = self.basics | {name: self.space[name] for name in (*self.tools, "TOOLS", "search_tools")}
        self.names = Names(self.tools, self.about, given)
        self.importer.forget(self.names)

    def learn(self, shapes):
        """Keeps what calls have returned, for those tools of which no schema says it."""
        for name, shape in shapes:
            about = self.about.get(name)
            if about:
                about.seen = shape
                self.tools[name].__doc__ = full_stub(about)

    def install(self):
        self.streams = (self.output.stream(), self.output.stream())
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = self.streams
        sys.modules["__main__"] = self.module
        sys.meta_path.append(self.importer)
        warnings._warn_unawaited_coroutine = self.endings.unawaited
        nest_loops()
        without_shell()
        without_network()
        events.set_event_loop(self.loop)

    def execute(self, number, code):
        """Runs a cell; the text of its error, or None."""
        self.names.cell = number
        try:
            error = self.attempt(number, code)
        except BaseException as e:  # raised in another task, or the loop is broken
            error = None if is_clean_exit(e) else e
        restore()
        if os.getpid() != PROCESS:  # this is a child process of the code
            end_child(error)
        text = None if error is None else describe(hinted(error, self.names))
        self.cancel_tasks()
        self.flush(sys.stdout, sys.stderr)
        self.output.stop()
        return text

    def attempt(self, number, code):
        filename = "<run_python>" if number == 1 else f"<run_python {number}>"
        keep_source(code, filename)
        try:
            tree, text = read(code, filename)
            if text is not code:
                code = text
                keep_source(code, filename)
            look_at(tree, code, self.names, self.space, filename)
            body, value = prepare(tree, filename)
        except SyntaxError as e:
            return explained(e, code)
        except BaseException as e:  # RecursionError, MemoryError, …
            return e
        if self.loop.is_closed():
            self.loop = CellLoop()
            events.set_event_loop(self.loop)
        self.endings.begin(self.loop, self.space)
        return self.loop.run_until_complete(self.body(body, value))

    async def body(self, body, value):
        error = result = None
        sys.set_coroutine_origin_tracking_depth(1)
        try:
            await evaluate(body, self.space)
            if value is not None:
                result = await evaluate(value, self.space)
                if result is not None and not futures.isfuture(result):
                    print(repr(result))
            if os.getpid() == PROCESS:
                error = await self.endings.wait()
                if futures.isfuture(result) and result.done() and error is None and (result := result.result()) is not None:
                    print(repr(result))
                result = None
                error = error or self.endings.forgotten()
        except BaseException as e:
            error = None if is_clean_exit(e) else e
        sys.set_coroutine_origin_tracking_depth(0)
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


def keep_source(code, filename):
    linecache.cache[filename] = (len(code), None, code.splitlines(True), filename)


def restore():
    """Restores what the code may have changed and the runner needs."""
    vars(builtins).update(ORIGINALS)
    sys.setrecursionlimit(RECURSION)


def is_clean_exit(e):
    return isinstance(e, SystemExit) and e.code in (None, 0)
