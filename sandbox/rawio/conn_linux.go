package rawio

import (
	"io"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// pipeBuf is how many bytes a pipe takes whole or not at all (pipe(7), PIPE_BUF).
const pipeBuf = 4096

// Conn reads and writes a file. One goroutine may read while another writes. Closing the file
// and its deadlines end both.
type Conn struct {
	file    File
	raw     syscall.RawConn // nil where the file may block
	in, out transfer
}

// transfer is a system call that can be made again, without a closure of its own each time.
type transfer struct {
	number uintptr
	p      []byte
	n      int
	errno  syscall.Errno
	wait   func(fd uintptr) bool // makes the call; false to wait for the descriptor
}

// New returns a Conn on f, whose Fd method may not be called from then on: it would make the
// file one that blocks.
func New(f File) *Conn {
	c := &Conn{file: f, in: transfer{number: syscall.SYS_READ}, out: transfer{number: syscall.SYS_WRITE}}
	if raw, err := f.SyscallConn(); err == nil && nonblocking(raw) {
		c.raw = raw
	}
	for _, k := range []*transfer{&c.in, &c.out} {
		k.wait = func(fd uintptr) bool {
			k.make(fd)
			return k.errno != syscall.EAGAIN
		}
	}
	return c
}

func nonblocking(raw syscall.RawConn) bool {
	var flags uintptr
	var errno syscall.Errno
	err := raw.Control(func(fd uintptr) { flags, _, errno = syscall.RawSyscall(syscall.SYS_FCNTL, fd, syscall.F_GETFL, 0) })
	return err == nil && errno == 0 && flags&syscall.O_NONBLOCK != 0
}

func (k *transfer) make(fd uintptr) {
	for {
		n, _, errno := syscall.RawSyscall(k.number, fd, uintptr(unsafe.Pointer(unsafe.SliceData(k.p))), uintptr(len(k.p)))
		if k.n, k.errno = int(n), errno; errno != syscall.EINTR {
			return
		}
	}
}

// Read reads as an os.File does.
func (c *Conn) Read(p []byte) (int, error) {
	if c.raw == nil || len(p) == 0 {
		return c.file.Read(p)
	}
	// Whoever was handed what the last read brought goes on now, not after a look that
	// mostly finds nothing yet.
	runtime.Gosched()
	c.in.p = p
	err := c.raw.Read(c.in.wait)
	c.in.p = nil
	switch {
	case err != nil:
		return 0, err
	case c.in.errno != 0:
		return 0, os.NewSyscallError("read", c.in.errno)
	case c.in.n == 0:
		return 0, io.EOF
	}
	return c.in.n, nil
}

// Write writes all of p, as an os.File does.
func (c *Conn) Write(p []byte) (int, error) {
	if c.raw == nil {
		return c.file.Write(p)
	}
	for written := 0; written < len(p); written += c.out.n {
		c.out.p = p[written:]
		err := c.raw.Write(c.out.wait)
		c.out.p = nil
		if err == nil && c.out.errno != 0 {
			err = os.NewSyscallError("write", c.out.errno)
		}
		if err != nil {
			return written, err
		}
	}
	return len(p), nil
}

// TryWrite writes all of p to a pipe if it can do so at once, and else nothing of it. It may no
// more be called beside a Write than another Write.
func (c *Conn) TryWrite(p []byte) bool {
	if c.raw == nil || len(p) == 0 || len(p) > pipeBuf {
		return false
	}
	c.out.p = p
	err := c.raw.Write(func(fd uintptr) bool {
		c.out.make(fd)
		return true // do not wait for room
	})
	c.out.p = nil
	return err == nil && c.out.errno == 0
}
