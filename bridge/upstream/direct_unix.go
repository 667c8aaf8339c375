//go:build unix

package upstream

import (
	"os"
	"syscall"
)

// pipeBuf is how many bytes a pipe takes whole or not at all: the least that PIPE_BUF may be
// (POSIX, limits.h and write).
const pipeBuf = 512

// writeNow writes a line to a pipe if that can be done without waiting, and reports whether.
func writeNow(pipe *os.File, line []byte) bool {
	if len(line) > pipeBuf {
		return false
	}
	conn, err := pipe.SyscallConn()
	if err != nil {
		return false
	}
	written := false
	err = conn.Write(func(fd uintptr) bool {
		n, err := syscall.Write(int(fd), line)
		written = err == nil && n == len(line)
		return true // do not wait for room
	})
	return err == nil && written
}
