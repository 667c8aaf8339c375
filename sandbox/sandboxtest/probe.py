"""What the probes share: each is a function body that tries one thing.

It raises OSError or Held where it was refused, and returns what it was given
otherwise.
"""

import ctypes
import errno
import mmap
import os
import select
import signal
import socket
import struct
import sys
import textwrap
import time

SECONDS = 20  # one probe may take

# Errors that say no before looking at what was asked. Any other, EINVAL or EFAULT
# say, comes from the code that the probe must not reach.
REFUSALS = {
    errno.EPERM, errno.EACCES, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.ENOSYS, errno.ENODEV, errno.ENXIO,
    errno.EAFNOSUPPORT,
}

libc = ctypes.CDLL(None, use_errno=True)

# System calls by number, on x86-64 and on 64-bit ARM: the C library has no
# function for most of them, and may use another call in its own.
CALLS = {
    "_sysctl": (156, None), "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171), "bpf": (321, 280),
    "capset": (126, 91), "chroot": (161, 51), "clock_adjtime": (305, 266), "clock_settime": (227, 112), "clone": (56, 220),
    "clone3": (435, 435), "delete_module": (176, 106), "fanotify_init": (300, 262), "finit_module": (313, 273),
    "fsopen": (430, 430), "fspick": (433, 433), "get_mempolicy": (239, 236), "getpid": (39, 172), "init_module": (175, 105),
    "inotify_init1": (294, 26), "io_uring_setup": (425, 425), "ioperm": (173, None), "iopl": (172, None),
    "ioprio_set": (251, 30), "kcmp": (312, 272), "kexec_file_load": (320, 294), "kexec_load": (246, 104),
    "keyctl": (250, 219), "listmount": (458, 458), "lookup_dcookie": (212, 18), "mbind": (237, 235),
    "memfd_secret": (447, 447), "migrate_pages": (256, 238), "modify_ldt": (154, None), "mount": (165, 40),
    "mount_setattr": (442, 442), "move_pages": (279, 239), "mq_open": (240, 180), "mq_timedsend": (242, 182),
    "msgget": (68, 186), "msgsnd": (69, 189), "name_to_handle_at": (303, 264), "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428), "perf_event_open": (298, 241), "personality": (135, 92),
    "pidfd_getfd": (438, 438), "pidfd_open": (434, 434), "pivot_root": (155, 41), "prctl": (157, 167),
    "process_madvise": (440, 440), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "ptrace": (101, 117),
    "quotactl": (179, 60), "reboot": (169, 142), "request_key": (249, 218), "rt_sigqueueinfo": (129, 138),
    "sched_setattr": (314, 274), "sched_setscheduler": (144, 119), "seccomp": (317, 277), "semget": (64, 190),
    "set_mempolicy": (238, 237), "setdomainname": (171, 162), "setfsuid": (122, 151), "sethostname": (170, 161),
    "setns": (308, 268), "settimeofday": (164, 170), "shmat": (30, 196), "shmget": (29, 194), "socket": (41, 198), "socketpair": (53, 199), "swapoff": (168, 225),
    "swapon": (167, 224), "sysfs": (139, None), "syslog": (103, 116), "timer_create": (222, 107), "umount2": (166, 39),
    "unshare": (272, 97), "uselib": (134, None), "userfaultfd": (323, 282), "ustat": (136, None), "vhangup": (153, 58),
}


class Held(Exception):
    """The sandbox held, for a reason that is no error number."""


def call(name, *args):
    """Makes a system call, and raises OSError as the os module does."""
    number = CALLS[name][os.uname().machine != "x86_64"]
    if number is None:
        raise Held("this processor has no such call")
    return call_number(number, *args)


def call_number(number, *args):
    got = libc.syscall(ctypes.c_long(number), *[a if isinstance(a, (bytes, ctypes.Array)) else ctypes.c_long(a) for a in args])
    if got < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return got


def room(data, size=0):
    """Memory that a call may read and write."""
    return ctypes.create_string_buffer(data, max(size, len(data)))


def read(*paths):
    """Returns the beginning of the first of the paths that holds anything. A
    directory holds the names of what is in it."""
    refused = Held("empty")
    for path in paths:
        try:
            if os.path.isdir(path):
                data = os.listdir(path)[:5]
            else:
                fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
                try:
                    data = os.read(fd, 100)
                finally:
                    os.close(fd)
        except OSError as e:
            if e.errno not in REFUSALS:
                raise
            refused = e
            continue
        if data:
            return path, data
    raise refused


def write(*paths):
    """Returns the first of the paths that can be opened to write."""
    refused = Held("nothing there")
    for path in paths:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        except OSError as e:
            refused = e
            continue
        return path
    raise refused


def below(*tops):
    """Every file below the directories."""
    for top in tops:
        for directory, _, files in os.walk(top):
            yield from (os.path.join(directory, name) for name in files)


def each(tries):
    """Makes every one of the tries, and returns what the first that was not
    refused was given."""
    refused = Held("nothing to try")
    for attempt in tries:
        try:
            return attempt()
        except (OSError, Held) as e:
            if isinstance(e, OSError) and e.errno not in REFUSALS:
                raise
            refused = e
    raise refused


KINDS = (1, 2, 3, 4, 5, 6, 10)  # of sockets


def opened(name, *args):
    """Makes a call for a socket. Only the answer that there is no such family
    refuses it: any other is the kernel's, and depends on how it was built."""
    try:
        return call(name, *args), args
    except OSError as e:
        if e.errno == errno.EAFNOSUPPORT:
            raise Held("EAFNOSUPPORT") from None
        return errno.errorcode[e.errno], args


def child():
    """Forks a process that only waits, and is gone with this one's end."""
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        for _ in range(SECONDS * 10):
            if os.getppid() != parent:
                break
            time.sleep(0.1)
        os._exit(0)
    return pid


def answer(code):
    """What became of one probe, in a word and what it got."""
    space = dict(globals())
    try:
        exec("def probe():\n" + textwrap.indent(code.strip("\n"), " "), space)
        return "got: %.200r" % (space["probe"](),)
    except Held as e:
        return f"held: {e}"
    except OSError as e:
        name = errno.errorcode.get(e.errno, str(e))
        return f"held: {name}" if e.errno in REFUSALS else f"reached: {name}"
    except BaseException as e:
        return f"broken: {type(e).__name__}: {e}"[:200]


def attempts(table):
    """Tries the probes in turn, and yields the name and the answer of each. They
    share a process for as long as they are refused: whatever got something, died
    or hangs is the last of its process."""
    while table:
        inside, outside = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.close(inside)
                for name, code in table:
                    said = answer(code)
                    os.write(outside, said.encode(errors="replace").replace(b"\n", b" ") + b"\n")
                    if not said.startswith("held"):
                        break
            finally:
                os._exit(0)
        os.close(outside)
        for said in answers(inside, pid):
            yield table.pop(0)[0], said
            if not table:
                break
        os.close(inside)


def answers(inside, pid):
    """Yields what a process says, line by line, until it gets something, hangs, or
    dies, which is an answer too."""
    data = b""
    while select.select([inside], [], [], SECONDS)[0]:
        more = os.read(inside, 4096)
        if not more:
            break
        *lines, data = (data + more).split(b"\n")
        for line in lines:
            said = line.decode(errors="replace")
            yield said
            if not said.startswith("held"):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                return
    else:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        yield "hangs: said nothing in time"
        return
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    # A filter of system calls may kill, too.
    yield "held: SIGSYS" if code == -signal.SIGSYS else f"died: without a word, status {code}"
