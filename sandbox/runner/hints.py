# What the author of a program can change about an error.

MAX_HINT = 700  # characters of the stub lines that an error shows


def nearest(name, tools):
    """A sentence about the tools that a name may have meant."""
    plain = {joined(HUMP.sub("_", tool)).lower(): tool for tool in tools}
    word = joined(HUMP.sub("_", name)).lower()
    close = [plain[word]] if word in plain else []
    if not close and len(plain) <= 5000:
        import difflib
        close = [plain[each] for each in difflib.get_close_matches(word, plain, 3, 0.6)]
        parts = set(word.split("_"))
        close += [tool for key, tool in plain.items() if tool not in close and (
            len(word) > 2 and key.endswith(word) or word.endswith("_" + key) or len(parts & set(key.split("_"))) > 1)][:3 - len(close)]
    if close:
        return f"Did you mean {' or '.join(f'await {tool}(…)' for tool in close)}?"
    if len(tools) <= 12:
        return f"The tools are: {', '.join(sorted(tools))}." if tools else "There are no tools here."
    return f"search_tools({name!r}) looks for one among the {len(tools)} tools."


HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def likely(unknown, known):
    """What was meant by names of parameters, in brackets."""
    import difflib
    plain = {joined(name).lower().replace("_", ""): name for name in known}
    found = []
    for name in unknown:
        word = joined(name).lower().replace("_", "")
        close = [word] if word in plain else difflib.get_close_matches(word, plain, 1, 0.5)
        if not close:
            close = [key for key in plain if min(len(word), len(key)) > 2 and (key in word or word in key)][:1]
        found += [plain[close[0]]] if close else []
    return f" (did you mean {' and '.join(map(repr, dict.fromkeys(found)))}?)" if found else ""


def takes(about, names=None):
    """The parameters of a tool as its stub shows them."""
    lines = [p.line for p in about.params.values() if names is None or p.name in names]
    text = ", ".join(lines) or "no arguments"
    return text if len(text) <= MAX_HINT else f"{text[:MAX_HINT]}… (TOOLS[{about.name!r}] shows all)"


def advise(e, about, given):
    """Adds to the error of a call the parameters that it is about, as the stub shows them."""
    if not about.params or about.name == "":
        return
    message = str(e)
    unknown = [] if about.open else [key for key in given if isinstance(key, str) and key not in about.params]
    detail = message.partition("(")[2] or message
    named = [] if unknown or " more)" in detail else [name for name in about.params if re.search(
        rf'(?:"{re.escape(name)}"|(?<![\w"]){re.escape(name)}(?=[:/\[.]))', detail)]
    if not all(about.params[name].line in message for name in named or about.params):
        e.args = f"{message}{likely(unknown, about.params)}. {about.name}() takes: {takes(about, named or None)}",


