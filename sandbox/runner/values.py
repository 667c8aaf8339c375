# What a call returns, or raises.


class ToolError(Exception):
    """A tool call was refused or failed.

    .tool is the tool's id, .code the stable code of the first reason and
    .codes those of all of them.
    """

    def __init__(self, message="", tool="", code="", codes=()):
        super().__init__(message)
        self.tool, self.code, self.codes = tool, code, list(codes)

    __module__ = "__main__"


class ToolResult(str):
    """The text a tool returned.

    .data is its structured content, or the text parsed as JSON, or None.
    .content is the list of content blocks as plain dicts.
    """

    __module__ = "__main__"
    _content = None

    @property
    def data(self):
        try:
            return json.loads(self)
        except (ValueError, RecursionError):
            return None

    @property
    def content(self):
        if self._content is None:
            return [{"type": "text", "text": str(self)}]
        return json.loads(self._content)


def tool_error(tool, code, message, codes=None):
    return ToolError(message[:MAX_MESSAGE], tool=tool, code=code, codes=codes or [code])
