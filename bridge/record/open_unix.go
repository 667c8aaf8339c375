//go:build unix

package record

import (
	"os"
	"syscall"
)

// openAppend does not follow a link at the end of path, and does not wait for
// the other end of a pipe.
func openAppend(path string) (*os.File, error) {
	const flags = os.O_RDWR | os.O_APPEND | os.O_CREATE | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	return os.OpenFile(path, flags, 0o600)
}
