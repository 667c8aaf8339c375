# A look at a program before it runs: what is certainly a mistake stops it here, so
# that nothing is half done. What is not certain is left to run.

# Where the text has one of these, names may be bound in ways that no look can see.
HIDDEN = re.compile(r"\b(?:exec|eval|globals|locals|vars|setattr|delattr|__import__|__dict__|__builtins__|builtins|modules|"
                    r"_getframe|currentframe|f_globals|ctypes|sys\.path|runpy|import_module|patch|gc)\b")
IDENTIFIER = re.compile(r"[^\W\d]\w*")
IS_MAIN = re.compile(r"""__name__\s*[!=]=\s*(["'])__main__\1""")
# And where it has one of these, an error may come up where it is handled.
SWALLOWS = re.compile(r"return_exceptions|\bsuppress\b|\.exception\(|\bwait\(|excepthook|exception_handler|add_done_callback|"
                      r"__a?exit__|assertRaises|\braises\b|unittest|as_completed|\b_?Thread\b|submit\(")
# A program that reads what tools there are may choose its calls by that.
READS = re.compile(r"\bTOOLS\b|\bsearch_tools\b|\bdir\(|\bhasattr\b|\bgetattr\b|__doc__|\binspect\b|\bhelp\(|list_tools|\bcallable\b")

MOST_MISTAKES = 5  # that are told
KEEP = frozenset(("send", "throw", "close"))  # attributes of a coroutine that a program may want
CONSUMERS = frozenset("print str repr len list dict int float set tuple sorted sum min max any all enumerate display show".split())
GENERATED = CONSUMERS - {"print", "str", "repr", "len", "int", "float", "display", "show"} | {"zip", "map", "filter", "frozenset", "iter"}
JSON_CALLS = frozenset(("dumps", "loads"))
CALM = frozenset("""open timeout timeout_at TaskGroup Semaphore BoundedSemaphore Lock RLock Condition ThreadPoolExecutor
ProcessPoolExecutor Runner TemporaryDirectory NamedTemporaryFile TemporaryFile closing aclosing redirect_stdout redirect_stderr
nullcontext localcontext catch_warnings ZipFile""".split())  # what with is used for and raises what it is given

SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%"}
ORDERS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


class NotStarted(SyntaxError):
    """The program has mistakes for which it was not started."""

    __module__ = "__main__"


