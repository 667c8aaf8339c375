package sandboxtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// meters are what this host has, and what the processes of sandboxes use of it.
type meters struct {
	kernel   int64 // bytes of the kernel that it cannot give back, whoever asked for them
	sockets  int64 // bytes in the buffers of all network sockets
	charged  int64 // bytes that control groups count for the sandboxes' processes
	resident int64 // bytes of those of them that no control group counts
	tasks    int   // their threads
	files    int   // open files of the whole host
	ticks    int64 // hundredths of a second of processor time that they have used
}

// total is the memory that sandboxes cost. Some of the kernel's is in it twice where
// control groups count it, as they should.
func (m meters) total() int64 { return m.kernel + m.sockets + m.charged + m.resident }

// uncounted is the kernel's memory that control groups do not count.
func (m meters) uncounted() int64 { return m.kernel + m.sockets - m.charged }

// since is what has been added to an earlier reading.
func (m meters) since(before meters) meters {
	return meters{
		kernel: m.kernel - before.kernel, sockets: m.sockets - before.sockets, resident: m.resident - before.resident,
		charged: m.charged - before.charged, tasks: m.tasks - before.tasks, files: m.files - before.files, ticks: m.ticks - before.ticks,
	}
}

// most is the higher of each pair of readings.
func (m meters) most(o meters) meters {
	return meters{
		kernel: max(m.kernel, o.kernel), sockets: max(m.sockets, o.sockets), resident: max(m.resident, o.resident),
		charged: max(m.charged, o.charged), tasks: max(m.tasks, o.tasks), files: max(m.files, o.files), ticks: max(m.ticks, o.ticks),
	}
}

func (m meters) String() string {
	return fmt.Sprintf("%d MiB (kernel %d, sockets %d, control groups %d, processes %d), %d threads, %d files",
		m.total()>>20, m.kernel>>20, m.sockets>>20, m.charged>>20, m.resident>>20, m.tasks, m.files)
}

// readMeters reads all meters, for the processes below these roots. What ends
// meanwhile counts as gone.
func readMeters(roots []int) meters {
	var m meters
	for _, field := range []string{"SUnreclaim:", "PageTables:", "KernelStack:", "Percpu:", "VmallocUsed:"} {
		m.kernel += number("/proc/meminfo", field, 1) << 10
	}
	for _, protocol := range []string{"TCP:", "UDP:"} {
		m.sockets += after("/proc/net/sockstat", protocol, "mem") * int64(os.Getpagesize())
	}
	m.files = int(number("/proc/sys/fs/file-nr", "", 0))
	groups := map[string]bool{}
	for _, pid := range tree(roots) {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		if stat := fields(dir + "/stat"); len(stat) > 17 { // proc_pid_stat(5), from the third on
			m.tasks += int(integer(stat[17]))
			for _, time := range stat[11:15] { // its own and its dead children's
				m.ticks += integer(time)
			}
		}
		if group := memoryGroup(dir); group != "" {
			groups[group] = true
		} else {
			m.resident += number(dir+"/smaps_rollup", "Pss:", 1) << 10
		}
	}
	for dir := range groups {
		m.charged += number(dir+"/memory.current", "", 0) + number(dir+"/memory.usage_in_bytes", "", 0)
	}
	return m
}

// tree is the roots and every process below them, each once.
func tree(roots []int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, path := range stats {
		if stat := fields(path); len(stat) > 1 {
			parent := int(integer(stat[1]))
			children[parent] = append(children[parent], int(integer(filepath.Base(filepath.Dir(path)))))
		}
	}
	all := slices.Compact(slices.Sorted(slices.Values(roots))) // two drivers may name the same
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// fields are the fields of a stat file that follow the name, which may hold
// anything.
func fields(path string) []string {
	text, _ := os.ReadFile(path) // empty when it has ended
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

// identities are the processes below the roots, each with the time it started, so
// that its number is not mistaken for another's.
func identities(roots []int) map[int]string {
	all := map[int]string{}
	for _, pid := range tree(roots) {
		if stat := fields(filepath.Join("/proc", strconv.Itoa(pid), "stat")); len(stat) > 19 {
			all[pid] = stat[19]
		}
	}
	return all
}

// stillThere counts the processes that have not ended.
func stillThere(processes map[int]string) (n int) {
	for pid, started := range processes {
		if stat := fields(filepath.Join("/proc", strconv.Itoa(pid), "stat")); len(stat) > 19 && stat[19] == started {
			n++
		}
	}
	return n
}

// memoryGroup is the directory of the control group that counts a process's
// memory, of either version, or "" where that is the whole host's.
func memoryGroup(dir string) string {
	text, _ := os.ReadFile(dir + "/cgroup") // empty when it has ended
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 || parts[2] == "/" {
			continue
		}
		switch {
		case parts[1] == "memory":
			return "/sys/fs/cgroup/memory" + parts[2]
		case parts[0] == "0" && number("/sys/fs/cgroup"+parts[2]+"/memory.current", "", 0) > 0:
			return "/sys/fs/cgroup" + parts[2]
		}
	}
	return ""
}

// number is the nth field of the first line that begins with a word, or 0.
func number(path, word string, n int) int64 {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); strings.HasPrefix(line, word) && len(f) > n {
			return integer(f[n])
		}
	}
	return 0
}

// after is the number that follows a name in the line that begins with a word.
func after(path, word, name string) int64 {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); strings.HasPrefix(line, word) {
			if i := slices.Index(f, name); i >= 0 && i+1 < len(f) {
				return integer(f[i+1])
			}
		}
	}
	return 0
}

func integer(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// measurable says why this host cannot be measured, or nil.
func measurable(roots []int) error {
	if os.Geteuid() != 0 {
		return errors.New("it needs root")
	}
	if readMeters(roots).tasks == 0 {
		return errors.New("the sandboxes' processes are not on this host")
	}
	return nil
}

// alone waits until no other process measures this host, and keeps the next one
// waiting until release.
func alone() (release func(), err error) {
	dir, err := os.Open(os.TempDir())
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return func() { dir.Close() }, nil
}

// nobody is the user of the host that owns nothing and that others use too.
const nobody = 65534

// inotifyWorks reports whether a process of the host's nobody can watch files.
func inotifyWorks() error {
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with its new user
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, nobody, nobody, nobody); errno != 0 {
			failed <- errno
			return
		}
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err == nil {
			err = unix.Close(fd)
		}
		failed <- err
	}()
	return <-failed
}

// hypervisorPortFree reports whether a port of the host's vsock space is free.
// Where the host has no such sockets there is nothing to take.
func hypervisorPortFree(port uint32) error {
	fd, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if errors.Is(err, unix.EAFNOSUPPORT) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(unix.Bind(fd, &unix.SockaddrVM{CID: unix.VMADDR_CID_ANY, Port: port}), unix.Close(fd))
}
