package sandboxtest

import "strconv"

// fileProbes: what files tell about the host, or change in it.
var fileProbes = []probe{
	reads("read the command line of the host's kernel", "/proc/cmdline").inner(innerText),
	reads("read the configuration of the host's kernel", "/proc/config.gz", "/boot", "/lib/modules"),
	reads("read the addresses of the host's kernel", "/proc/kallsyms"),
	reads("read the memory of the host", "/proc/kcore", "/dev/mem", "/dev/kmem", "/dev/port"),
	reads("read the log of the host's kernel", "/proc/kmsg", "/dev/kmsg"),
	reads("read the interrupts of the host", "/proc/interrupts", "/proc/softirqs", "/proc/irq"),
	reads("read the partitions of the host", "/proc/partitions", "/proc/diskstats", "/proc/swaps"),
	reads("read the memory map of the host", "/proc/iomem", "/proc/ioports", "/proc/dma", "/proc/mtrr"),
	reads("read the modules of the host", "/proc/modules"),
	reads("read the parameters of modules", "/sys/module"),
	reads("read the boot's identity", "/proc/sys/kernel/random/boot_id").inner(innerText),
	reads("read the identity of the machine", "/etc/machine-id", "/var/lib/dbus/machine-id", "/sys/class/dmi/id", "/sys/devices/virtual/dmi/id", "/proc/device-tree"),
	reads("read the timers of the host", "/proc/timer_list", "/proc/timer_stats"),
	reads("read the scheduler's state", "/proc/sched_debug", "/proc/schedstat", "/proc/latency_stats"),
	reads("read the keys of the host", "/proc/keys", "/proc/key-users"),
	reads("read the slabs of the host", "/proc/slabinfo", "/proc/vmallocinfo", "/proc/buddyinfo", "/proc/pagetypeinfo", "/proc/zoneinfo"),
	reads("read the pages of the host", "/proc/kpagecount", "/proc/kpageflags", "/proc/kpagecgroup"),
	reads("read the file systems and disks of the host", "/proc/fs", "/proc/mdstat", "/proc/scsi", "/sys/block", "/sys/fs/ext4", "/sys/fs/xfs", "/sys/dev"),
	reads("read the buses of the host", "/proc/bus", "/proc/acpi", "/proc/asound", "/proc/driver", "/sys/bus"),
	reads("read the firmware of the host", "/sys/firmware", "/sys/kernel/boot_params"),
	reads("read the kernel's own directory", "/sys/kernel", "/sys/hypervisor", "/sys/power"),
	reads("read the devices of the host", "/sys/class", "/sys/devices"),
	reads("read the kernel's debugging files", "/sys/kernel/debug", "/sys/kernel/tracing", "/proc/dynamic_debug"),
	reads("read the locks of the host", "/proc/locks").inner(innerText),
	{"read the paths of the host in the mounts", `
# An engine mounts these by itself, and names where it keeps them.
ENGINE = {"/", "/etc/hostname", "/etc/hosts", "/etc/resolv.conf"}
lines = [line for line in open("/proc/self/mountinfo") if line.split()[4] not in ENGINE]
told = [line for line in lines if any(word in line for word in ("lowerdir=", "upperdir=", "/var/lib/", "/containers/", "/docker/", "/home/"))]
if not told: raise Held("none")
return told`, ""},
	{"learn the container's place in the control groups", `
told = [line for line in open("/proc/self/cgroup") if line.strip().split(":")[2] != "/"]
if not told: raise Held("none")
return told`, ""},
	{"press a key of the kernel", `return write("/proc/sysrq-trigger")`, ""},
	{"write to a setting of the kernel", `return write(*below("/proc/sys"))`, ""},
	{"write to a file of the system", `return write(*below("/sys/kernel", "/sys/module", "/sys/fs", "/sys/class", "/sys/power", "/sys/bus"))`, ""},
	{"write to a control group", `return write(*below("/sys/fs/cgroup"))`, ""},
	{"have a program run when a control group ends", `
return each([lambda: write(*(path for path in below("/sys/fs/cgroup") if path.endswith("release_agent"))),
             lambda: call("mount", b"cgroup", b"/tmp", b"cgroup", 0, b"rdma")])`, ""},
	{"choose the handler of crashes", `return write("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hotplug", "/sys/kernel/uevent_helper")`, ""},
	{"register a kind of program", `return write("/proc/sys/fs/binfmt_misc/register", "/proc/sys/fs/binfmt_misc/status")`, ""},
	{"write to the firmware", `return write(*below("/sys/firmware"))`, ""},
	{"open a device of the host", `
PLAIN = {(1, 3), (1, 5), (1, 7), (1, 8), (1, 9), (5, 0), (5, 2)}  # null, zero, full, random, urandom, tty, ptmx
import stat
def strange(path):
    st = os.stat(path)
    if not stat.S_ISCHR(st.st_mode) and not stat.S_ISBLK(st.st_mode): raise Held("no device")
    number = os.major(st.st_rdev), os.minor(st.st_rdev)
    if number in PLAIN or number[0] in (0, 136): raise Held("a plain device")
    os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    return path, number
return each(lambda path=path: strange(path) for path in below("/dev"))`, "the device is emulated"},
	{"make a device", `
import stat
return each(lambda kind=kind, number=number: os.mknod("/tmp/device", kind | 0o600, number) or kind
            for kind, number in ((stat.S_IFBLK, os.makedev(8, 0)), (stat.S_IFCHR, os.makedev(1, 1)), (stat.S_IFCHR, os.makedev(10, 232))))`, ""},
	{"talk to the engine", `
def talk(path):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    return path
return each(lambda path=path: talk(path) for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock",
            "/run/containerd/containerd.sock", "/run/crio/crio.sock", "/run/systemd/private", "/run/dbus/system_bus_socket"))`, ""},
	{"find a root of the host", `
here = os.stat("/")
def other(path):
    there = os.stat(path)
    if there.st_dev in (here.st_dev, os.stat("/tmp").st_dev): raise Held("its own root")
    return path
return each(lambda path=path: other(path) for pid in os.listdir("/proc") if pid.isdigit() for path in (f"/proc/{pid}/root", f"/proc/{pid}/cwd"))`, ""},
	{"find a directory of the host by a descriptor", `
import stat
def outside(fd):
    if not stat.S_ISDIR(os.fstat(fd).st_mode): raise Held("no directory")
    return os.readlink(f"/proc/self/fd/{fd}")
return each(lambda fd=fd: outside(fd) for fd in range(64) if os.path.exists(f"/proc/self/fd/{fd}") and not os.readlink(f"/proc/self/fd/{fd}").startswith("/proc"))`, ""},
	{"overwrite the program that started it", `
return each([lambda: write("/proc/self/exe"), lambda: write("/proc/1/exe"), lambda: write(sys.executable)])`, ""},
	{"follow a link out of the sandbox", `
for link, target in (("a", "/../../../../etc/shadow"), ("b", "/proc/1/cwd/../../root/.ssh"), ("c", "/proc/self/root/../../var/lib")):
    if not os.path.lexists("/tmp/" + link): os.symlink(target, "/tmp/" + link)
try: return read("/tmp/a", "/tmp/b", "/tmp/c")
finally:
    for link in "abc": os.unlink("/tmp/" + link)`, ""},
}

// reads tries to read files, or the names in directories.
func reads(name string, paths ...string) probe {
	code := "return read("
	for _, path := range paths {
		code += strconv.Quote(path) + ", "
	}
	return probe{name: name, code: code + ")"}
}
