package sandboxtest

// kernelProbes: calls of the kernel that are its largest and least tested
// surface, or that reach what all of the host's processes share.
var kernelProbes = []probe{
	{"set up an io_uring", `return call("io_uring_setup", 1, room(b"", 120))`, ""},
	{"make a BPF map", `return call("bpf", 0, room(struct.pack("IIII", 2, 4, 4, 1), 72), 72)`, ""},
	{"count events of the processor", `return call("perf_event_open", room(struct.pack("IIQQQQQ", 1, 64, 0, 0, 0, 0, 0x60), 64), 0, -1, -1, 0)`, ""},
	{"add a key to a keyring", `return call("add_key", b"user", b"probe", b"x", 1, -2)`, ""},
	{"request a key", `return call("request_key", b"user", b"probe", 0, -2)`, ""},
	{"look at a keyring", `return call("keyctl", 0, -3, 1)`, innerObjects},
	{"handle page faults of its own", `return call("userfaultfd", 1)`, ""},
	{"hide memory from the kernel", `return call("memfd_secret", 0)`, ""},
	{"change the segments of a process", `return call("modify_ldt", 0, room(b"", 64), 64)`, ""},
	{"make a System V message queue", `return call("msgget", 0, 0o1600)`, innerObjects},
	{"make a System V semaphore", `return call("semget", 0, 1, 0o1600)`, innerObjects},
	{"make System V shared memory", `return call("shmget", 0, 4096, 0o1600)`, innerObjects},
	{"make a POSIX message queue", `return call("mq_open", b"probe", os.O_CREAT | os.O_RDWR, 0o600, 0)`, innerObjects},
	{"trace a process", `
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
pid = child()
return each(lambda how=how: call("ptrace", how, pid, 0, 0) for how in (PTRACE_ATTACH, PTRACE_SEIZE))`, innerProcesses},
	{"be traced", `return call("ptrace", 0, 0, 0, 0)`, innerProcesses},
	{"read the memory of a process by a call", `
data = room(b"secret")
vector = room(struct.pack("QQ", ctypes.addressof(data), 6))
return call("process_vm_readv", child(), vector, 1, vector, 1, 0)`, innerProcesses},
	{"write the memory of a process by a call", `
data = room(b"secret")
vector = room(struct.pack("QQ", ctypes.addressof(data), 6))
return call("process_vm_writev", child(), vector, 1, vector, 1, 0)`, innerProcesses},
	{"advise on the memory of a process", `
data = mmap.mmap(-1, 4096)
vector = room(struct.pack("QQ", ctypes.addressof(ctypes.c_char.from_buffer(data)), 4096))
return call("process_madvise", call("pidfd_open", child(), 0), vector, 1, 20, 0)`, innerProcesses},
	{"take a descriptor out of a process", `return call("pidfd_getfd", call("pidfd_open", child(), 0), 0, 0)`, innerProcesses},
	{"compare the kernel's objects of processes", `return call("kcmp", os.getpid(), child(), 0, 0, 0)`, innerProcesses},
	{"turn off the randomized layout", `return call("personality", 0x0040000)`, "there is one layout, the inner kernel's"},
	{"load another kernel", `
return each([lambda: call("kexec_load", 0, 0, 0, 0), lambda: call("kexec_file_load", -1, -1, 1, b"", 0)])`, ""},
	{"load a module", `
return each([lambda: call("init_module", b"x", 1, b""), lambda: call("finit_module", 0, b"", 0)])`, ""},
	{"unload a module", `return call("delete_module", b"probe", 0o4000)`, ""},
	{"swap to a file", `
return each([lambda: call("swapon", b"/tmp/swap", 0), lambda: call("swapoff", b"/tmp/swap")])`, ""},
	{"restart the host", `return call("reboot", 0xfee1dead, 672274793, 0, 0)`, ""}, // the command: Ctrl-Alt-Del only warns init
	{"rename the host", `return call("sethostname", b"probe", 5)`, ""},
	{"rename the domain", `return call("setdomainname", b"probe", 5)`, ""},
	{"set the clock", `
now = struct.pack("qq", int(time.time()), 0)
return each([lambda: call("settimeofday", now, 0), lambda: call("clock_settime", 0, now)])`, ""},
	{"tune the clock", `
ADJ_MAXERROR = 4
return each([lambda: call("adjtimex", room(struct.pack("IqqQ", ADJ_MAXERROR, 0, 0, 1000), 208)),
             lambda: call("clock_adjtime", 0, room(struct.pack("IqqQ", ADJ_MAXERROR, 0, 0, 1000), 208))])`, ""},
	{"use the processor's ports", `
return each([lambda: call("iopl", 3), lambda: call("ioperm", 0x80, 1, 1)])`, ""},
	{"account for processes", `return call("acct", 0)`, ""},
	{"control quotas", `return call("quotactl", 0x80000100, 0, 0, 0)`, ""},
	{"get a handle of a file", `return call("name_to_handle_at", -100, b"/tmp", room(struct.pack("Ii", 128, 0), 136), room(b"", 8), 0)`, innerHandles},
	{"open a file by its handle", `
handle = room(struct.pack("IiQI", 12, 1, 2, 0), 136)
return call("open_by_handle_at", os.open("/", os.O_RDONLY), handle, os.O_RDONLY)`, innerHandles},
	{"watch a file system", `return call("fanotify_init", 0x200, 0)`, ""},
	{"look up a profiler's cookie", `return call("lookup_dcookie", 1, room(b"", 100), 100)`, ""},
	{"make obsolete calls", `
return each(lambda name=name: call(name, 0, 0, 0) for name in ("nfsservctl", "uselib", "ustat", "_sysctl", "vhangup"))`, ""},
	{"list the kernel's file systems", `return call("sysfs", 3)`, ""},
	{"read the kernel's messages", `
return each(lambda how=how: call("syslog", how, room(b"", 1000), 1000) for how in (10, 3))`, "the messages are made up"},
	{"move pages between nodes", `
return each([lambda: call("move_pages", 0, 0, 0, 0, 0, 0), lambda: call("migrate_pages", 0, 64, room(b"\1", 8), room(b"\1", 8))])`, ""},
	{"choose the nodes of memory", `
memory = mmap.mmap(-1, 4096)
at = ctypes.addressof(ctypes.c_char.from_buffer(memory))
return each([lambda: call("set_mempolicy", 0, 0, 0), lambda: call("mbind", at, 4096, 0, 0, 0, 0), lambda: call("get_mempolicy", 0, 0, 0, 0, 0)])`,
		"there is one node, which is made up"},
	{"filter system calls", `
step = room(struct.pack("HBBI", 6, 0, 0, 0x7fff0000))  # allow everything
program = room(struct.pack("HxxxxxxQ", 1, ctypes.addressof(step)))
return call("seccomp", 1, 0, program)`, "the filter is the process's own and runs in the inner kernel"},
	{"answer the system calls of others", `
step = room(struct.pack("HBBI", 6, 0, 0, 0x7fff0000))
program = room(struct.pack("HxxxxxxQ", 1, ctypes.addressof(step)))
return call("seccomp", 1, 8, program)`, "there is no such filter"},
	{"make a call of x32", `
if os.uname().machine != "x86_64": raise Held("this processor has no such call")
return call_number(0x40000000 | CALLS["getpid"][0])`, ""},
	{"make a call of 32 bits", `
if os.uname().machine != "x86_64": raise Held("this processor has no such call")
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov $20, %eax; int $0x80; ret: getpid
pid = os.fork()  # it may crash
if pid == 0:
    try: got = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
    finally: os._exit(got == os.getpid())
status = os.waitpid(pid, 0)[1]
if os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0: raise Held("no answer")
return "an answer"`, ""},
	{"type into a terminal", `
import fcntl
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
def push(fd, how):
    try: return fcntl.ioctl(fd, how, b"x")
    except OSError as e: raise Held("no terminal") if e.errno in (errno.ENOTTY, errno.EINVAL) else e
return each(lambda fd=int(fd), how=how: push(fd, how) for fd in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + fd)
            for how in (TIOCSTI, TIOCLINUX))`, ""},
}

