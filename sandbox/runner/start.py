"""The runner: executes model-written code and carries its tool calls out.

Started as `python3 -I -S -B /runner.py` with the protocol on descriptors 0 and
1: one JSON object per line, documented in the host's package sandbox/internal/protocol. It
moves the protocol to private descriptors before any code runs, so that
whatever the code prints, on whichever level, is output and nothing else.
It is written as the parts of this folder, which share their names, and is one
file in the sandbox; the host's sandbox/runner.go has their order.

Nothing here is a security boundary: the code shares this process and can do to
it what it likes. The host enforces every limit; this file is polite, fast, and
tells honest code clearly what it did wrong.
"""

import gc

gc.disable()  # until the imports are done: the collector took a fifth of their time

import builtins
import sys

HERE = "<sandbox>"  # the path that frames of this file show
if sys._getframe().f_code.co_filename != HERE:  # started from the source, not the .pyc
    with open(__file__, encoding="utf-8") as source:
        exec(compile(source.read(), HERE, "exec"))  # to the end of the process

# What the site module, which is not loaded here, gives every script.
builtins.exit = builtins.quit = sys.exit

# Functions defined below look their builtins up in this copy, so that code
# which deletes or replaces builtins does not break the runner.
ORIGINALS = dict(vars(builtins))
__builtins__ = ORIGINALS

# None of these modules may draw random numbers when imported: where machines are
# copies of one that was saved after this point, all would draw the same.
sys.modules["ssl"] = None  # asyncio imports it and nobody here has a network:
import asyncio  # 1 MB and 5 ms less
del sys.modules["ssl"]
import _ctypes
import _multiprocessing
import ast
import atexit
import codecs
import faulthandler
import fcntl
import inspect
import io
import json
import linecache
import os
import re
import select
import selectors
import threading
import time
import traceback
import types
import warnings
from asyncio import events, futures, runners, tasks
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property, partial, wraps
from importlib.machinery import ModuleSpec, PathFinder
from keyword import iskeyword
from math import isfinite, log

VERSION = 2
MAX_DEPTH = 64  # of arguments
MAX_VALUES = 100_000  # in arguments
HUGE, NEGATIVE_HUGE = 10**999, -(10**999)  # integers in arguments lie between
MAX_MESSAGE = 2500  # characters of a ToolError
MAX_ERROR = 2048  # bytes of a traceback
LINE_HEAD = 64  # bytes of a line that its id is in
OUT_PIECE = 64 << 10  # characters of one line of output
F_SETPIPE_SZ = 1031
RECURSION = sys.getrecursionlimit()
PROCESS = os.getpid()
LOST = 70  # exit status when the code closed the protocol's descriptors

# What the code may replace in a module is bound here.
dup_write, dup_read, dup_readv, leave, monotonic = os.write, os.read, os.readv, os._exit, time.monotonic
running_loop = events._get_running_loop
quote = json.encoder.encode_basestring


def parse_line(line, scan=json.JSONDecoder().scan_once):
    try:
        return scan(str(line, "utf-8"), 0)[0]
    except MemoryError:
        return scan(no_room(line[:LINE_HEAD], len(line)).decode(), 0)[0]


def no_room(head, size):
    """The line that stands for one of `size` bytes that does not fit into the memory:
    an error of the call that it answers, whose id its head has. Only results are that
    large."""
    call = re.search(rb'"id":(\d+)', head)
    if call is None:
        raise MemoryError
    return b"""{"op":"error","id":%b,"tool":"","code":"result_too_large","codes":["result_too_large"],\
"message":"no memory for this result of %d bytes (--memory): ask for less, or keep less"}""" % (call[1], size)
