# From the text of a program to what runs.


async def evaluate(code, space):
    result = eval(code, space)
    if code.co_flags & inspect.CO_COROUTINE:
        return await result
    return result


FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
MAX_REPAIR = 64 << 10  # characters of a program that is read in other ways than as it stands


def read(code, filename):
    """The tree of a program, and its text as it was read. What is no Python as it
    stands is tried without what often comes around a program: a Markdown fence,
    prompts, an indentation of the whole. No line changes its number."""
    try:
        return compile(code, filename, "exec", FLAGS | ast.PyCF_ONLY_AST, dont_inherit=True), code
    except SyntaxError as e:
        error = e
    for text in readings(code) if len(code) <= MAX_REPAIR else ():
        try:
            return compile(text, filename, "exec", FLAGS | ast.PyCF_ONLY_AST, dont_inherit=True), text
        except SyntaxError as e:
            if (e.lineno or 0) > (error.lineno or 0):
                error = e  # this reading came further
    raise error


def prepare(tree, filename):
    """Compiles a cell: its statements, and its last expression if it ends in one."""
    value = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
        value = compile(last, filename, "eval", FLAGS, dont_inherit=True)
    return compile(tree, filename, "exec", FLAGS, dont_inherit=True), value


def readings(code):
    """What the text may have been meant to be, likeliest first."""
    text = code.replace("\r\n", "\n").replace("\ufeff", "")
    if text != code:
        yield text
    inner = unfenced(text)
    if inner is not None:
        yield inner
        text = inner
    plain = unprompted(text)
    if plain is not None:
        yield plain
        text = plain
    yield from dedented(text)


FENCE = re.compile(r"[ \t]*(```+|~~~+)[ \t]*([\w+#.-]*)[^`\n]*$")
PYTHON = {"", "python", "python3", "py", "py3", "python-repl", "pycon", "ipython", "tool_code", "code", "run_python"}
WRAPPERS = re.compile(r"\s*<(code|python|tool_code|script)>\n?(.*?)\n?</\1>\s*", re.S)


def fences(code):
    """The lines that open and close Markdown fences, with what they name."""
    return [(n, found[2].lower()) for n, line in enumerate(code.split("\n")) if (found := FENCE.match(line))]


def unfenced(code):
    """The code in the one fence of a text, with the lines around it left empty; None
    where there is none, or another language's, or code beside it."""
    found = WRAPPERS.fullmatch(code)
    if found:
        return "\n" * code[:found.start(2)].count("\n") + found[2]
    text = code.strip()
    if re.fullmatch(r"`[^`\n]+`", text):
        return text[1:-1]
    marks, lines = fences(code), code.split("\n")
    if not 1 <= len(marks) <= 2 or marks[0][1] not in PYTHON or len(marks) == 2 and marks[1][1]:
        return None
    start, end = marks[0][0], marks[-1][0]
    if len(marks) == 1:
        if not marks[0][1] and any(line.strip() for line in lines[:start]):
            start, end = -1, start  # only the end of a fence is here
        else:
            end = len(lines)  # its end was cut
    outside = "\n".join(lines[:max(start, 0)] + lines[end + 1:])
    if outside.strip() and is_python(outside):
        return None
    return "\n" * (start + 1) + "\n".join(lines[start + 1:end])


def is_python(text):
    try:
        return bool(ast.parse(text).body)
    except (SyntaxError, ValueError):
        return False


def unprompted(code):
    """A session of the interpreter without its prompts and answers, or None."""
    lines = code.split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    if not re.match(r">>>( |$)|In \[\d+\]:", first):
        return None
    prompt = re.compile(r"\s*(?:>>> ?|\.\.\.(?: |$)|In \[\d+\]: ?|   +\.\.\.: ?)(.*)$")
    return "\n".join(found[1] if (found := prompt.match(line)) else "" for line in lines)


def dedented(code):
    """The code without an indentation of the whole, of the first line only, or of all
    lines but the first."""
    lines = code.split("\n")
    full = [n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    if not full:
        return
    depth = indent(lines[full[0]])
    if not depth and len(full) > 1:  # the first line may have lost what the others have
        depth = min(indent(lines[n]) for n in full[1:])
        if lines[full[0]].rstrip().endswith(":"):
            return
    if depth:
        yield "\n".join(line[min(depth, indent(line)):] for line in lines)


def indent(line):
    return len(line) - len(line.lstrip())
