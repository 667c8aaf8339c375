# TOOLS and help: what the code can read of its tools.


class ToolStub(str):
    """All that is known of a tool, as Python text. It can be called as the tool."""

    __module__ = "__main__"

    def __new__(cls, text, about, function):
        self = super().__new__(cls, text)
        self._about, self._function = about, function
        return self

    def __call__(self, *params, **named):
        return self._function(*params, **named)

    @property
    def name(self):
        return self._about.name

    @property
    def server(self):
        return self._about.server

    @property
    def stub(self):
        return full_stub(self._about)

    @property
    def description(self):
        """What the server says of the tool."""
        said = self._about.stub.partition('"""')[2].partition("\n    params:")[0]
        return inspect.cleandoc(said)

    @property
    def schema(self):
        return schemas_of(self._about)

    inputSchema = input_schema = parameters = property(lambda self: self.schema["input"])

    def __getitem__(self, key):
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key.startswith("_") or key in vars(str) or not hasattr(ToolStub, key):
            raise KeyError(f"{key!r}: a tool has name, server, description, stub and schema")
        return getattr(self, key)

    def __reduce__(self):
        return str, (str(self),)


class ToolName(ToolStub):
    """The name of a tool, with the rest at hand. It can be called as the tool."""

    __module__ = "__main__"


def full_stub(about):
    """The stub, and in it what calls have returned where no schema says it."""
    if not about.seen:
        return about.stub
    head, quotes, tail = about.stub.rpartition('"""')
    return f"{head.rstrip(' ')}    returns (seen): {about.seen}\n    {quotes}{tail}"


def schemas_of(about):
    if not about.schemas:
        raise LookupError(f"the schemas of {about.name} are too large to be kept here; TOOLS[{about.name!r}] shows what they say")
    return json.loads(about.schemas)


def first_line(stub):
    lines = [line.strip() for line in stub.splitlines()[1:]]
    return next((line for line in lines if line.strip('"')), "")


class UnknownTool(KeyError):
    """There is no tool of that name."""

    __module__ = "__main__"

    def __str__(self):
        return self.args[0] if self.args else ""


class Servers(dict):
    """What each server says of itself, by its name; printed, with the numbers of tools."""

    __module__ = "__main__"

    def __init__(self, words, about):
        self._counts = {}
        for tool in about.values():
            self._counts[tool.server] = self._counts.get(tool.server, 0) + 1
        super().__init__({server: words.get(server, "") for server in (*self._counts, *words)})

    def __repr__(self):
        return "\n".join(f"{name} ({self._counts.get(name, 0)} tools){': ' + said if said else ''}" for name, said in self.items()) or "no servers"

    def __reduce__(self):
        return dict, (dict(self),)


class Toolbox(Mapping):
    """The tools by their names in Python.

    TOOLS["add"] is all that is known of a tool, and calls it: TOOLS["add"](a=1).
    .schema("add") are its schemas as dicts, .servers what the servers say.
    """

    __module__ = "__main__"
    LINES, SHOWN = 60, 6000  # printed: at most so many lines, and characters

    def __init__(self, about, functions, words):
        self._about, self._functions = about, functions
        self._index = None
        self.servers = Servers(words, about)
        self.search = make_search(self)

    def index(self):
        self._index = self._index or Index(self._about)
        return self._index

    def line(self, name):
        about = self._about[name]
        return about.summary or f"{name}: {first_line(about.stub)}"

    def name(self, name):
        return ToolName(name, self._about[name], self._functions[name])

    def find(self, key):
        """The name of the tool that key is for, as code, policies or its server spell it."""
        if key in self._about:
            return key
        if isinstance(key, str):
            same = [about.name for about in self._about.values() if key in (about.id, about.raw)]
            if len(same) == 1:
                return same[0]
            raise UnknownTool(self.unknown(key))
        function = getattr(key, "__name__", None)
        if function in self._about and self._functions[function] is key:
            return function
        raise UnknownTool(f"TOOLS takes the name of a tool, as in TOOLS[{next(iter(self._about), 'name')!r}], not a {type(key).__name__}")

    def unknown(self, key):
        near = self.nearest(key)
        return f"there is no tool {key[:100]!r}; " + (
            f"did you mean {' or '.join(near)}?" if near else "print(TOOLS) lists them, search_tools(\"words\") finds them")

    def nearest(self, key, most=3):
        """Names of tools that look like key or mean the same."""
        import difflib

        plain = "".join(name_tokens(key).split())
        same = [name for name in self._about if "".join(name_tokens(name).split()) == plain]
        if same:
            return same[:most]
        head = key[:1].lower()
        names = list(self._about) if len(self._about) <= 2000 else [name for name in self._about if name[:1].lower() == head][:2000]
        close = difflib.get_close_matches(key, names, most, 0.7)
        return close or self.index().search(key)[:most]

    def schema(self, name):
        """{"input": …, "output": …} as the server sent them."""
        return schemas_of(self._about[self.find(name)])

    def __getitem__(self, key):
        name = self.find(key)
        return ToolStub(full_stub(self._about[name]), self._about[name], self._functions[name])

    def __contains__(self, key):
        try:
            return bool(self.find(key))
        except (UnknownTool, TypeError):
            return False

    def __iter__(self):
        return map(self.name, self._about)

    def __len__(self):
        return len(self._about)

    def __getattr__(self, key):
        if key.startswith("_") or key not in self._about:
            raise AttributeError(f"TOOLS has no {key!r}" if key.startswith("_") else self.unknown(key))
        return self[key]

    def __dir__(self):
        return [*super().__dir__(), *self._about]

    def __call__(self, query=""):
        return self.search(query)

    def __repr__(self):
        """One line for each tool, while they fit."""
        lines, size = [], 0
        for name in self._about:
            size += len(self.line(name)) + 1
            if len(lines) == self.LINES or size > self.SHOWN:
                break
            lines.append(self.line(name))
        if len(lines) < len(self):
            lines.append(f"... and {len(self) - len(lines)} more of {len(self)}; TOOLS.servers names the servers")
        return "\n".join([*lines, self.usage()])

    def usage(self):
        name = next(iter(self._about), None)
        if name is None:
            return "no tools are connected: plain Python only"
        return f'TOOLS["{name}"] shows how to call one, search_tools("words") finds them, await {name}(...) calls it.'


class Helper:
    """help() for tools; of anything else it is Python's own."""

    def __init__(self):
        self.toolbox = Toolbox({}, {}, {})

    def __call__(self, *what, **options):
        if not what or what[0] is self or what[0] is self.toolbox or what[0] is None:
            print(self.toolbox)
            return
        thing = what[0]
        if isinstance(thing, ToolStub):
            thing = thing.name
        try:
            print(self.toolbox[thing])
        except (KeyError, TypeError):
            import pydoc

            pydoc.help(*what, **options)

    def __repr__(self):
        return "help(tool) shows how to call a tool; help() lists the tools; of anything else help is Python's own."


builtins.help = ORIGINALS["help"] = Helper()