class Check:
    """The mistakes of a program that may call these tools."""

    def __init__(self, look, names, space, code):
        self.look, self.names, self.space, self.code = look, names, space, code
        self.swallows = bool(SWALLOWS.search(code)) or any(map(catches, look.tries)) or not all(map(self.calm, look.withs))
        self.reads = READS.search(code) is not None
        self.mistakes = {}  # place -> (node, text)

    def run(self):
        for call in self.look.calls:
            about = self.callee(call.func)
            if about is not None:
                self.tool_call(call, about)
            elif call.func.__class__ is ast.Name:
                self.other_call(call, call.func.id)
            elif call.func.__class__ is ast.Attribute:
                self.member_call(call)
            self.gathering(call)
        for generator in self.look.generators:
            self.generator(generator)
        for name in FOREIGN.keys() & self.look.loads.keys():
            for node in self.look.loads[name]:
                if self.undefined(name) and self.sure(node):
                    self.add(node, f"{name} is not defined: {FOREIGN[name]}")
        return [self.mistakes[place] for place in sorted(self.mistakes)]

    def add(self, node, text):
        self.mistakes.setdefault((node.lineno, node.col_offset), (node, text))

    def undefined(self, name):
        return name not in self.look.bound and name not in self.space and name not in ORIGINALS

    def callee(self, func):
        """What is known of the tool that is called, or None."""
        tools, bound = self.names.about, self.look.bound
        if func.__class__ is ast.Name:
            name = func.id
            if name in bound or name.startswith("__"):
                return None
            if name in tools:
                return tools[name] if self.space.get(name) is self.names.tools[name] else None
            if name in self.space and not self.names.gave(self.space, name) or name in ORIGINALS:
                return None
            return tools.get(self.names.find(name))
        if func.__class__ is ast.Attribute and func.value.__class__ is ast.Name and func.value.id not in bound:
            base = func.value.id
            if base in tools or base in self.space and not self.names.gave(self.space, base):
                return None
            space = self.names.mention(base)
            if space.__class__ is Namespace:
                return tools.get(self.names.find(func.attr))
        return None

    # A call of a tool.

    def tool_call(self, call, about):
        parent = call.parent
        if parent.__class__ is not ast.Await:
            self.not_awaited(call, f"{about.name}()")
        if not about.open:
            problem = self.arguments(call, about)
            if problem and self.sure(call, parent.__class__ is ast.Await):
                self.add(call, f"{about.name}() {problem}. It takes: {takes(about)}")

    def arguments(self, call, about):
        """What is wrong with the arguments of a call as it is written, or None."""
        spread = any(k.arg is None for k in call.keywords) or any(a.__class__ is ast.Starred for a in call.args)
        names = [k.arg for k in call.keywords if k.arg]
        if len(names) == 1 and not call.args and names[0] in WRAPPED and names[0] not in about.params:
            return None  # add(params={…})
        if call.args and not spread:
            if len(call.args) == 1 and (names or call.args[0].__class__ is not ast.Constant):
                return None  # a dict of all arguments, perhaps
            if len(call.args) > len(about.params):
                return f"is given {len(call.args)} arguments" + (f" and takes {len(about.params)}" if about.params else "")
            names += list(about.params)[:len(call.args)]
        given = {about.spelled(name) for name in names}
        unknown = [name for name in names if about.spelled(name) not in about.params]
        if unknown:
            return "does not take " + " or ".join(map(repr, unknown)) + likely(unknown, about.params)
        missing = [p.name for p in about.params.values() if p.required and p.name not in given]
        if missing and not spread:
            return "needs " + " and ".join(map(repr, missing))
        return None

    # A coroutine that nobody awaits.

    def not_awaited(self, call, what):
        parent = call.parent
        if parent.__class__ in (ast.Assign, ast.AnnAssign) and parent.value is call:
            self.kept(call, parent, what)
            return
        place = self.misused(call, call)
        if place and self.sure(call, raised=place[0] == "loud"):
            self.add(call, f"{what} is not awaited, so it does nothing. Write: {place[1]}{self.where(call)}")

    def misused(self, node, call):
        """How an expression that is a coroutine is used where a result is wanted: whether
        Python would say so, and how to write it; None where that is not certain."""
        parent, text = node.parent, self.source(call)
        kind = parent.__class__
        if kind is ast.Expr:
            return "silent", f"await {text}"
        if kind is ast.Subscript and parent.value is node:
            return "loud", f"(await {text})[{self.source(parent.slice)}]"
        if kind is ast.Attribute and parent.attr not in KEEP and not parent.attr.startswith(("_", "cr_")):
            return "loud", f"(await {text}).{parent.attr}"
        if kind in (ast.For, ast.AsyncFor) and parent.iter is node:
            return "loud", f"for {self.source(parent.target)} in await {text}:"
        if kind is ast.comprehension and parent.iter is node:
            return "loud", f"… for {self.source(parent.target)} in await {text}"
        if kind is ast.FormattedValue:
            return "silent", f"{{await {text}}}"
        if kind in (ast.If, ast.While, ast.IfExp) and parent.test is node:
            return "silent", f"if await {text}"
        if kind is ast.UnaryOp:
            return "silent", f"not await {text}"
        if kind is ast.BinOp and plain_value(parent, node):
            left = f"await {text}" if parent.left is node else self.source(parent.left)
            right = f"await {text}" if parent.right is node else self.source(parent.right)
            sign = SIGNS[parent.op.__class__]
            return "silent" if sign == "%" and parent.right is node else "loud", f"{left} {sign} {right}"
        if kind is ast.Compare and len(parent.ops) == 1 and parent.ops[0].__class__ in ORDERS and (
                parent.left is node and parent.comparators[0].__class__ is ast.Constant):
            return "silent", f"await {text} {ORDERS[parent.ops[0].__class__]} {self.source(parent.comparators[0])}"
        if kind is ast.Call and node in parent.args and called(parent) == "format" and (
                getattr(parent.func, "value", None).__class__ is ast.Constant):
            return "silent", f".format(await {text})"
        if kind is ast.Call and node in parent.args and self.consumes(parent.func):
            return "loud" if parent.func.__class__ is ast.Name and parent.func.id not in ("print", "str", "repr") else "silent", (
                f"{self.source(parent.func)}(await {text})")
        return None

    def consumes(self, func, names=CONSUMERS):
        """Whether a function is one that makes nothing of a coroutine."""
        if func.__class__ is ast.Name:
            name = func.id
            return name in names and name not in self.look.bound and name not in self.names.about and (
                name not in self.space or self.names.gave(self.space, name))
        return names is CONSUMERS and func.__class__ is ast.Attribute and func.attr in JSON_CALLS and (
            func.value.__class__ is ast.Name and func.value.id == "json" and self.only_imported("json"))

    def only_imported(self, name):
        """Whether a name is nothing but a module of that name."""
        return self.look.bound.get(name, 0) == self.look.modules.get(name, 0) and (
            getattr(self.space.get(name), "__class__", types.ModuleType) is types.ModuleType)

    def kept(self, call, assign, what):
        """r = add(…), where nothing that is done with r awaits it."""
        targets = assign.targets if assign.__class__ is ast.Assign else [assign.target]
        target = targets[0]
        if len(targets) > 1 or assign.parent.__class__ is ast.ClassDef:
            return
        if target.__class__ in (ast.Tuple, ast.List):
            if self.sure(call):
                self.add(call, f"{what} is not awaited. Write: {self.source(target)} = await {self.source(call)}{self.where(call)}")
        elif target.__class__ is ast.Name:
            uses = self.look.loads.get(target.id, ())
            places = [self.misused(use, use) for use in uses]
            loud = any(place and place[0] == "loud" for place in places)
            if None not in places and self.sure(call, raised=loud):
                self.add(call, f"{what} is not awaited, so it does nothing. Write: {target.id} = await {self.source(call)}{self.where(call)}")

    def other_call(self, call, name):
        own = self.look.defined.get(name)
        if own is not None:
            if self.look.bound[name] == 1 and name not in self.space and not generates(own) and (
                    call.parent.__class__ is ast.Expr and self.sure(call, raised=False)):
                self.add(call, f"{name}() is not awaited, so it does nothing. Write: await {self.source(call)}{self.where(call)}")
        elif self.undefined(name) and not name.startswith("__") and name not in FOREIGN and self.names.mention(name) is None:
            awaited = call.parent.__class__ is ast.Await
            if self.sure(call, awaited):
                kind = "tool" if awaited else "tool or function"
                self.add(call.func, f"there is no {kind} {name!r}. {nearest(name, self.names.about)}")

    def member_call(self, call):
        """tools.add(…) where there is no such tool."""
        base = call.func.value
        if base.__class__ is ast.Name and base.id not in self.look.bound and call.parent.__class__ is ast.Await:
            space = self.space.get(base.id)
            if space.__class__ is Namespace and not hasattr(space, call.func.attr) and self.sure(call):
                self.add(call.func, self.names.unknown(call.func.attr))

    def gathering(self, call):
        """asyncio.gather([…]), and the coroutine of a plain function."""
        func = call.func
        if func.__class__ is ast.Attribute and func.attr == "gather" and func.value.__class__ is ast.Name and (
                func.value.id == "asyncio" and self.only_imported("asyncio")) and call.args and self.sure(call):
            if call.args[0].__class__ in (ast.List, ast.ListComp):
                self.add(call, "gather takes the calls one by one, not in a list. Write: asyncio.gather(*[…])")

    def generator(self, node):
        """sum(… await … for …): what has await in it can only be read by async for."""
        inner = [node.elt, *(x for g in node.generators for x in g.ifs), *(g.iter for g in node.generators[1:])]
        if not any(g.is_async for g in node.generators) and not any(map(awaits, inner)):
            return
        call = node.parent
        if call.__class__ is ast.Starred:
            call, fits = call.parent, call.parent.__class__ is ast.Call
        else:
            fits = call.__class__ is ast.Call and node in call.args and self.consumes(call.func, GENERATED) or (
                call.__class__ is ast.Call and call.func.__class__ is ast.Attribute and call.func.attr == "join"
                and call.func.value.__class__ is ast.Constant)
        if fits and self.sure(node):
            self.add(node, "what has an await in it is an async generator, which this can not read. Write a list: [… await … for … in …]")

    # What is certain.

    def sure(self, node, direct=True, raised=True):
        """Whether this place is meant to be reached, which an unawaited call always is.
        If raised, whether it certainly is and an error there ends the program. One that
        is not direct is raised elsewhere."""
        if not direct and self.swallows:
            return False
        child, parent, seen = node, node.parent, set()
        while parent is not None:
            kind = parent.__class__
            if isinstance(child, ast.stmt) and dead(child, parent) or kind in (ast.If, ast.While, ast.IfExp) and (
                    child is not parent.test and (self.reads or constant(parent.test)) and not always(child, parent)):
                return False
            if raised:
                if kind in (ast.Try, ast.TryStar) and child in parent.body and catches(parent) or (
                        kind in (ast.With, ast.AsyncWith) and child in parent.body and not self.calm(parent)):
                    return False
                if kind in SCOPES:
                    child = self.use_of(parent, seen)
                    if child is None:
                        return False
                    parent = child.parent
                    continue
                if not always(child, parent):
                    return False
            child, parent = parent, getattr(parent, "parent", None)
        return True

    def use_of(self, function, seen):
        """A place that calls or hands on a function, from which an error of it would end
        the program, or None."""
        name = getattr(function, "name", None)
        if self.swallows or name in seen:
            return None
        seen.add(name)
        uses = self.look.loads.get(name, ())
        return next((use for use in uses if self.outside(use, function) and self.sure(use)), None)

    def outside(self, node, function):
        while node is not None and node is not function:
            node = getattr(node, "parent", None)
        return node is None

    def calm(self, node):
        """Whether a with block lets every error pass."""
        for item in node.items:
            made = item.context_expr
            if made.__class__ is ast.Name and self.look.bound.get(made.id) == 1:
                made = self.look.made.get(made.id)
            if made.__class__ is not ast.Call or called(made) not in CALM:
                return False
        return True

    def where(self, call):
        """What else is needed where await can not stand."""
        node = call.parent
        while node is not None and node.__class__ not in SCOPES:
            node = getattr(node, "parent", None)
        if node is None or node.__class__ is ast.AsyncFunctionDef:
            return ""
        if node.__class__ is ast.Lambda:
            return ", in an async def instead of the lambda"
        return f", and make it async def {node.name}, which is awaited too"

    def source(self, node):
        """An expression as it is written, short."""
        text = ast.get_source_segment(self.code, node) or ast.unparse(node)
        if "\n" in text or len(text) > 80:
            text = f"{self.source(node.func)}(…)" if node.__class__ is ast.Call else text.split("\n")[0][:60] + "…"
        return text


