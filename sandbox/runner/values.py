# What a call returns, or raises.


class ToolError(Exception):
    """A tool call was refused or failed.

    .tool is the tool's id, .code the stable code of the first reason and
    .codes those of all of them. .partial is the text of a result that is too
    large, up to the limit.
    """

    partial = ""

    def __init__(self, message="", tool="", code="", codes=()):
        super().__init__(message)
        self.tool, self.code, self.codes = tool, code, list(codes)

    __module__ = "__main__"

def tool_error(tool, code, message, codes=None, partial=""):
    error = ToolError(message[:MAX_MESSAGE], tool=tool, code=code, codes=codes or [code])
    if partial:
        error.partial = partial
    return error


class ToolResult:
    """What a call returned: a dict, a list, a text or a number, as the tool's stub says.

    .data is the structure (without a wrapper that only the protocol wanted), or
    the text parsed as JSON, or None. .text is the text blocks, .content the list
    of all content blocks. Guessed names that are common work too: see __getattr__.
    What no class can be derived from, True, False and None, comes back as it is.
    """

    __module__ = "__main__"
    _answer = _value = None  # what came, and what this was made of
    _field = ""  # of the structure, which this was taken out of

    @property
    def text(self):
        return self._answer.text or self._answer.json

    @property
    def content(self):
        return self._answer.blocks

    @property
    def data(self):
        return self._value

    def __reduce_ex__(self, protocol):
        plain = self._plain()  # copies, also those for other processes, are plain values
        return type(plain), (plain,)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"this result has no {name!r}")
        fields = self._fields()
        if fields is not None and name in fields:
            return fields[name]
        if name in GUESSED:
            return GUESSED[name](self)
        raise AttributeError(f"this result has no {name!r}: {self._advice(name)}")

    def _fields(self):
        """The dict that this value stands for, or None."""

    def _advice(self, name):
        kind = type(self._value).__name__
        if hasattr(str, name):
            return f"it is a {kind}, not a text; write r.text.{name}, or str(r).{name}"
        fields = self._fields()
        return f"it is a {kind}" if fields is None else f"it is a {kind}, {has_keys(fields)}"


GUESSED = {
    "structuredContent": lambda self: self._answer.structure,
    "structured_content": lambda self: self._answer.structure,
    "isError": lambda self: False,  # an error is raised
    "is_error": lambda self: False,
    "json": lambda self: lambda **_: self.data,
    "result": lambda self: self,
    "value": lambda self: self,
}


def has_keys(fields):
    keys = ", ".join(map(repr, list(fields)[:20])) + (", …" if len(fields) > 20 else "")
    return f"it has the keys {keys}" if keys else "it is empty"


class ToolDict(ToolResult, dict):
    """A result that is an object. Printed, it is JSON."""

    __module__ = "__main__"

    @property
    def data(self):
        return self if self._field else self._value

    def _plain(self):
        return dict(self)

    def _fields(self):
        return self

    def __str__(self):
        return shown_as_json(self, dict)

    def __format__(self, spec):
        return format(str(self), spec)

    def __missing__(self, key):
        if key == self._field != "":
            return self  # the wrapper is gone already
        if isinstance(key, slice):
            raise TypeError("this result is a dict: slice one of its values, or r.text")
        raise KeyError(f"{key!r}: this result is a dict, {has_keys(self)}")

    def __radd__(self, other):
        raise TypeError(f"a {type(other).__name__} and a result that is a dict cannot be added: write str(r), or r.text")

    def __add__(self, other):
        self.__radd__(other)


class ToolList(ToolResult, list):
    """A result that is an array. Printed, it is JSON."""

    __module__ = "__main__"

    @property
    def data(self):
        return self if self._field else self._value  # so that data["result"] finds it too

    def _plain(self):
        return list(self)

    def __str__(self):
        return shown_as_json(self, list)

    def __format__(self, spec):
        return format(str(self), spec)

    def __getitem__(self, key):
        if isinstance(key, str):
            if key == self._field != "":
                return self
            raise TypeError(f"this result is a list: write r[0][{key!r}], or loop over it")
        return list.__getitem__(self, key)


class ToolInt(ToolResult, int):
    __module__ = "__main__"

    def _plain(self):
        return int(self)

    def __getitem__(self, key):
        return unwrapped_number(self, key)


class ToolFloat(ToolResult, float):
    __module__ = "__main__"

    def _plain(self):
        return float(self)

    def __getitem__(self, key):
        return unwrapped_number(self, key)


def unwrapped_number(self, key):
    if key == self._field != "":
        return self._plain()
    raise TypeError(f"this result is a number, {self}: use it as it is")


def shown_as_json(value, kind):
    try:
        return encode_json(value)
    except (TypeError, ValueError, RecursionError):
        return kind.__repr__(value)  # the code has put something into it that is not JSON


def json_text(held):
    return f"the text of this result is a JSON {'object' if isinstance(held, dict) else 'array'}"


def either(operate, written):
    """An operation that texts and lists have: of a text that is an array, both may be meant."""

    @wraps(operate)
    def guarded(self, *args):
        held = self._guarded()
        if isinstance(held, list):
            raise TypeError(f"{json_text(held)}: write {written.format('r.data')} for its items, {written.format('r.text')} for the text")
        return operate(self, *args)

    return guarded


