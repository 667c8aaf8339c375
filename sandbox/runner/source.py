# From the text of a program to what runs.


async def evaluate(code, space):
    result = eval(code, space)
    if code.co_flags & inspect.CO_COROUTINE:
        return await result
    return result


def prepare(code, filename):
    """Compiles a cell: its statements, and its last expression if it ends in one."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile(code, filename, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    value = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
        value = compile(last, filename, "eval", flags, dont_inherit=True)
    return compile(tree, filename, "exec", flags, dont_inherit=True), value
