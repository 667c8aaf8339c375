# Other names that tools are called by. The stubs show one way; these just work.

# What clients put before the names of tools.
PREFIXES = ("mcp", "functions", "default_api", "tools", "tool", "servers")
NAMESPACES = {"tools", "functions", "default_api", "mcp", "session", "client", "mcp_client", "servers"}
PRINTS = {"display", "show"}
HELPERS = NAMESPACES | PRINTS | {"call_tool"}
TOOL_MODULES = {"tools", "servers", "functions", "default_api"}
WRAPPED = {"params", "parameters", "arguments", "args", "kwargs", "input", "inputs"}


def joined(spelling):
    return re.sub(r"[\W_]+", "_", spelling).strip("_")


class Names:
    """What names mean that the code has not defined: nothing here hides a tool, a
    variable or a module, and each is made when a program mentions it."""

    cell = 1  # the number of the one that runs

    def __init__(self, tools, about, given):
        self.tools, self.about = tools, about
        self.servers = {one.server for one in about.values()}
        self.given = given  # what the code has that it did not define: name -> value
        self.meant = set()  # modules that are the one server by a name of its own
        self.lent = set()  # of those, what only programs that name it have

    def find(self, spelling, server=None):
        """The name of the one tool that a spelling can mean, or None."""
        if server is None and spelling in self.tools:
            return spelling
        key = joined(spelling)
        found = self.spellings.get(key if server is None else f"{joined(server)}_{key}", ())
        if not found and server is None:
            first, _, rest = key.partition("_")
            if key.startswith("default_api_"):
                rest = key[len("default_api_"):]
            if first in PREFIXES or key.startswith("default_api_"):
                found = self.spellings.get(rest, ())
            if not found and len(self.servers) == 1 and (first == "mcp" or "__" in spelling.strip("_")):
                found = self.spellings.get(joined(spelling.strip("_").rpartition("__")[2]), ())
        return next(iter(found)) if len(found) == 1 else None

    @property
    def spellings(self):
        known = {}
        for name, about in self.about.items():
            for spelling in {joined(name), joined(about.raw), joined(f"{about.server}_{about.raw}")}:
                known.setdefault(spelling, set()).add(name)
        self.__dict__["spellings"] = known
        return known

    def concern(self, words):
        """Whether a program with these words may have to do with tools."""
        return (not words.isdisjoint(self.tools) or not words.isdisjoint(HELPERS) or not words.isdisjoint(self.servers)
                or any(word.startswith("mcp") or "__" in word.strip("_") for word in words))

    def gave(self, space, name):
        return name in self.given and space.get(name) is self.given[name]

    def give(self, look, space):
        """Defines what a program names and does not define."""
        for name, uses in look.loads.items():
            if name not in look.bound and name not in space and name not in ORIGINALS and not name.startswith("__"):
                meant = self.mention(name)
                if meant is None and len(self.servers) == 1 and name not in sys.stdlib_module_names and name not in INSTEAD:
                    if all(map(self.calls_tool, uses)):  # its server's own name, which is not known here
                        meant = Namespace(self, name)
                if meant is not None:
                    self.given[name] = space[name] = meant
                    self.lent.add(name)

    def take(self, space):
        """Takes back what was lent."""
        for name in self.lent:
            if self.gave(space, name):
                del space[name]

    def calls_tool(self, use):
        """Whether this is the beginning of await name.tool(…)."""
        member, call = use.parent, use.parent.parent
        return member.__class__ is ast.Attribute and call.__class__ is ast.Call and call.func is member and (
            call.parent.__class__ is ast.Await and self.find(member.attr) is not None)

    def imports_from(self, node):
        """Whether an import is from a module that stands for tools."""
        base, _, rest = (getattr(node, "module", None) or "").partition(".")
        if self.own_name(node, base, rest):
            self.meant.add(base)
        return base in TOOL_MODULES or base in self.servers or base in self.meant

    def own_name(self, node, base, rest):
        """Whether `from base import tool` means the one server, whose own name is not known here."""
        return node.__class__ is ast.ImportFrom and not node.level and not rest and len(self.servers) == 1 and (
            base not in sys.stdlib_module_names and base not in INSTEAD) and all(self.find(alias.name) for alias in node.names)

    def imports_tool(self, node, name):
        """Whether an import gives a tool the name that it has."""
        if node.__class__ is ast.ImportFrom:
            return name in self.tools and self.imports_from(node)
        return name in self.tools and name not in sys.stdlib_module_names

    def mention(self, name):
        """What a name stands for that nothing defines, or None."""
        if name in PRINTS:
            return show
        if name == "call_tool":
            return self.call
        if name in NAMESPACES or name in self.servers or joined(name) in map(joined, self.servers):
            return Namespace(self, name)
        tool = self.find(name)
        return self.tools[tool] if tool else None

    def call(self, *names, **options):
        """call_tool("add", {"a": 1}), also with the server's name first."""
        arguments = {}
        if names and (names[-1] is None or isinstance(names[-1], dict)):
            arguments = names[-1] or {}
            names = names[:-1]
        for key in ("name", "tool_name", "tool"):
            if not names and isinstance(options.get(key), str):
                names = options.pop(key),
        for key in ("arguments", "args", "params", "input", "kwargs"):
            if not arguments and len(options) == 1 and isinstance(options.get(key), dict):
                arguments = options.pop(key)
        if not all(isinstance(name, str) for name in names) or not 1 <= len(names) <= 2:
            raise TypeError('call_tool takes the name of a tool and a dict, as in await call_tool("name", {...})')
        tool = self.find(names[-1], *names[:-1])
        if tool is None:
            raise NameError(self.unknown(".".join(names)), name=names[-1])
        return self.tools[tool]({**arguments, **options})

    def unknown(self, spelling):
        return f"there is no tool {spelling!r}. {nearest(spelling, self.tools)}"


