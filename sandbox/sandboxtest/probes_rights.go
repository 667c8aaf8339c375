package sandboxtest

// rightsProbes: ways to be somebody else, or to be preferred.
var rightsProbes = []probe{
	{"become root", `
return each([lambda: os.setuid(0) or "setuid", lambda: os.setresuid(0, 0, 0) or "setresuid", lambda: os.seteuid(0) or "seteuid",
             lambda: os.setreuid(0, 0) or "setreuid"])`, ""},
	{"become another user", `return each(lambda uid=uid: os.setresuid(uid, uid, uid) or uid for uid in (1, 1000, 65533, 200000))`, ""},
	{"become root's group", `return each([lambda: os.setgid(0) or "setgid", lambda: os.setresgid(0, 0, 0) or "setresgid"])`, ""},
	{"join other groups", `return each(lambda ids=ids: os.setgroups(ids) or ids for ids in ([0], [], [4, 27, 998]))`, ""},
	{"touch files as root", `
call("setfsuid", 0)
if call("setfsuid", -1) != 0: raise Held("refused")
return "root's files"`, ""},
	{"take capabilities", `
header = room(struct.pack("Ii", 0x20080522, 0))
return call("capset", header, room(struct.pack("6I", *[0xffffffff] * 2, 0, *[0xffffffff] * 2, 0)))`, ""},
	{"keep capabilities for programs", `
PR_CAP_AMBIENT, RAISE = 47, 2
return each(lambda cap=cap: call("prctl", PR_CAP_AMBIENT, RAISE, cap, 0, 0) for cap in (0, 12, 21))`, ""},
	{"change the security bits", `return call("prctl", 28, 0x2f, 0, 0, 0)`, ""},
	{"take no_new_privs back", `
try: call("prctl", 38, 0, 0, 0, 0)
except OSError: pass
if call("prctl", 39, 0, 0, 0, 0) == 1: raise Held("it is set")
return "it is not set"`, ""},
	{"give a file away", `
open("/tmp/own", "w").close()
return each(lambda uid=uid: os.chown("/tmp/own", uid, -1) or uid for uid in (0, 1))`, ""},
	{"give a file capabilities", `
open("/tmp/capable", "w").close()
return each(lambda name=name: os.setxattr("/tmp/capable", name, b"\1\0\0\2" + b"\xff" * 16) or name
            for name in ("security.capability", "trusted.overlay.opaque"))`, "there are no such attributes"},
	{"map the users of a namespace", `
return each(lambda name=name: os.write(os.open("/proc/self/" + name, os.O_WRONLY), b"0 0 4294967295") for name in ("uid_map", "gid_map", "projid_map"))`, ""},
	{"change where memory maps begin", `return call("prctl", 35, 1, 0x400000, 0, 0)`, ""},
	{"raise a limit", `
import resource
def raised(kind):
    soft, hard = resource.getrlimit(kind)
    if hard == resource.RLIM_INFINITY: raise Held("it is not limited")
    try: resource.setrlimit(kind, (soft, hard + 1))
    except ValueError: raise Held("refused")
    return kind
return each(lambda kind=kind: raised(kind) for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC, resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK,
            resource.RLIMIT_AS, resource.RLIMIT_NICE, resource.RLIMIT_RTPRIO))`, ""},
	{"be nicer than zero", `return each([lambda: os.setpriority(os.PRIO_PROCESS, 0, -5) or "setpriority", lambda: os.nice(-10)])`, innerPriorities},
	{"run in real time", `
return each([lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)) or "fifo",
             lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1)) or "rr",
             lambda: call("sched_setattr", 0, room(struct.pack("IIQiIQQQ", 48, 6, 0, 0, 0, 10**6, 10**7, 10**7)), 0)])`, innerPriorities},
	{"come first at the disk", `return call("ioprio_set", 1, 0, 1 << 13)`, ""},
	{"be spared when memory runs out", `
def spared(path, value):
    before = open(path).read()
    os.write(os.open(path, os.O_WRONLY), value)
    if open(path).read() == before: raise Held("ignored")
    return path
return each([lambda: spared("/proc/self/oom_score_adj", b"-1000"), lambda: spared("/proc/self/oom_score_adj", b"-1"), lambda: spared("/proc/self/oom_adj", b"-17")])`, ""},
	{"leave its control group", `
def move(path):
    os.write(os.open(path, os.O_WRONLY), b"%d" % os.getpid())
    return path
return each(lambda path=path: move(path) for path in below("/sys/fs/cgroup") if path.endswith(("cgroup.procs", "/tasks")))`, ""},
	{"lock much memory", `
memory = mmap.mmap(-1, 64 << 20)
at = ctypes.addressof(ctypes.c_char.from_buffer(memory))
if libc.mlock(ctypes.c_void_p(at), ctypes.c_size_t(64 << 20)): raise Held(errno.errorcode[ctypes.get_errno()])
return "64 MiB"`, ""},
	{"read the environment of the first process", `
def others(path):
    data = open(path, "rb").read(4096)
    if not data or b"PATH=" in data and b"HOME=/tmp" in data: raise Held("the sandbox's own")
    return data
return each(lambda path=path: others(path) for path in ("/proc/1/environ", "/proc/1/task/1/environ"))`, ""},
	{"see a process of the host", `
pids = [int(pid) for pid in os.listdir("/proc") if pid.isdigit()]
strange = [pid for pid in pids if pid > 2000]
if not strange: raise Held("none")
return strange`, ""},
	{"signal every process there is", `
# Signal 0 only asks whether one may.
def ask(pid):
    os.kill(pid, 0)
    if not os.path.exists(f"/proc/{pid}"): return pid
    raise Held("the sandbox's own")
def absent(pid):
    try: return ask(pid)
    except ProcessLookupError: raise Held("no such process")
return each(lambda pid=pid: absent(pid) for pid in range(1, 5000))`, ""},
}

const innerPriorities = "priorities of the inner kernel are none of the host's"