def call_as_data(tree, names):
    """The mistake of a program that is nothing but {"name": "add", "arguments": {…}}."""
    node = tree.body[0].value if len(tree.body) == 1 and tree.body[0].__class__ is ast.Expr else None
    if node.__class__ is ast.List and node.elts:
        node = node.elts[0]
    if node.__class__ is not ast.Dict:
        return None
    given = {key.value: value for key, value in zip(node.keys, node.values) if key.__class__ is ast.Constant}
    named = next((value for key in NAMING if (value := given.get(key)).__class__ is ast.Constant), None)
    params = next((given[key] for key in sorted(WRAPPED) if given.get(key).__class__ is ast.Dict), None)
    tool = names.find(named.value) if named is not None and isinstance(named.value, str) else None
    if tool is None or params is None:
        return None
    pairs = [(getattr(key, "value", None), ast.unparse(value)) for key, value in zip(params.keys, params.values)]
    if all(isinstance(key, str) and key.isidentifier() and not iskeyword(key) for key, _ in pairs):
        text = ", ".join(f"{key}={JSON_WORDS.get(value, value)}" for key, value in pairs)
    else:
        text = ast.unparse(params)
    return node, f"this is data, which calls nothing. Write: print(await {tool}({text}))"


NAMING = "name", "tool", "tool_name", "function"
JSON_WORDS = {"true": "True", "false": "False", "null": "None"}


