package sandbox

import (
	"bytes"
	"math"
	"os"
	"strconv"
)

// availableMemory is how many bytes of memory can be used without taking them from
// others, 0 when unknown: what the kernel reckons for the machine, or what is left
// of the limit of the container this process is in, if that is less.
func availableMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	free := meminfo(text, "MemAvailable:")
	for _, files := range [...][2]string{
		{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
		{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
	} {
		if limit, used := number(files[0]), number(files[1]); limit >= 0 && used >= 0 {
			free = min(free, max(1, limit-used)) // 0 would be unknown
		}
	}
	return free
}

// meminfo is the value of a line of /proc/meminfo in bytes, 0 if it is not there.
func meminfo(text []byte, key string) int64 {
	for line := range bytes.Lines(text) {
		if fields := bytes.Fields(line); len(fields) == 3 && string(fields[0]) == key {
			kib, err := strconv.ParseInt(string(fields[1]), 10, 64)
			if err != nil || kib > math.MaxInt64/1024 {
				return 0
			}
			return kib * 1024
		}
	}
	return 0
}

// number is what a file holds; -1 if it holds none, as that of a limit that is not set.
func number(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return -1
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	if err != nil {
		return -1
	}
	return n
}
