"""Looks at every file of the standard library as the runner looks at a program, and
prints those that it would refuse. The tools are named as models' tools often are, and,
a second time, as whatever the file holds."""
import keyword
import pathlib
import random
import sys
import sysconfig

USUAL = """add read search get list_files write create update run fetch parse send open_file find close query
main process call load path data echo check test count delete move show""".split()
FACTS = {
    "params": [["alpha", "alpha: int", True, False, True], ["beta", "beta?: str", False, False, False]],
    "open": False, "returns": ["object", ""], "schemas": "",
}


class runner:
    """The runner's names."""


space = vars(sys.modules["__main__"]) | {"__file__": "<sandbox>", "__name__": "runner"}
source = pathlib.Path(sys.argv[1]).read_text()
exec(compile(source.replace("if sys._getframe()", "if False and sys._getframe()"), "<sandbox>", "exec"), space)


def look(code, filename, tools):
    about = {name: space["About"](name, "toy/" + name, "", "", FACTS) for name in tools}
    functions = {name: space["make_tool"](None, each) for name, each in about.items()}
    given = {**functions, "asyncio": space["asyncio"], "json": space["json"], "ToolError": space["ToolError"]}
    names = space["Names"](functions, about, dict(given))
    tree, text = space["read"](code, filename)
    return [(node.lineno, said) for node, said in space["mistakes_of"](tree, text, names, given)]


random.seed(1)
looked, wrong = 0, 0
for path in sorted(pathlib.Path(sysconfig.get_path("stdlib")).rglob("*.py")):
    try:
        code = path.read_text("utf-8")
        compile(code, path, "exec")
    except (UnicodeDecodeError, SyntaxError):
        continue
    words = set(space["IDENTIFIER"].findall(code)) - set(keyword.kwlist) - set(dir(__builtins__)) - {"asyncio", "json"}
    for tools in USUAL, random.sample(sorted(words), min(200, len(words))):
        looked += 1
        for line, said in look(code, str(path), tools):
            wrong += 1
            print(f"{path}:{line}: {said}")
print(looked, "looks,", f"{wrong} mistakes" if wrong or looked < 500 else "none refused")
