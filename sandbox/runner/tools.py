# The tools, as functions.


class About:
    """What is known of a tool, as package wire documents it."""

    def __init__(self, name, tool_id, stub, summary, facts):
        self.name, self.id, self.stub, self.summary = name, tool_id, stub, summary
        self.server, _, self.raw = tool_id.partition("/")
        self.params = {param[0]: Param(*param) for param in facts["params"]}
        self.open = facts["open"]
        self.kind, self.field = facts["returns"]
        self.schemas = facts["schemas"]  # JSON, or ""
        self.seen = ""  # the shape of what calls have returned


class Param:
    """A parameter of a tool."""

    __slots__ = "name", "line", "required", "nullable", "integer"

    def __init__(self, *values):
        self.name, self.line, self.required, self.nullable, self.integer = values


NOTHING_KNOWN = {"params": [], "open": True, "returns": ["text", ""], "schemas": ""}


def make_tool(calls, about):
    name, tool_id = about.name, about.id
    head = f'"tool":{quote(tool_id)},"args":'.encode()

    async def tool(*params, **named):
        if not params:
            return await calls.issue(tool_id, head, named)
        if len(params) > 1 or named or not isinstance(params[0], dict):
            raise TypeError(bad_use(name, params, named))
        return await calls.issue(tool_id, head, params[0])

    tool.__name__ = tool.__qualname__ = name
    tool.__module__, tool.__doc__ = "__main__", about.stub
    return tool


def bad_use(name, params, named):
    if named:
        found = "both a positional argument and keywords"
    elif len(params) > 1:
        found = f"{len(params)} positional arguments"
    else:
        found = f"a {type(params[0]).__name__}"
    return f"{name}() takes one dict, as in {name}({{...}}), or keyword arguments, not {found}"
