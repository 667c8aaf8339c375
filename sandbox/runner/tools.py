# The tools, as functions.


class About:
    """What is known of a tool, as package wire documents it."""

    def __init__(self, name, tool_id, stub, summary, facts):
        self.name, self.id, self.stub, self.summary = name, tool_id, stub, summary
        self.server, _, self.raw = tool_id.partition("/")
        self.params = {param[0]: Param(*param) for param in facts["params"]}
        self.kind, self.field = facts["returns"]
        self.open = facts["open"] or not self.kind  # no kind: nothing is known
        self.schemas = facts["schemas"]  # JSON, or ""
        self.seen = ""  # the shape of what calls have returned

    def spelled(self, name):
        """The parameter that a keyword means: one that is no keyword in Python, as
        "from" or "filter-query", can be written from_ and filter_query."""
        if name in self.params:
            return name
        bare = name.rstrip("_") or name
        found = [other for other in self.params if re.sub(r"\W", "_", other) in (name, bare)]
        return found[0] if len(found) == 1 else name


class Param:
    """A parameter of a tool."""

    __slots__ = "name", "line", "required", "nullable", "integer"

    def __init__(self, *values):
        self.name, self.line, self.required, self.nullable, self.integer = values


NOTHING_KNOWN = {"params": [], "open": True, "returns": ["text", ""], "schemas": ""}


def make_tool(calls, about):
    name, tool_id, known = about.name, about.id, about.params
    head = f'"tool":{quote(tool_id)},"args":'.encode()

    async def tool(*params, **named):
        if params or len(named) == 1 and not known.keys() >= named.keys():
            named = arranged(about, params, named)
        for key, value in named.items() if known else ():
            if value is None or value.__class__ is float or key not in known:
                named = mended(about, named)
                break
        try:
            return await calls.issue(tool_id, head, named)
        except ToolError as e:
            if e.code == "arguments_invalid":
                advise(e, about, named)
            raise

    tool.__name__ = tool.__qualname__ = name
    tool.__module__, tool.__doc__ = "__main__", about.stub
    return tool


def arranged(about, params, named):
    """The arguments of a call by their names. One dict is all of them, unless none of its
    keys is a parameter and the first parameter takes a dict."""
    known = about.params
    if not params:
        (key, value), = named.items()
        return value if key in WRAPPED and isinstance(value, dict) and not about.open else named
    if len(params) == 1 and isinstance(params[0], dict):
        given = params[0]
        if not named and not (known and given and not about.open and takes_dict(about) and not any(
                isinstance(key, str) and about.spelled(key) in known for key in given)):
            return given
    if len(params) > len(known) or named and isinstance(params[0], dict) and not takes_dict(about):
        raise TypeError(bad_use(about, params, named))
    placed = dict(zip(known, params))
    twice = placed.keys() & named.keys()
    if twice:
        raise TypeError(f"{about.name}() got {', '.join(sorted(twice))} twice, by place and by name")
    return placed | named


def takes_dict(about):
    """Whether the stub says that the first parameter is a dict."""
    first = next(iter(about.params.values()), None)
    return first is not None and re.search(r": dict\b", first.line) is not None


def mended(about, named):
    """The arguments as the schema wants them where there is only one way: without None
    for what may be left out and not be null, 4/2 as 2, and names as they are spelled there."""
    mended = {}
    for key, value in named.items():
        if key not in about.params and isinstance(key, str):
            meant = about.spelled(key)
            key = key if meant in named else meant
        param = about.params.get(key)
        if param is not None:
            if value is None and not param.required and not param.nullable:
                continue
            if param.integer and value.__class__ is float and value.is_integer():
                value = int(value)
        mended[key] = value
    return mended


def bad_use(about, params, named):
    if named:
        found = "both a positional argument and keywords"
    elif len(params) > 1:
        found = f"{len(params)} positional arguments"
    else:
        found = f"a {type(params[0]).__name__}"
    how = f". It takes: {takes(about)}" if about.params else ""
    return f"{about.name}() takes one dict, as in {about.name}({{...}}), or keyword arguments, not {found}{how}"