const (
	innerHandles    = "there are no handles"
	innerObjects    = "the object is in the inner kernel, whose memory is the sandbox's"
	innerProcesses  = "the processes are the sandbox's own, in the inner kernel"
	innerNamespaces = "a namespace of the inner kernel holds nothing of the host's"
	innerText       = "the text is made up by the inner kernel"
)

// namespaceProbes: ways into namespaces and around the root.
var namespaceProbes = []probe{
	unshare("mount", "0x20000"),
	unshare("cgroup", "0x02000000"),
	unshare("host name", "0x04000000"),
	unshare("IPC", "0x08000000"),
	unshare("user", "0x10000000"),
	unshare("process", "0x20000000"),
	unshare("network", "0x40000000"),
	unshare("time", "0x80"),
	{"start a process in new namespaces by clone", `
def start(flags):
    pid = call("clone", flags | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0: os._exit(0)
    return pid
return each(lambda flags=flags: start(flags) for flags in (0x10000000, 0x10020000, 0x40000000, 0x20000000, 0x20000))`, innerNamespaces},
	{"start a process in new namespaces by clone3", `
def start(flags):
    pid = call("clone3", room(struct.pack("QQQQQ", flags, 0, 0, 0, signal.SIGCHLD), 88), 88)
    if pid == 0: os._exit(0)
    return pid
return each(lambda flags=flags: start(flags) for flags in (0x10000000, 0x10020000, 0x40000000, 0x20000000, 0x20000))`, innerNamespaces},
	{"enter a namespace", `
paths = [f"/proc/{pid}/ns/{name}" for pid in (1, "self") for name in ("mnt", "net", "pid", "ipc", "uts", "cgroup", "time")]
return each(lambda path=path: call("setns", os.open(path, os.O_RDONLY), 0) for path in paths)`, innerNamespaces},
	{"mount a file system", `
return each(lambda kind=kind: call("mount", b"none", b"/tmp", kind, 0, 0) for kind in (b"tmpfs", b"proc", b"sysfs", b"cgroup", b"cgroup2", b"overlay"))`, ""},
	{"mount a directory again, to write", `
return each(lambda flags=flags: call("mount", *[b"/"] * 2, 0, flags, 0) for flags in (0x20, 0x1020, 0x1000, 0x44000))`, ""},
	{"mount by the new calls", `
return each([lambda: call("fsopen", b"tmpfs", 0), lambda: call("open_tree", -100, b"/", 1), lambda: call("fspick", -100, b"/", 0),
             lambda: call("mount_setattr", -100, b"/", 0, room(b"", 32), 32)])`, ""},
	{"unmount", `return each(lambda path=path: call("umount2", path, 2) for path in (b"/tmp", b"/proc", b"/dev", b"/sys"))`, ""},
	{"change the root", `return each([lambda: call("chroot", b"/tmp"), lambda: call("pivot_root", b"/", b"/tmp")])`, ""},
	{"list mounts by a call", `return call("listmount", room(struct.pack("IIQQ", 24, 0, 0xffffffffffffffff, 0)), room(b"", 800), 100, 0)`, ""},
}

// unshare tries to leave a namespace, alone and with a user namespace.
func unshare(name, flag string) probe {
	return probe{"leave the " + name + " namespace", `
CLONE_NEWUSER = 0x10000000
return each(lambda flags=flags: call("unshare", flags) for flags in (` + flag + `, CLONE_NEWUSER | ` + flag + `))`, innerNamespaces}
}
