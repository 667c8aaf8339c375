package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// now is the processor time that this thread has used.
func now() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return passed() // seccomp; every later call fails too
	}
	return time.Duration(t.Nano())
}
