# One walk over a program, and what single nodes of it say.

NO_FIELDS = frozenset(("ctx", "op", "ops", "type_comment", "kind", "conversion"))
FIELDS = {}  # of the classes of nodes, those that hold nodes
SCOPES = ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda
LEAVES = frozenset(("exit", "quit", "_exit", "abort"))


def fields_of(kind):
    FIELDS[kind] = found = tuple(f for f in kind._fields if f not in NO_FIELDS)
    return found


class Look:
    """One walk over a program, and what it found."""

    def __init__(self, tree, names):
        self.names = names
        self.bound = {}  # name -> how often
        self.loads = {}  # name -> its uses
        self.defined = {}  # name -> the async def of it
        self.made = {}  # name -> what was assigned to it
        self.modules = {}  # name -> how often it is bound to the module of that name
        self.calls, self.tries, self.withs, self.generators = [], [], [], []
        self.stars = False
        self.walk(tree)

    def walk(self, tree):
        waiting, known = [tree], FIELDS.get
        while waiting:
            node = waiting.pop()
            kind = node.__class__
            note = NOTES.get(kind)
            if note:
                note(self, node)
            for field in known(kind) or fields_of(kind):
                child = getattr(node, field, None)
                if child.__class__ is list:
                    for each in child:
                        if isinstance(each, ast.AST):
                            each.parent = node
                            waiting.append(each)
                elif isinstance(child, ast.AST):
                    child.parent = node
                    waiting.append(child)

    def bind(self, name):
        if name:
            self.bound[name] = self.bound.get(name, 0) + 1

    def name(self, node):
        if node.ctx.__class__ is ast.Load:
            self.loads.setdefault(node.id, []).append(node)
        else:
            self.bind(node.id)

    def definition(self, node):
        self.bind(node.name)
        if node.__class__ is ast.AsyncFunctionDef and not node.decorator_list and node.parent.__class__ is not ast.ClassDef:
            self.defined[node.name] = node

    def imports(self, node):
        for alias in node.names:
            if alias.name == "*":
                self.stars = self.stars or not self.names.imports_from(node)
            elif alias.asname or not self.names.imports_tool(node, alias.name):
                name = alias.asname or alias.name.partition(".")[0]
                self.bind(name)
                if node.__class__ is ast.Import and name == alias.name.partition(".")[0]:
                    self.modules[name] = self.modules.get(name, 0) + 1

    def assigned(self, node):
        if node.targets[0].__class__ is ast.Name:
            self.made[node.targets[0].id] = node.value

    def listed(self, node):
        for name in node.names:
            self.bind(name)


NOTES = {
    ast.Name: Look.name,
    ast.Call: lambda look, node: look.calls.append(node),
    ast.FunctionDef: Look.definition, ast.AsyncFunctionDef: Look.definition, ast.ClassDef: Look.definition,
    ast.Assign: Look.assigned, ast.Import: Look.imports, ast.ImportFrom: Look.imports,
    ast.Global: Look.listed, ast.Nonlocal: Look.listed,
    ast.arg: lambda look, node: look.bind(node.arg),
    ast.ExceptHandler: lambda look, node: look.bind(node.name),
    ast.MatchAs: lambda look, node: look.bind(node.name),
    ast.MatchStar: lambda look, node: look.bind(node.name),
    ast.MatchMapping: lambda look, node: look.bind(node.rest),
    ast.Try: lambda look, node: look.tries.append(node),
    ast.TryStar: lambda look, node: look.tries.append(node),
    ast.With: lambda look, node: look.withs.append(node),
    ast.AsyncWith: lambda look, node: look.withs.append(node),
    ast.GeneratorExp: lambda look, node: look.generators.append(node),
}
for kind in ("TypeVar", "ParamSpec", "TypeVarTuple"):
    if hasattr(ast, kind):
        NOTES[getattr(ast, kind)] = lambda look, node: look.bind(node.name)


def catches(node):
    """Whether a try may catch the error of a mistaken call."""
    if any(isinstance(x, (ast.Return, ast.Break, ast.Continue)) for statement in node.finalbody for x in ast.walk(statement)):
        return True
    return any(may_catch(h.type) for h in node.handlers)


def may_catch(kind):
    if kind.__class__ is ast.Tuple:
        return any(map(may_catch, kind.elts))
    name = kind.attr if kind.__class__ is ast.Attribute else getattr(kind, "id", None)
    found = {"JSONDecodeError": ValueError, "CancelledError": KeyboardInterrupt}.get(name) or ORIGINALS.get(name)
    if not isinstance(found, type):
        return True
    return any(issubclass(one, found) for one in (NameError, TypeError, AttributeError, ToolError))


def called(call):
    """The last name of what is called."""
    return getattr(call.func, "attr", None) or getattr(call.func, "id", None)


def constant(test):
    name = getattr(test, "id", None) or getattr(test, "attr", None)
    return test.__class__ is ast.Constant or name == "TYPE_CHECKING" or (
        test.__class__ is ast.UnaryOp and constant(test.operand))


def always(child, parent):
    """Whether a part of a statement or expression is reached whenever the whole is."""
    kind = parent.__class__
    if kind in (ast.If, ast.While, ast.IfExp):
        return child is parent.test or is_true(parent.test) and child is not getattr(parent, "orelse", None) and (
            kind is ast.IfExp or child in parent.body)
    if kind in (ast.For, ast.AsyncFor, ast.comprehension):
        return child is parent.iter or kind is not ast.comprehension and child is parent.target or child in getattr(parent, "body", ()) and full(parent.iter)
    if kind in (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp):
        return child is parent.generators[0] or all(full(each.iter) and not each.ifs for each in parent.generators)
    if kind is ast.BoolOp:
        return child is parent.values[0]
    if kind in (ast.Try, ast.TryStar):
        return child in parent.body or child in parent.finalbody
    return kind not in (ast.match_case, ast.ExceptHandler)


def is_true(test):
    """Whether a condition is true in every program that is run, as that of __main__."""
    if test.__class__ is ast.Constant:
        return bool(test.value)
    return test.__class__ is ast.Compare and test.ops[0].__class__ is ast.Eq and getattr(test.left, "id", None) == "__name__"


def full(items):
    """Whether a loop over this certainly runs at least once."""
    if items.__class__ in (ast.List, ast.Tuple, ast.Set):
        return any(each.__class__ is not ast.Starred for each in items.elts)
    if items.__class__ is ast.Call and called(items) == "range":
        return len(items.args) == 1 and items.args[0].__class__ is ast.Constant and items.args[0].value not in (0, False)
    return items.__class__ is ast.Constant and bool(items.value)


def dead(statement, parent):
    """Whether a statement stands after one that never lets it be reached."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, None)
        if block.__class__ is list and statement in block:
            return any(ends(each) for each in block[:block.index(statement)])
    return False


def ends(statement):
    if statement.__class__ in (ast.Return, ast.Raise, ast.Break, ast.Continue):
        return True
    call = statement.value if statement.__class__ is ast.Expr else None
    return call.__class__ is ast.Call and called(call) in LEAVES


def awaits(node):
    """Whether an expression has an await that is its own."""
    if node.__class__ is ast.Await:
        return True
    if node.__class__ in (ast.Lambda, ast.GeneratorExp):
        return node.__class__ is ast.GeneratorExp and awaits(node.generators[0].iter)
    return any(map(awaits, ast.iter_child_nodes(node))) or node.__class__ is ast.comprehension and bool(node.is_async)


def generates(function):
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (*SCOPES, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(node))
    return False