def never(written):
    """An operation that no text has, and that what it stands for may have."""

    def refuse(self, *_):
        held = self._guarded()
        if held is None:
            raise TypeError(f"this result is a text, which cannot do {written.replace('r.data', 'r')}")
        raise TypeError(f"{json_text(held)}, and r.data is the {type(held).__name__}: write {written}")

    return refuse


class ToolText(ToolResult, str):
    """A result that is a text.

    If the text is a JSON object or array, or structured content came beside it, the
    value reaches into that: r["key"], .get, .keys, .items, .values, r[0] of an array and
    loops do what they do with the dict or list, for with a text of JSON they have no
    other use. What has a use with both, and another result, is an error that says how
    to write either: len, slices, order and multiples of an array, two arrays added, `in`
    where the two differ. A text before or after it is added to its text.

    A text that is the one field of its structure (_literal) is a text only, whatever
    it looks like; r["key"] reaches that field, or into the text.
    """

    __module__ = "__main__"
    _literal = False
    _known = False  # _inner has been looked for
    _inner = None

    def _plain(self):
        return str(self)

    @property
    def data(self):
        if self._literal:
            return self._answer.structure
        held = self._held()
        if held is not None:
            return held
        structure = self._answer.structure
        return parsed(str(self)) if structure is None else structure

    def _held(self):
        """The dict or list that the text stands for, or None."""
        if not self._known:
            if self._field:  # the structure is the text and its name
                held = container(str(self))
            else:
                held = self._answer.structure
                if not isinstance(held, (dict, list)):
                    held = self._answer.spelled(str(self))
            self._inner, self._known = held, True
        return self._inner

    def _guarded(self):
        return None if self._literal else self._held()

    def _fields(self):
        held = self._held()
        return held if isinstance(held, dict) else None

    def _advice(self, name):
        held = self._held()
        if isinstance(held, dict):
            return f"its text is a JSON object, {has_keys(held)}; r.data is the dict"
        if isinstance(held, list):
            return "its text is a JSON array; r.data is the list"
        return "it is a text that is not JSON"

    def __getattr__(self, name):
        if name in ("keys", "values", "items", "get"):
            fields = self._fields()
            if fields is not None:
                return getattr(fields, name)
        return super().__getattr__(name)

    def __getitem__(self, key):
        if isinstance(key, str):
            return self._reach(key)
        held = self._guarded()
        if isinstance(held, list):
            if isinstance(key, slice):
                raise TypeError("the text of this result is a JSON array: write r.data[…] for its items, r.text[…] for the text")
            return held[key]
        if held is not None and not isinstance(key, slice):
            raise TypeError(f"the text of this result is a JSON object, {has_keys(held)}; r.data is the dict")
        return str.__getitem__(self, key)

    def _reach(self, key):
        if key == self._field != "":
            return str(self)
        held = self._held()
        if isinstance(held, dict):
            if key in held:
                return held[key]
            raise KeyError(f"{key!r}: this result is a JSON object, {has_keys(held)}")
        if isinstance(held, list):
            raise TypeError(f"this result is a JSON array: write r[0][{key!r}], or loop over it")
        raise TypeError(f"this result is a text that is not JSON, so it has no {key!r}; it starts with {self[:40]!r}")

    def __iter__(self):
        held = self._guarded()
        return str.__iter__(self) if held is None else iter(held)

    def __len__(self):
        held = self._guarded()
        if held is not None:
            raise TypeError(f"{json_text(held)}: write len(r.data) for its items, len(r.text) for the text")
        return str.__len__(self)

    def __bool__(self):
        held = self._guarded()
        return str.__len__(self) > 0 if held is None else bool(held)

    def __contains__(self, item):
        held = self._guarded()
        if held is None:
            return str.__contains__(self, item)
        if not isinstance(item, str):
            return item in held
        if item in held:
            return True
        if str.__contains__(self, item):
            raise TypeError(f"{item!r} is in the text of this result, and is no item or key of its JSON: write … in r.text, or … in r.data")
        return False

    def __add__(self, other):
        apart = isinstance(other, (list, dict))
        if apart or isinstance(other, ToolText) and isinstance(other._guarded(), list):
            held = self._guarded()
            if isinstance(held, list) or apart and held is not None:
                raise TypeError(f"{json_text(held)}: write r.data + … for its items, r.text + … for the text")
        return str.__add__(self, other)

    count, index = either(str.count, "{}.count(…)"), either(str.index, "{}.index(…)")
    __mul__, __rmul__ = either(str.__mul__, "{} * …"), either(str.__rmul__, "… * {}")
    __lt__, __le__ = either(str.__lt__, "{} < …"), either(str.__le__, "{} <= …")
    __gt__, __ge__ = either(str.__gt__, "{} > …"), either(str.__ge__, "{} >= …")
    __setitem__, __delitem__ = never("r.data[…] = …"), never("del r.data[…]")
    __or__, __ror__ = never("r.data | …"), never("… | r.data")

    def __eq__(self, other):
        if isinstance(other, (dict, list)):
            return self._guarded() == other
        return str.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__


class Block(dict):
    """A content block, or an object in one; its members are attributes too."""

    __module__ = "__main__"

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(f"this content block has no {name!r}: {has_keys(self)}")

    def __reduce_ex__(self, protocol):
        return dict, (dict(self),)
