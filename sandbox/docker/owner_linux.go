package docker

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// hostIdentity names what process ids are unique in: one boot of one machine,
// and one process namespace of it.
var hostIdentity = sync.OnceValue(func() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	namespace, _ := os.Readlink("/proc/self/ns/pid")
	name, _ := os.Hostname()
	return digestOf([]byte(name + "\x00" + string(boot) + "\x00" + namespace))[:16]
})

// processStart reports whether the process is alive, and when it started, in
// ticks since boot; empty when that cannot be known.
func processStart(pid int) (start string, alive bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil { // gone, or hidden from us (hidepid)
		return "", !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	}
	// proc(5): the name, in parentheses, may hold anything; fields 3 and 22 are
	// the state and the start.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 20 {
		return "", true
	}
	if state := fields[0]; state == "Z" || state == "X" {
		return "", false
	}
	return fields[19], true
}