def plain_value(operation, node):
    """Whether the other side of an operation is a constant, which knows no coroutine."""
    other = operation.right if operation.left is node else operation.left
    return operation.op.__class__ in SIGNS and other.__class__ in (ast.Constant, ast.JoinedStr)


def look_at(tree, code, names, space, filename):
    """Gives the program the names that it means, and raises NotStarted if it is
    certainly mistaken."""
    try:
        mistakes = mistakes_of(tree, code, names, space)
    except Exception:  # a mistake of this file must not keep a program from running
        return
    if mistakes:
        raise not_started(mistakes, code, filename)


def mistakes_of(tree, code, names, space):
    order = call_as_data(tree, names)
    if order:
        return [order]
    if not names.concern(set(IDENTIFIER.findall(code))):
        return ()
    look = Look(tree, names)
    names.give(look, space)
    if look.stars or HIDDEN.search(code) or "__main__" in IS_MAIN.sub("", code):
        return ()
    if any(not names.gave(space, name) and not name.startswith("__") for name in look.loads.keys() & space.keys()):
        return ()  # an earlier cell may have done anything
    return Check(look, names, space, code).run()


def not_started(mistakes, code, filename):
    """The error that shows the first mistakes, each with its line."""
    lines = code.split("\n")

    def column(line, offset):
        return len(lines[line - 1].encode()[:offset].decode("utf-8", "ignore")) + 1

    node, text = mistakes[0]
    end = node.end_col_offset if node.end_lineno == node.lineno else len(lines[node.lineno - 1].encode())
    error = NotStarted(f"{text}\n(Nothing was run or called yet.)", (
        filename, node.lineno, column(node.lineno, node.col_offset), lines[node.lineno - 1], node.lineno, column(node.lineno, end)))
    for node, text in mistakes[1:MOST_MISTAKES]:
        error.add_note(f"line {node.lineno}: {lines[node.lineno - 1].strip()[:120]}\n  {text}")
    if len(mistakes) > MOST_MISTAKES:
        error.add_note(f"and {len(mistakes) - MOST_MISTAKES} more")
    return error
