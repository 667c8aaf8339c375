// Package rawio reads and writes pipes and sockets past Go's scheduler.
//
// Before each system call of an os.File or a net.Conn the runtime makes ready for a call that
// blocks: it notes the processor as one to take away and, in a program that was idle, wakes the
// thread that would do so. Of the time a tool call takes between a sandbox and a server that was
// a tenth. A descriptor that does not wait for data or room needs none of it. What may still be
// waited for is the other side, while it copies its own memory to or from the same pipe. Elsewhere
// than on Linux, and where a descriptor may block, the file's own methods are used.
package rawio

import (
	"io"
	"syscall"
)

// File is what both *os.File and *net.UnixConn are.
type File interface {
	io.ReadWriter
	syscall.Conn
}
