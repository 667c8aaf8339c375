"""Byte-compiles one share of a tree: compile.py ROOT PART PARTS.

The share depends on the arguments alone, never on timing, and every file is
compiled under the path it has inside the sandbox, so two builds give the same
bytes. Hash-based and unchecked: an import never looks at the source.
"""

import os
import py_compile
import sys

root, part, parts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sources = sorted(
    os.path.join(where, name)
    for where, _, names in os.walk(root + "/usr/lib")
    for name in names
    if name.endswith(".py")
)


def compile_file(source, target, name):
    py_compile.compile(
        source,
        cfile=target,
        dfile=name,
        doraise=True,
        optimize=0,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )


for source in sources[part::parts]:
    where, name = os.path.split(source)
    tag = sys.implementation.cache_tag
    target = f"{where}/__pycache__/{name.removesuffix('.py')}.{tag}.pyc"
    compile_file(source, target, source.removeprefix(root))
if part == 0:
    # Under the name that the runner gives its frames.
    compile_file(root + "/runner.py", root + "/runner.pyc", "<sandbox>")
