# The protocol stream, and the output of the code.


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
        self.dropped = 0  # bytes of that line that there was no memory for

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
            data = self.piece(size)
            if data.find(b"\n") == size - 1:  # one line, or its end, as is usual
                lines = [data, b""]  # a large one is not copied: JSON may end in a space
            else:
                lines = data.split(b"\n")
            if len(lines) == 1:
                self.keep(data)
                return ()
            if self.partial:
                lines[0] = self.whole(lines[0])
            self.partial = [lines.pop()]
        except BlockingIOError:
            return ()
        except OSError:
            leave(LOST)
        finally:
            self.reading.release()
        return [parse_line(line) for line in lines]

    def piece(self, size):
        try:
            return bytes(self.buffer[:size])
        except MemoryError:
            self.drop()
            return bytes(self.buffer[:size])

    def keep(self, data):
        """Keeps a piece of a line, unless pieces before it had to be dropped."""
        if self.dropped:
            self.dropped += len(data)
        else:
            self.partial.append(data)

    def drop(self):
        """Gives up the line that is being collected, but for its head."""
        if self.partial and not self.dropped:
            self.dropped = sum(map(len, self.partial))
            self.partial = [b"".join([piece[:LINE_HEAD] for piece in self.partial[:4]])]  # the first is often empty

    def whole(self, end):
        """The line that ends here, or what stands for it."""
        try:
            if not self.dropped:
                return b"".join([*self.partial, end])
        except MemoryError:
            self.drop()
        size, self.dropped = self.dropped + len(end), 0
        return no_room(self.partial[0], size)


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