# What other languages, and other places that run Python, have and this has not.
FOREIGN = {
    "console": "that is JavaScript; Python writes print(…)",
    "null": "that is JSON or JavaScript; Python writes None",
    "undefined": "that is JavaScript; Python writes None",
    "true": "that is JSON or JavaScript; Python writes True",
    "false": "that is JSON or JavaScript; Python writes False",
    "JSON": "that is JavaScript; Python writes json.dumps(…) and json.loads(…)",
    "require": "that is JavaScript; Python writes import …, and tools need none",
    "Promise": "that is JavaScript; Python writes await asyncio.gather(…)",
    "get_ipython": "this is no IPython; only Python runs here, no magic and no shell",
    "dbutils": "this is no notebook",
}
NONE = "there is none of its kind here; only the standard library"
NO_NETWORK = "There is no network here. The tools are the only way out: call one that fetches what you need."
NO_ROUTE = 97, 101, 113  # no such family, unreachable, no route
NO_NET = "there is no network here: the tools are the only way out"
INSTEAD = {
    **dict.fromkeys("requests httpx aiohttp urllib3 pycurl websockets websocket httplib2 boto3 botocore openai anthropic google "
                    "googleapiclient github gitlab slack_sdk paramiko grpc selenium playwright scrapy tweepy redis pymongo psycopg2 "
                    "psycopg mysql pymysql asyncpg elasticsearch stripe twilio kubernetes docker".split(), NO_NET),
    **dict.fromkeys("pandas polars pyarrow duckdb".split(), "use lists of dicts, with csv, statistics, sqlite3 and collections"),
    **dict.fromkeys("numpy scipy sympy".split(), "use math, statistics, random, fractions and lists"),
    **dict.fromkeys("sklearn torch tensorflow transformers".split(), "use statistics and math, or a tool"),
    **dict.fromkeys("dateutil pytz pendulum arrow tzlocal dateparser".split(), "use datetime and zoneinfo"),
    **dict.fromkeys("tqdm rich tabulate prettytable colorama termcolor click typer".split(), "use print"),
    **dict.fromkeys("matplotlib seaborn plotly bokeh altair PIL cv2".split(), "nothing draws here; print the numbers, or use a tool"),
    **dict.fromkeys("bs4 lxml html5lib parsel pyquery".split(), "use html.parser, xml.etree.ElementTree or re"),
    **dict.fromkeys("yaml ruamel toml tomli tomlkit".split(), "use json, tomllib or configparser"),
    **dict.fromkeys("simplejson ujson orjson json5 demjson jsonpickle".split(), "use json"),
    **dict.fromkeys("pydantic attr attrs marshmallow jsonschema".split(), "use dataclasses or typing.TypedDict"),
    **dict.fromkeys("regex markdown jinja2 mistune".split(), "use re, string.Template and f-strings"),
    **dict.fromkeys("tenacity backoff retry retrying anyio trio".split(), "use asyncio, with a loop and asyncio.sleep"),
    **dict.fromkeys("openpyxl xlrd xlsxwriter docx PyPDF2 pypdf fitz pdfplumber".split(), "use csv and zipfile, or a tool"),
    **dict.fromkeys("chardet unidecode slugify fuzzywuzzy rapidfuzz Levenshtein".split(), "use unicodedata, difflib and re"),
    **dict.fromkeys("cryptography Crypto jwt bcrypt nacl".split(), "use hashlib, hmac, secrets and base64"),
    **dict.fromkeys("sqlalchemy peewee".split(), "use sqlite3, or a tool"),
    **dict.fromkeys("dotenv decouple environs".split(), "no settings of the host are here"),
    **dict.fromkeys("psutil distro".split(), "use os, platform and resource"),
    **dict.fromkeys("more_itertools toolz cachetools sortedcontainers networkx".split(), "use itertools, functools, collections, bisect and graphlib"),
    **dict.fromkeys("mcp fastmcp langchain smolagents".split(), "the tools are here already, without an import"),
    "six": "this is Python 3", "IPython": "this is no notebook; use print", "nltk": "use re and collections", "pip": "nothing can be installed",
    "setuptools": "nothing can be installed", "distutils": "it left Python; use shutil and sysconfig", "imp": "it left Python; use importlib",
}
NO_SHELL = "There is no shell here and no other program; only Python runs. Use pathlib, shutil, glob and re for files, and the tools for the rest."
NOBODY = "Nobody can type here, there is no input: write the value into the program."


def missing_module(e, names):
    name = (e.name or "").partition(".")[0]
    if name in names.servers or name in TOOL_MODULES or any(joined(name) == joined(s) for s in names.servers):
        asked = re.findall(r"\w+", line_of(e).partition(" as ")[0])
        return f"The tools need no import, they are here already. {nearest(asked[-1] if asked else name, names.about)}"
    if e.name != name and name in sys.modules:
        return None  # a part of a module that is there
    return not_installed(name)


def not_installed(name):
    what = INSTEAD.get(name)
    return f"{name} is not installed, only the standard library is{': ' + what if what else ''}."


def in_files(e, *parts):
    """Whether an error came up in these files of the standard library."""
    trace = e.__traceback__
    for _ in range(200):
        if trace is None:
            return False
        if trace.tb_frame.f_code.co_filename.endswith(parts):
            return True
        trace = trace.tb_next
    return False


NET_FILES = "socket.py", "http/client.py", "urllib/request.py", "smtplib.py", "ftplib.py", "asyncio/base_events.py", "asyncio/selector_events.py"


def system_error(e, _):
    kind = type(e).__name__
    if in_files(e, "subprocess.py", "os.py", "pty.py", "asyncio/unix_events.py") and isinstance(e, (FileNotFoundError, PermissionError)) or (
            kind == "FileNotFoundError" and e.filename in ("/bin/sh", "/bin/bash")):
        return NO_SHELL
    socket = sys.modules.get("socket")
    if socket and isinstance(e, (socket.gaierror, socket.herror)) or kind in ("URLError", "RemoteDisconnected", "NewConnectionError") or (
            not isinstance(e, (TimeoutError, FileNotFoundError)) and in_files(e, *NET_FILES)) or (
            e.errno in (111, *NO_ROUTE)):  # 111: refused
        return NO_NETWORK
    return None


