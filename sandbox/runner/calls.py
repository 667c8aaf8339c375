# The calls under way.


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
            elif isinstance(item, int):
                if not NEGATIVE_HUGE < item < HUGE:
                    return "arguments_invalid", f"{where}: an integer of more than 999 digits"
            elif isinstance(item, float):
                if not isfinite(item):
                    return "arguments_invalid", f"{where}: {item} is not JSON"
            elif not isinstance(item, str):
                return "arguments_invalid", f"{where}: a {kind.__name__} is not JSON{instead_of(kind)}"
    return None


# What is JSON, of values x that are not, by the names of their types, most of which need not be imported.
AS_JSON = {
    **dict.fromkeys("builtins.set builtins.frozenset builtins.generator builtins.range builtins.map builtins.filter builtins.zip builtins.dict_keys "
                    "builtins.dict_values builtins.dict_items collections.deque".split(), "list(x)"),
    **dict.fromkeys("datetime.date datetime.time".split(), "x.isoformat()"),
    **dict.fromkeys("pathlib.PurePath uuid.UUID builtins.complex".split(), "str(x)"),
    **dict.fromkeys("decimal.Decimal fractions.Fraction".split(), "float(x) or str(x)"),
    **dict.fromkeys("builtins.bytes builtins.bytearray".split(), "x.decode() for a text, base64.b64encode(x).decode() for other bytes"),
    "builtins.memoryview": "base64.b64encode(x).decode()",
    "enum.Enum": "x.value",
    "datetime.timedelta": "x.total_seconds()",
    "re.Match": "x.group()",
    "re.Pattern": "x.pattern",
    "types.SimpleNamespace": "vars(x)",
    "_io.TextIOWrapper": "x.read()",
    "builtins.coroutine": "await x",
    "builtins.ellipsis": "the value itself",
}


def instead_of(kind):
    """What to write for a value of a type that is not JSON, or nothing."""
    if "__dataclass_fields__" in kind.__dict__:
        return ": write dataclasses.asdict(x)"
    found = next((AS_JSON[name] for name in (f"{c.__module__}.{c.__qualname__}" for c in kind.__mro__) if name in AS_JSON), None)
    return f": write {found}" if found else ""


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
    await was cancelled is cancelled at the host too, and its place is free.
    """

    over = "run_over", "the code this call belongs to has ended"

    def __init__(self, wire):
        self.wire = wire
        self.lock = threading.RLock()  # a collected coroutine may cancel its call while it is held
        self.open = False  # a cell is running
        self.limit = self.free = 64
        self.largest = 64 << 10  # bytes of arguments
        self.last_id = 0
        self.pending = {}  # id -> future
        self.queue = deque()  # (future, rest of the line)
        self.returns = {}  # tool -> what its result is: kind, field

    def stop(self):
        """Forgets every call, as the host does when a cell is done."""
        with self.lock:
            self.open = False
            left = [*self.pending.values(), *(future for future, _ in self.queue)]
            self.pending.clear()
            self.queue.clear()
            self.free = self.limit
        return left

    async def issue(self, tool, head, params):
        """Makes a call and returns its result."""
        future = self.begin(tool, head, params)
        try:
            reply = await future
        except BaseException:  # most likely the await was cancelled
            self.cancel(future)
            raise
        return result_of(reply, *self.returns.get(tool, ("text", "")))

    def begin(self, tool, head, params):
        """Starts a call; the future, of its reply, is of the running loop."""
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

    def cancel(self, future):
        """Tells the host that nothing waits for this call any more, if it is under way.
        One that has not been sent is left out when its turn comes."""
        if future.done() and not future.cancelled():
            return
        with suppress(RuntimeError):  # its loop is closed
            future.cancel()
        with self.lock:
            call = next((i for i, pending in list(self.pending.items()) if pending is future), None)
            if call is None:
                return
            del self.pending[call]
            self.wire.outbox.append(b'{"op":"cancel","id":%d}\n' % call)
            self.free += 1
            self.launch_queued()
        self.wire.pump()

    def launch_queued(self):
        while self.free and self.queue:
            future, rest = self.queue.popleft()
            if not future.done():
                self.launch(future, rest)

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
            self.launch_queued()
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
        future.set_exception(tool_error(reply["tool"], reply["code"], reply["message"], reply["codes"], reply.get("partial", "")))
    else:
        future.set_result(reply)


def abandon(future):
    if not future.done():
        future.cancel()
