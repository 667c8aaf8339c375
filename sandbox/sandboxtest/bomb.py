"""What the bombs share: each fills something until it is stopped or has enough,
and holds it while the host is measured."""

import ctypes
import fcntl
import mmap
import os
import resource
import select
import signal
import socket
import struct
import time

ENOUGH = 300 << 20  # bytes that a bomb fills at most: the host has others to serve
SECONDS = 1  # that it takes at most
PROCESSES = 80  # more than a sandbox may have
REFUSED = OSError, MemoryError

libc = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"


def call(x86, arm, *args):
    got = libc.syscall(ctypes.c_long(x86 if X86 else arm),
                       *[a if isinstance(a, (bytes, ctypes.Array)) else ctypes.c_long(a) for a in args])
    if got < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return got


def spread(fill, processes=PROCESSES):
    """Runs fill in many processes, one after the other has all it can get. It puts
    what must live on into the list it is given, and yields how much each step
    got. Returns the sum of all."""
    slots = memoryview(mmap.mmap(-1, 8 * processes)).cast("q")
    broken = mmap.mmap(-1, 200)  # what a fill raised that no sandbox causes
    end = time.monotonic() + SECONDS
    parent = os.getpid()
    for i in range(processes):
        refused = i > 1 and slots[i - 1] == slots[i - 2] == 0  # two got nothing: there is no more
        if refused or sum(slots) >= ENOUGH or time.monotonic() > end:
            break
        full, closed = os.pipe()
        try:
            pid = os.fork()
        except OSError:
            break
        if pid == 0:
            keep = []  # here, so that it outlives an error in fill
            try:
                os.close(full)
                steps = fill(keep)
                try:
                    for got in steps:
                        slots[i] += got
                        if sum(slots) >= ENOUGH or time.monotonic() > end:
                            break
                except REFUSED:
                    pass
                except Exception as e:
                    broken[:] = repr(e).encode()[:200].ljust(200)
                os.close(closed)
                while os.getppid() == parent:
                    time.sleep(0.05)
            finally:
                os._exit(0)
        os.close(closed)
        select.select([full], [], [], max(0.1, end - time.monotonic()))
        os.close(full)
    if broken[0]:
        raise ValueError(broken[:].decode())
    return sum(slots)


def each(*fills):
    """Fills one after the other, whichever are refused."""
    for fill in fills:
        try:
            yield from fill()
        except REFUSED:
            pass


def stuff(s, address=None):
    """Sends to a socket that nobody reads until no more fits."""
    s.setblocking(False)
    for kind in (7, 8):  # SO_SNDBUF, SO_RCVBUF
        try:
            s.setsockopt(socket.SOL_SOCKET, kind, 1 << 20)
        except OSError:
            pass
    data = b"x" * (200 << 10)
    while len(data) > 1000:
        try:
            yield s.sendto(data, address) if address else s.send(data)
        except OSError:
            data = data[: len(data) // 2]