def unknown_name(e, names):
    if isinstance(e, UnboundLocalError):
        name = "".join(re.findall(r"variable '(\w+)'", str(e)))
        return f"{name} is also a tool: give the variable another name." if name in names.about else None
    name, line = getattr(e, "name", None), line_of(e)
    if not isinstance(name, str) or str(e).startswith("there is no tool"):
        return None
    if line == name:
        return of_earlier(name, names)
    if SHELL.match(line) and not re.match(r"\w+\s*[(.\[=]", line):
        return NO_SHELL
    if name in FOREIGN:
        return f"{FOREIGN[name][0].upper()}{FOREIGN[name][1:]}."
    if name in sys.stdlib_module_names:
        return f"Write import {name} first."
    return nearest(name, names.about) if re.search(rf"\b{re.escape(name)}\s*[(.]", line) else of_earlier(name, names)


def of_earlier(name, names):
    """What to do about a variable that the program does not have: in a session, whose
    second cell has the first one's, it may be anything."""
    code = "".join(linecache.getlines(f"{PROGRAM}>"))
    if names.cell > 1 or re.search(rf"\b{re.escape(name)}\b\s*(?::?=(?!=)|,|:|in\b)|\b(?:def|class|import|as|for|del)\s+{re.escape(name)}\b", code):
        return None
    return f"Nothing is kept from an earlier run: this program must define {name} itself."


AWAITED = re.compile(r"object (\w+) can't be used in 'await' expression|'(\w+)' object can't be awaited")


def kind_error(e, names):
    """TypeError and AttributeError, most of which are about await."""
    text, line = str(e), line_of(e)
    hidden = hidden_by_python(text, line, names)
    if hidden:
        return hidden
    if re.search(r"\bcoroutine\b", text) and not re.search(r"coroutine (?:was expected|or an|object is required)", text):
        called = [name for name in re.findall(r"((?:\w+\.)*\w+)\(", line) if name not in ORIGINALS]
        call = next((name for name in called if name in names.about), called[-1] if len(called) == 1 else "tool") + "(…)"
        return f"A call gives its result when it is awaited: (await {call})[…], or r = await {call} first."
    if "async_generator" in text:
        return "What has an await in it is an async generator. Write a list instead: [… await … for … in …], or read it with async for."
    if "gather(" in line and ("unhashable" in text or "dict key" in text):
        return "gather takes the calls one by one: await asyncio.gather(*calls)."
    if "a coroutine was expected" in text or "coroutine or an awaitable is required" in text:
        return "Hand over the call without await: asyncio.gather(tool(…), tool(…))."
    found = AWAITED.search(text)
    if found:
        kind = found[1] or found[2]
        if kind == "function":
            return "Call it: await tool(…)."
        return f"It is a {kind} already: leave out that await." if "search_tools" not in line else "search_tools(…) needs no await."
    if "object is not callable" in text:
        hidden = next((name for name in re.findall(r"(\w+)\(", line) if name in names.about), None)
        if hidden:
            return f"{hidden} was a tool until the program gave the name another value: give the variable another name."
    return None


def hidden_by_python(text, line, names):
    """What a tool is called whose name Python has given to something else, as list."""
    if "argument" not in text and "not callable" not in text:
        return None
    for name in re.findall(r"\b([A-Za-z]\w*)\(", line):
        if name not in names.about and f"{name}_" in names.about:
            return f"{name} is Python's own; the tool is named {name}_ here: await {name}_(…)."
    return None


def exits_early(e, _):
    """sys.exit(main()), where main is async."""
    if type(e.code) is not types.CoroutineType:
        return None
    name = e.code.__qualname__
    e.code.close()
    e.code = 1
    return f"{name}() was never awaited, so it did nothing. Write: sys.exit(await {name}(…))"


def line_of(e):
    """The line of the program at which an error came up."""
    frames = [f for f in traceback.extract_tb(e.__traceback__, limit=-50) if f.filename.startswith("<run_python")]
    return (frames[-1].line or "") if frames else ""


def told_twice(e, _):
    if "already awaited" in str(e):
        return "A call can be awaited once: keep its result, or call the tool again."
    return None


HINTS = (
    (ModuleNotFoundError, missing_module), (NameError, unknown_name), ((TypeError, AttributeError), kind_error),
    (OSError, system_error), (EOFError, lambda e, _: NOBODY if str(e).startswith("EOF when reading") else None), (RuntimeError, told_twice),
    (SystemExit, exits_early),
)


def hint_of(e, names):
    """A line that says what to change about an error, or None."""
    try:
        for kind, find in HINTS:
            if isinstance(e, kind):
                return find(e, names)
    except Exception:
        pass  # the code made something else of what this needs
    return None


