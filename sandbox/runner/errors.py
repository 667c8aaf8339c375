# What the model reads of an error, and what no traceback shows.


def describe(e):
    """The traceback, within MAX_ERROR bytes: type, message and the program's own lines
    are kept as long as possible."""
    note_results(e)
    text = ""
    for most, own in ((1000, False), (300, False), (300, True)):
        try:
            text = render(e, most, own)
        except BaseException:
            text = type(e).__name__  # a broken __str__, or no memory left
        if len(encoded(text)) <= MAX_ERROR:
            return encoded(text).decode()
    return without_middle(encoded(text))


def note_results(e, depth=0):
    """Adds to an error, and to those that it groups, what it has to do with results."""
    if isinstance(e, BaseExceptionGroup) and depth < 5:
        for each in e.exceptions[:5]:
            note_results(each, depth + 1)
    try:
        note = note_of(e)
        if note and note not in getattr(e, "__notes__", ()):
            e.add_note(note)
    except Exception:
        pass  # the code made something else of what this needs


def note_of(e):
    """What to change about an error that comes of the shape of a result, or which tool it is from, or None."""
    if isinstance(e, ToolError):
        named = not e.tool or e.tool in str(e) or f"{joined(e.tool.rpartition('/')[2])}(" in str(e) + line_of(e)
        return None if named else f"The tool is {e.tool}."
    if isinstance(e, AttributeError):
        return wrong_attribute(e.obj, e.name)
    if isinstance(e, TypeError):
        return wrong_operand(e, str(e))
    return None


def wrong_attribute(value, name):
    """About fields that were written as attributes."""
    first = value[0] if isinstance(value, list) and value else None
    if isinstance(value, dict) and name in value:
        return f"It is a dict: write [{name!r}] instead of .{name}."
    if isinstance(first, dict) and name in first:
        return f"It is a list of dicts: write [0][{name!r}], or loop over it."
    if type(value) is dict:
        return f"It is a dict, and {has_keys(value)}."
    if value is None and name in ("data", "text", "content") or isinstance(value, bool):
        return f"The value is {value} itself: use it without .{name}."
    return None


METHOD = re.compile(r"'(?:builtin_function_or_method|method)' object is not (?:iterable|subscriptable)|object of type 'builtin_function_or_method' has no len")


def wrong_operand(e, text):
    """About fields with the names of methods, and loops over keys."""
    line = line_of(e)
    if METHOD.match(text):
        name = next((name for name in re.findall(r"\.(\w+)\b(?!\s*\()", line) if hasattr(dict, name) or hasattr(list, name)), None)
        return name and f".{name} is a method: write [{name!r}] for a field of that name, or .{name}(…) to call it."
    if "string indices must be integers" in text:
        return f"A loop over a dict gives its keys, which are strings: loop over {' or '.join(lists_of(e, line)) or 'one of its values, or its .items()'}."
    if '(not "ToolText") to list' in text:
        return "The result is a text: write r.data for the list that it is as JSON."
    return None


def lists_of(e, line):
    """The lists in the dicts whose keys a line takes for dicts, as code."""
    frames = [frame for frame, _ in traceback.walk_tb(e.__traceback__) if frame.f_code.co_filename.startswith(PROGRAM)]
    if not frames:
        return []
    spaces = [space for frame in frames[-3:] for space in (frame.f_locals, frame.f_globals)]
    inner = frames[-1].f_locals
    keys = [inner[name] for name in re.findall(r"\w+", line) if isinstance(inner.get(name), str)]
    dicts = [(name, value._fields() if isinstance(value, ToolResult) else value) for space in spaces for name, value in list(space.items())]
    found = [f"{name}[{field!r}]" for name, value in dicts if isinstance(value, dict) and any(key in value for key in keys)
             for field in value if isinstance(value[field], list)]
    return list(dict.fromkeys(found))[:3]


def encoded(text):
    return text.encode("utf-8", "backslashreplace")


