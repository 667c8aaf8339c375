package keep

import (
	"os"
	"strconv"
	"strings"
)

// Below lists every process below one, each with the time it started, which tells
// it from a later one of the same number.
func Below(root int) map[int]string {
	found := map[int]string{}
	children := map[int][]int{}
	times := map[int]string{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return found
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if s, ok := Stat(pid); ok {
			children[s.Parent] = append(children[s.Parent], pid)
			times[pid] = s.Started
		}
	}
	for queue := children[root]; len(queue) > 0; queue = queue[1:] {
		if _, known := found[queue[0]]; !known {
			found[queue[0]] = times[queue[0]]
			queue = append(queue, children[queue[0]]...)
		}
	}
	return found
}

// Status is what /proc says of a process.
type Status struct {
	Parent  int
	Started string
	Dead    bool // not yet reaped by its parent, but dead
}

// Stat reads /proc/PID/stat, proc(5).
func Stat(pid int) (Status, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Status{}, false
	}
	// The command in parentheses may hold anything, spaces and parentheses too.
	s := string(b)
	f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	if len(f) < 20 {
		return Status{}, false
	}
	parent, err := strconv.Atoi(f[1])
	return Status{Parent: parent, Started: f[19], Dead: f[0] == "Z" || f[0] == "X"}, err == nil
}
