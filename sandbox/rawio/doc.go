// Package rawio reads and writes pipes and sockets past Go's scheduler.
//
// Before each system call of an os.File or a net.Conn, Go's runtime prepares for a call that
// blocks: it marks the processor as one that may be taken away and, in a program that was idle,
// wakes the thread that would take it. This was a tenth of the time of a tool call between a
// sandbox and a server. A descriptor that never waits for data or room does not need it. The only
// wait left is for the other side while it copies its own memory to or from the same pipe. On
// other systems than Linux, and for descriptors that may block, the file's own methods are used.
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