def without_middle(data):
    """Cuts a traceback that is still too long where its first and last lines are not."""
    head = data[:MAX_ERROR // 3].decode("utf-8", "ignore").rpartition("\n")[0]
    tail = data[-MAX_ERROR // 2:].decode("utf-8", "ignore").partition("\n")[2]
    return f"{head}\n  …\n{tail}"


def render(e, most=1000, own=False):
    """The traceback, with messages of so many characters, and only of the program's own frames."""
    if isinstance(e, SystemExit):
        return "\n".join((f"SystemExit: {e}", *getattr(e, "__notes__", ())))
    if isinstance(e, SyntaxError):
        locate(e)
    trace = traceback.TracebackException(type(e), e, e.__traceback__, compact=True)
    for part in parts_of(trace):
        part._str = shortened(part._str, most)
        if own:
            part.stack[:] = [frame for frame in part.stack if frame.filename.startswith(PROGRAM)] or part.stack
    bare = not trace.stack and not trace.exceptions and trace.__cause__ is None is trace.__context__
    text = "".join(trace.format_exception_only() if bare else trace.format()).rstrip()
    return "\n".join(narrow(text.split("\n"), most))


PROGRAM = "<run_python"  # starts the names of files that are the program's
WIDE = 240  # characters of a line of source that are shown


def parts_of(trace):
    """An exception and all that are shown with it."""
    found, left = [], [trace]
    while left:
        part = left.pop()
        found.append(part)
        left += [more for more in (part.__cause__, part.__context__, *(part.exceptions or ())) if more is not None]
    return found


def shortened(text, most):
    if not isinstance(text, str) or len(text) <= most:
        return text
    head, tail = most * 2 // 3, most // 3
    return f"{text[:head]} … {len(text) - head - tail} characters left out … {text[-tail:]}"


def narrow(lines, most):
    """Shortens lines of source, and leaves out what points into them."""
    was_cut = False
    for line in lines:
        if was_cut and line.strip("^~ ") == "":
            continue
        was_cut = line.startswith("    ") and len(line) > WIDE + 8
        yield shortened(line, WIDE) if was_cut else line


def locate(e):
    """Gives a syntax error of the program the line, and the place in it, that the
    compiler left out, and not more of a long line than is needed."""
    if e.lineno is None and "null bytes" in str(e.msg):
        for name in reversed(linecache.cache):
            lines = linecache.getlines(name) if name.startswith(PROGRAM) else ()
            at = next((i for i, line in enumerate(lines) if "\0" in line), None)
            if at is not None:
                e.filename, e.lineno, e.offset = name, at + 1, lines[at].index("\0") + 1
                break
    if e.lineno is None or not str(e.filename).startswith(PROGRAM):
        return
    text = e.text or linecache.getline(e.filename, e.lineno)
    text = text.rstrip("\n").replace("\0", "\N{SYMBOL FOR NULL}")
    first = len(text) - len(text.lstrip()) + 1
    if not e.offset or e.offset < first:  # no caret is shown in front of the line
        e.offset, e.end_lineno, e.end_offset = first, None, None
    if len(text) > WIDE:
        start = max(e.offset - WIDE // 2, 0)
        text, e.offset, e.end_lineno, e.end_offset = text[start:start + WIDE], e.offset - start, None, None
    e.text = text


OURS = {HERE, __file__}  # files whose frames are not shown


def hide_frames():
    """Keeps our own frames out of what Python shows."""

    def shown(make, frames, **options):
        return make((item for item in frames if item[0].f_code.co_filename not in OURS), **options)

    def listed(make, *args):
        return [frame for frame in make(*args) if frame.filename not in OURS]

    def printed(show, frames, file=None):
        show([frame for frame in frames if frame[0] not in OURS], file)

    def ignored(what):
        print(f"{what.err_msg or 'Exception ignored in'}: {what.object!r}", file=sys.stderr)
        traceback.print_exception(what.exc_type, what.exc_value, what.exc_traceback)

    def in_thread(what):
        if what.exc_type is not SystemExit:  # which ends a thread without a word
            print(f"Exception in thread {what.thread.name if what.thread else '?'}:", file=sys.stderr)
            traceback.print_exception(what.exc_type, what.exc_value, what.exc_traceback)

    summary = traceback.StackSummary
    summary._extract_from_extended_frame_gen = partial(shown, summary._extract_from_extended_frame_gen)
    inspect.getouterframes = partial(listed, inspect.getouterframes)
    inspect.getinnerframes = partial(listed, inspect.getinnerframes)
    traceback.print_list = partial(printed, traceback.print_list)
    # Python 3.11 itself shows a thread's error past the changes above.
    sys.excepthook, sys.unraisablehook, threading.excepthook = traceback.print_exception, ignored, in_thread
    for dump in ("dump_traceback", "dump_traceback_later", "enable", "register"):
        setattr(faulthandler, dump, lambda *_, **__: None)  # it works below Python, where no frame can be left out
