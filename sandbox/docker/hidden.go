package docker

import (
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// A hidden path is one that the engine covers with nothing: an empty file, or
// an empty directory that cannot be written to.
type hidden struct {
	path string
	why  string // what it shows, or does
}

// hiddenPaths are everything of the host in /proc, /sys and /dev. What stays in
// /proc are the processes of the sandbox, the paths below them (net, mounts), and
// readOnlyPaths. A kernel does not have all of these paths; the others are ignored.
//
// Nothing in the standard library needs one of them. A C library that does not find the
// number of processors there asks the kernel.
//
// The paths that tell most about the host come first, because some runtimes can hide
// only the first part of the list.
var hiddenPaths = []hidden{
	{"/sys", "devices, drivers, modules, firmware, control groups: all that the kernel knows of the machine"},
	{"/dev/pts", "terminals, of which the host has so many, and whose buffers are charged to nobody"},
	{"/proc/sys", "every setting of the host's kernel, and its boot id"},

	// How the host's kernel was built and started, and where it lies.
	{"/proc/cmdline", "parameters of the kernel"},
	{"/proc/config.gz", "how the kernel was built"},
	{"/proc/kallsyms", "symbols of the kernel"},
	{"/proc/kcore", "the memory of the host"},
	{"/proc/modules", "modules the kernel has loaded"},

	// What the host and its other programs do, which is also a way to watch them.
	{"/proc/interrupts", "what every device does, keyboards included"},
	{"/proc/stat", "what every processor does, and every interrupt"},
	{"/proc/keys", "keys of the user's on the host"},
	{"/proc/key-users", "keys of every user of the host"},
	{"/proc/locks", "locked files of the host"},
	{"/proc/diskstats", "use of the host's disks"},
	{"/proc/meminfo", "memory of the host"},
	{"/proc/vmstat", "memory of the host"},
	{"/proc/zoneinfo", "memory of the host"},
	{"/proc/buddyinfo", "memory of the host"},
	{"/proc/loadavg", "load and number of processes of the host"},
	{"/proc/uptime", "how long the host runs, and how long it was idle"},
	{"/proc/pressure", "how busy the host is"},
	{"/proc/softirqs", "what every processor does"},
	{"/proc/schedstat", "what every processor does"},
	{"/proc/timer_list", "timers of every process"},
	{"/proc/sched_debug", "processes of the host"},

	// Devices.
	{"/proc/cpuinfo", "model, microcode and current frequency of the processors"},
	{"/proc/partitions", "disks"},
	{"/proc/scsi", "disks, and a way to remove them"},
	{"/proc/acpi", "devices, and a way to wake and sleep the host"},
	{"/proc/bus", "devices on every bus"},
	{"/proc/driver", "what drivers say, such as those of graphics cards"},
	{"/proc/fs", "file systems of the host: their disks and journals"},
	{"/proc/irq", "interrupts, and which processor takes them"},
	{"/proc/tty", "terminals, and their drivers"},

	// These tell less, are rarer, or are shown to root alone.
	{"/proc/allocinfo", "memory of the kernel, by where it was allocated"},
	{"/proc/asound", "sound cards"},
	{"/proc/bootconfig", "parameters of the kernel"},
	{"/proc/cgroups", "how many control groups there are on the host"},
	{"/proc/consoles", "consoles of the host"},
	{"/proc/cpu", "alignment faults of ARM processors"},
	{"/proc/crypto", "ciphers the kernel has loaded"},
	{"/proc/device-tree", "the machine, as firmware describes it"},
	{"/proc/devices", "drivers of devices"},
	{"/proc/dma", "channels in use"},
	{"/proc/dynamic_debug", "messages in the kernel's source"},
	{"/proc/execdomains", "the kernel's execution domains"},
	{"/proc/fb", "frame buffers"},
	{"/proc/filesystems", "file systems the kernel has loaded"},
	{"/proc/iomem", "where memory and devices lie"},
	{"/proc/ioports", "where ports of devices lie"},
	{"/proc/kmsg", "messages of the kernel"},
	{"/proc/kpagecgroup", "which page belongs to whom"},
	{"/proc/kpagecount", "which page is shared"},
	{"/proc/kpageflags", "which page is what"},
	{"/proc/latency_stats", "what programs wait for"},
	{"/proc/lock_stat", "locks of the kernel"},
	{"/proc/lockdep", "locks of the kernel"},
	{"/proc/lockdep_chains", "locks of the kernel"},
	{"/proc/lockdep_stats", "locks of the kernel"},
	{"/proc/mdstat", "disks in arrays"},
	{"/proc/misc", "drivers of devices"},
	{"/proc/mpt", "disks"},
	{"/proc/mtd", "flash memory"},
	{"/proc/mtrr", "how ranges of memory are cached"},
	{"/proc/page_owner", "which page belongs to whom"},
	{"/proc/pagetypeinfo", "memory of the host"},
	{"/proc/pmu", "batteries"},
	{"/proc/profile", "what the kernel does"},
	{"/proc/rtas", "firmware"},
	{"/proc/slab_allocators", "memory of the kernel"},
	{"/proc/slabinfo", "memory of the kernel"},
	{"/proc/spl", "the ZFS modules"},
	{"/proc/swaps", "swap space of the host"},
	{"/proc/sysvipc", "objects shared between processes"},
	{"/proc/timer_stats", "timers of every process"},
	{"/proc/version", "who built the kernel; os.uname says which it is"},
	{"/proc/version_signature", "the same, of Ubuntu"},
	{"/proc/vmallocinfo", "what the kernel has allocated where"},
	{"/proc/vmcore", "the memory of a kernel that crashed"},
	{"/proc/xen", "the hypervisor"},
}

// readOnlyPaths can be read. A hidden file can be opened for writing, without any
// effect; these files must refuse to be opened for writing.
var readOnlyPaths = []string{"/proc/sysrq-trigger"}

// crunDescriptors is how many of a container's descriptors crun needs for other
// things than paths it hides. It keeps one open for each of these until the
// container starts, and they count towards the container's own limit.
const crunDescriptors = 30

// crunFiles is the least number of open files with crun. The paths that tell most about the
// host come first in the list, and with fewer descriptors not even those were hidden.
const crunFiles = 64

// checkFiles refuses a limit of open files that would leave paths visible that are hidden
// otherwise.
func checkFiles(crun bool, files int) error {
	if crun && files < crunFiles {
		return &sandbox.OptionError{Option: "Limits.Files", Reason: fmt.Sprintf("crun needs %d to hide the host's paths; give that many, or take another runtime", crunFiles)}
	}
	return nil
}

// maskedPaths are the paths to hide in a container that may have this many open files.
func maskedPaths(crun bool, files int) []string {
	list := hiddenPaths
	if crun {
		list = list[:max(0, min(len(list), files-crunDescriptors))]
	}
	paths := make([]string, len(list))
	for i, h := range list {
		paths[i] = h.path
	}
	return paths
}