class Namespace:
    """tools.add(…) and the like."""

    def __init__(self, names, name):
        self.__dict__.update(_names=names, _name=name)

    def __getattr__(self, name):
        names, own = self._names, self._name
        tool = names.find(name, own) if own in names.servers and names.find(name, own) else names.find(name)
        if tool:
            return names.tools[tool]
        if name in ("call_tool", "call", "callTool"):
            return names.call
        if name in ("list_tools", "initialize"):
            return partial(self._list)
        if joined(name) in map(joined, names.servers):
            return Namespace(names, name)
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(names.unknown(name), name=name, obj=None)

    def __getitem__(self, name):
        tool = self._names.find(str(name))
        if tool is None:
            raise KeyError(self._names.unknown(str(name)))
        return self._names.tools[tool]

    async def _list(self):
        """What a client of MCP says of its tools."""
        return types.SimpleNamespace(tools=[
            types.SimpleNamespace(name=name, description=about.stub) for name, about in self._names.about.items()])

    def __iter__(self):
        return iter(self._names.tools)

    def __contains__(self, name):
        return name in self._names.tools

    def __dir__(self):
        return list(self._names.tools)

    def __repr__(self):
        return f"<{self._name}: {', '.join(list(self._names.tools)[:50])}>"


def show(*values, **_):
    """display(x), as in a notebook."""
    print(*(value if isinstance(value, str) else repr(value) for value in values), sep="\n")


class Importer:
    """Imports what is there without an import: `from tools import add`. It is asked
    after all others, so that it hides no module."""

    names = None

    def find_spec(self, name, path=None, target=None):
        names = self.names
        base, _, rest = name.partition(".")
        if names is None:
            return None
        if name == "nest_asyncio" or not rest and names.find(name):
            return ModuleSpec(name, self)
        if base in names.servers | names.meant and not rest or base in TOOL_MODULES and (
                not rest or rest in names.servers):
            return ModuleSpec(name, self, is_package=True)
        if path is None and name in INSTEAD and sys._getframe(2).f_code.co_name == "_find_and_load_unlocked":
            # Not only looked for: a program that prints the error shows what to do instead.
            raise ModuleNotFoundError(f"No module named {name!r}. {not_installed(name)}", name=name)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__spec__.name
        if name == "nest_asyncio":
            module.apply = lambda loop=None: None  # a loop that runs can be entered again here
        elif module.__spec__.submodule_search_locations is None:
            sys.modules[name] = self.names.tools[self.names.find(name)]
        else:
            space = Namespace(self.names, name.rpartition(".")[2])
            module.__getattr__ = partial(imported, space)
            module.__all__ = list(self.names.tools)

    def forget(self, names):
        """Lets imports mean these tools from now on."""
        for name, module in list(sys.modules.items()):
            if isinstance(getattr(getattr(module, "__spec__", None), "loader", None), Importer) or any(
                    module is tool for tool in (self.names.tools.values() if self.names else ())):
                del sys.modules[name]
        self.names = names


def imported(space, name):
    """An attribute of a module that stands for tools."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(space, name)


def without_shell(system=os.system):
    """Says why os.system does nothing where there is no shell."""

    def run(command):
        status = system(command)
        if status == 127 << 8 and not os.path.exists("/bin/sh"):
            print("os.system: " + NO_SHELL, file=sys.stderr)
        return status

    run.__name__ = run.__qualname__ = "system"
    os.system = run


def without_network():
    """Says in the errors of the socket module that there is no network."""
    import socket

    def told(act, *args, **options):
        try:
            return act(*args, **options)
        except OSError as e:
            if isinstance(e, socket.gaierror) or e.errno in NO_ROUTE:
                e.strerror = f"{e.strerror}. {NO_NETWORK}"
            raise

    make, connect, look_up = socket.socket.__init__, socket.socket.connect, socket.getaddrinfo
    socket.socket.__init__ = wraps(make)(lambda self, *args, **options: told(make, self, *args, **options))
    socket.socket.connect = wraps(connect)(lambda self, address: told(connect, self, address))
    socket.getaddrinfo = wraps(look_up)(lambda *args, **options: told(look_up, *args, **options))
