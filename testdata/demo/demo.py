# One program with one call for each thing that policy looks at. `make demo` runs
# it; config.json beside it says what is allowed.
import os
import socket
import statistics
import time

started = time.perf_counter()


async def show(what, call):
    """Awaits a call and prints what became of it."""
    try:
        print("allowed ", what, "->", await call)
    except ToolError as e:
        print("REFUSED ", what, "->", e.code)
        print("         ", e)


async def many(n):
    start = time.perf_counter()
    await asyncio.gather(*[tools__slow(seconds=0.2) for _ in range(n)])
    return f"{time.perf_counter() - start:.2f} s, and not {0.2 * n:.0f} s: all at the same time"


async def forge(tool, params):
    """Hostile code: takes the wire out of a stub and writes a call of its own."""
    wire = next(c.cell_contents for c in tools__add.__closure__ if hasattr(c.cell_contents, "issue"))
    return await wire.issue(tool, f'"tool":"{tool}","args":'.encode(), params)


await show("tools__add(a=40, b=2)", tools__add(a=40, b=2))
await show("20 calls of tools__slow(seconds=0.2), gathered", many(20))

# Not on the allowlist: there is no such function, and no way around that.
assert "tracker__delete_issue" not in globals()
await show("a forged call of tracker/delete_issue", forge("tracker/delete_issue", {"id": 1}))

# Arguments that break the tool's own schema, and a CEL rule of the config.
await show('tools__add(a="forty", b=2)', tools__add(a="forty", b=2))
await show('tracker__create_issue(title="Fix the build", priority="high")',
           tracker__create_issue(title="Fix the build", priority="high"))
await show('tracker__create_issue(title="Fix the build")', tracker__create_issue(title="Fix the build"))

# Once private data was read, nothing goes to a server that is not private.
await show('tools__echo(text="hello")', tools__echo(text="hello"))
note = await notes__note()
await show("notes__note()", notes__note())
await show("tools__echo(text=note)", tools__echo(text=note))

# And the way out that is no tool.
try:
    socket.create_connection(("192.0.2.1", 443), timeout=2)
except OSError as e:
    print("REFUSED  a connection to 192.0.2.1 ->", os.strerror(e.errno) if e.errno else e)

took = []
for _ in range(50):
    start = time.perf_counter()
    await notes__note()
    took.append(time.perf_counter() - start)
print(f"took {statistics.median(took) * 1000:.2f} ms: one call there and back, the median of 50")
print(f"took {(time.perf_counter() - started) * 1000:.2f} ms: the code, from its first line to its last")
