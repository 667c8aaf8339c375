# From a reply to the value that the code gets.


parse_json = json.loads  # the code may replace it, and so do we
LOOKS_LIKE_JSON = re.compile(r"\s*[\[{]").match


def parsed(text):
    """A text as JSON, or None."""
    try:
        return parse_json(text)
    except (ValueError, RecursionError):
        return None


def container(text):
    """The object or array that a text is as JSON, or None."""
    if LOOKS_LIKE_JSON(text):
        value = parsed(text)
        if isinstance(value, (dict, list)):
            return value
    return None


class Answer:
    """A reply, of which each part is read when it is wanted."""

    def __init__(self, reply):
        self.alone = reply.get("text")  # of the one block, or None
        self.listed = reply.get("content")  # the blocks as JSON, or None
        self.sent = reply.get("structured")  # as JSON; True: the text is it
        self.json = self.sent if isinstance(self.sent, str) else ""

    @cached_property
    def blocks(self):
        if self.listed is None:
            return [Block(type="text", text=self.alone)]
        return parse_json(self.listed, object_hook=Block)

    @cached_property
    def text(self):
        """The text blocks and embedded texts, joined by newlines."""
        return "\n".join(self.texts()) if self.alone is None else self.alone

    def texts(self):
        found = []
        for block in self.blocks:
            if block.get("type") == "resource" and isinstance(block.get("resource"), dict):
                found.append(block["resource"].get("text"))
            elif block.get("type") == "text":
                found.append(block.get("text"))
        return [text for text in found if isinstance(text, str)]

    @cached_property
    def structure(self):
        """The structured content, or None."""
        if self.sent is None:
            return None
        return parsed(self.alone if self.sent is True else self.sent)

    def spelled(self, text):
        """What the text is as JSON: of one block, or each of several."""
        value = container(text)
        if value is None and self.listed is not None and LOOKS_LIKE_JSON(text):
            values = [container(text) for text in self.texts()]
            if len(values) > 1 and None not in values:
                return values
        return value

    def shown(self):
        """The text, or what stands for a result without one."""
        if self.text or self.json:
            return self.text or self.json
        lines = [describe_block(block, i) for i, block in enumerate(self.blocks[:MAX_BLOCKS])]
        if len(self.blocks) > MAX_BLOCKS:
            lines.append(f"... and {len(self.blocks) - MAX_BLOCKS} more in .content")
        return "\n".join(line for line in lines if line)


MAX_BLOCKS = 20  # content blocks that are described


def describe_block(block, i):
    """A line that says what a block holds that is not text."""
    kind, inner = block.get("type"), block
    if kind == "text":
        return ""
    if isinstance(block.get("resource"), dict):
        inner = block["resource"]
    words = [kind if isinstance(kind, str) else "block"] + [inner.get(key) for key in ("name", "uri", "mimeType")]
    payload = inner.get("data", inner.get("blob"))
    if isinstance(payload, str):
        words.append(size_of(len(payload.rstrip("=")) * 3 // 4))
    text = " ".join(word[:200] for word in words if isinstance(word, str))
    return f"<{text}, in .content[{i}]>"


def size_of(count):
    return f"{count} bytes" if count < 1024 else f"{(count + 512) // 1024} KB"


CLASSES = {dict: ToolDict, list: ToolList, str: ToolText, int: ToolInt, float: ToolFloat}


def make_result(value, answer, field=""):
    """A parsed value with what it came with. True, False and None stay alone."""
    made = CLASSES.get(type(value))
    if made is None:
        return value
    result = made(value)
    result._answer, result._value, result._field = answer, value, field
    return result


UNKNOWN = ("text", "")  # kinds of results whose structure nothing is known of
WRAPPER = "result"  # the field that only wraps what the tool returned
KINDS = {"object": dict, "array": list, "number": (int, float), "boolean": bool}


def result_of(reply, kind, field):
    """The value of a reply to a call of a tool whose schema says kind and field, as
    wire.Returns documents them. If the server does not keep to its schema, the
    value is what it really sent."""
    answer = Answer(reply)
    value = answer.structure if kind not in UNKNOWN else None
    if value is None:  # nothing is declared, or what is declared was only sent as text
        value = declared_text(answer, kind)
        return make_result(answer.shown() if value is None else value, answer)
    if field and isinstance(value, dict) and field in value:
        inner = value[field]
        if field == WRAPPER or isinstance(inner, str):
            result = make_result(inner, answer, field)
            if field != WRAPPER:
                result._literal = True
            return result
    return make_result(value, answer)


def declared_text(answer, kind):
    """The value that a text is as JSON, if the schema says such a value."""
    if kind not in KINDS:
        return None
    value = parsed(answer.text)
    fits = isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))
    return value if fits else None


def read_results(loads):
    """json.loads that also takes what a call returned."""

    @wraps(loads)
    def patched(s, *args, **options):
        if isinstance(s, ToolText):
            held, text = s._guarded(), str(s)
            if held is not None and container(text) is None:
                text = encode_json(held)  # several blocks of JSON, or the structure beside the text
            try:
                return loads(text, *args, **options)
            except json.JSONDecodeError as e:
                raise json.JSONDecodeError(f"the tool returned a text that is not JSON, {text[:40]!r}: {e.msg}", text, e.pos) from None
        if isinstance(s, ToolResult):
            return loads(encode_json(s), *args, **options)
        if s is None or isinstance(s, (bool, int, float)):
            return s  # what a call returns of these has no class of its own
        if isinstance(s, (dict, list)):
            raise TypeError(f"this {type(s).__name__} is parsed already: use it without json.loads")
        return loads(s, *args, **options)

    return patched


json.loads = read_results(json.loads)