SHELL = re.compile(r"\s*(?:!|\$ |#!/bin/|#!/usr/bin/env (?:ba)?sh|(?:sudo|pip3?|npm|npx|curl|wget|apt(?:-get)?|git|ls|cd|cat|echo|mkdir|rm|cp|mv|grep|"
                   r"chmod|export|docker|kubectl|python3?|node|bash|sh)\s+[-\w./~\"'$])")
SCRIPT = re.compile(r"\s*(?:(?:const|let|var)\s+[\w{\[]|(?:export\s+)?(?:async\s+)?function\b|console\.|import\s+(?:\{|\*\s+as|type\s|\w+\s+from\b)|"
                    r"(?:export\s+)?(?:interface|enum|type)\s+\w+|//|/\*|\}\s*(?:else|catch|finally|\)|;|$)|try\s*\{|(?:if|for|while|switch)\s*\(.*\{\s*$)|"
                    r".*(?:=>|===|!==|&&|\|\||\bnew\s+\w+\()|.*`[^`]*\$\{")
MAGIC = re.compile(r"\s*%%?\w+")
QUESTION = re.compile(r"\s*(?:\?{1,2}\s*([\w.]+)|([\w.]+)\s*\?{1,2})\s*$")
QUOTES = "“”„‟‘’‚‛«»"
ONLY = "Only Python runs here"


def syntax_hint(code, e):
    """What to change about a program that is no Python, or None."""
    text, lines = str(e.msg), code.split("\n")
    line = lines[e.lineno - 1] if e.lineno and e.lineno <= len(lines) else ""
    first = next((each.strip() for each in lines if each.strip()), "")
    marks = fences(code)
    if marks:
        other = next((named for _, named in marks if named not in PYTHON), None)
        if other:
            return f"{ONLY}, and this is marked as {other}: translate it to Python"
        if len(marks) > 2 or e.lineno and any(n == e.lineno - 1 for n, _ in marks):
            return "Send one program, code only, without Markdown around it"
    if "'await' outside" in text or "outside async function" in text or "outside of an asynchronous" in text:
        return "Write async def instead of def, and await that function where it is called"
    if "'return' outside" in text:
        return "The program is no function: print(…) what you want to see, or end with the value alone"
    if isinstance(e, TabError) or isinstance(e, IndentationError) and "\t" in code:
        return "Tabs and spaces are mixed: indent with spaces only, not with a tab"
    if any(q in line for q in QUOTES) and "invalid character" in text:
        return "Write straight quotes, \" or ', instead of typographic ones"
    if "line continuation" in text and re.search(r"\\[nt]", line):
        return "Write real line breaks, not \\n: the program came with its newlines escaped twice"
    return language_hint(line, first, lines)


def language_hint(line, first, lines):
    found = QUESTION.match(line)
    if found:
        return f"This is no IPython: help({found[1] or found[2]}) shows what is known of it, as does TOOLS[\"name\"]"
    if MAGIC.match(line):
        return f"{ONLY}, no IPython magic: leave the line out"
    if re.match(r"<(!DOCTYPE|\?xml|[a-zA-Z][\w-]*[ >/])", first):
        return f"{ONLY}, not HTML or XML"
    if SHELL.match(line) and not SCRIPT.match(line):
        return f"{ONLY}; there is no shell"
    if SCRIPT.match(line) or any(re.match(r"\s*(?:const|let|var)\s+\w+\s*=|\s*console\.", each) for each in lines):
        return f"{ONLY}, not JavaScript or TypeScript: translate it, with print(…) for console.log(…)"
    if re.match(r"(?i)\s*(?:select\s.+\sfrom|insert\s+into|update\s+\w+\s+set|create\s+table|delete\s+from)\b", line):
        return f"{ONLY}, not SQL"
    if re.match(r"(?:here|sure|okay|this|the|i|first|let|to)\b['\w]*(?:[ ,]+\w+){3,}", line.strip(), re.I):
        return "Send the program only, without text around it"
    return None


def hinted(e, names):
    """The error, with what to change about it, also about those that it groups."""
    if isinstance(e, BaseExceptionGroup):
        for each in e.exceptions[:5]:
            hinted(each, names)
    hint = hint_of(e, names)
    if hint:
        try:
            if hint not in getattr(e, "__notes__", ()) and hint not in str(e):
                e.add_note(hint)
        except Exception:
            pass
    return e


def explained(e, code):
    """A SyntaxError with its line and what to change."""
    lines = code.split("\n")
    if e.text is None and e.lineno and e.lineno <= len(lines):
        e.text = lines[e.lineno - 1]
    hint = None if isinstance(e, NotStarted) else syntax_hint(code, e)
    if hint:
        e.msg = f"{e.msg}. {hint}."
    return e
