package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// ownDescriptors keeps what the client happened to have open when it started us
// from reaching the wrapped servers and the sandboxes.
func ownDescriptors() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return // then they get what a server started by the client itself would
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
