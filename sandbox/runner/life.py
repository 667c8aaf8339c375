# The life of the process.


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
        cells.space["rehearsed"] = cells.names.given["rehearsed"] = make_tool(calls, About("rehearsed", "", "", "", NOTHING_KNOWN))
        cells.execute(0, "async def re__hearsal():\n    print((await rehearsed(a=1)).data)\nawait re__hearsal()\n0")
        for name in ("rehearsed", "re__hearsal"):
            del cells.space[name]
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
            self.cells.set_tools(message["tools"], message["servers"])
            self.calls.limit = self.calls.free = message["in_flight"]
            self.calls.largest = message["arguments"]
            if self.fresh:
                self.attendant.wake()  # its thread runs once too, for the reason of rehearse
                self.rehearse()
            self.ready()
        elif op == "seen":
            self.cells.learn(message["shapes"])
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
    adapt_multiprocessing()
    sys.set_int_max_str_digits(0)  # integers pass exactly, however large
    # The warning is about the runner's own thread; the code cannot avoid it.
    warnings.filterwarnings("ignore", ".*multi-threaded, use of fork", DeprecationWarning)
    try:
        Runner(*descriptors).serve()
    except BaseException:
        OURS.clear()
        dup_write(descriptors[-1], traceback.format_exc().encode("utf-8", "replace"))
        leave(LOST + 1)


main()
