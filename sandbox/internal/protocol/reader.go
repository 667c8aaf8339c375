package protocol

import (
	"bytes"
	"io"
)

// MaxLine is the longest line a runner may write where no larger arguments are
// allowed, in bytes, its newline not counted.
const MaxLine = 1 << 20

const firstBuffer = 16 << 10 // most sandboxes never need more

// Reader splits what comes out of a sandbox into lines and never holds more
// than one line and one read. It is not safe for concurrent use.
type Reader struct {
	r          io.Reader
	max        int // bytes of a line
	buf        []byte
	start, end int // what is read and not yet returned
	scanned    int // bytes of it known to hold no newline
}

// NewReader returns a Reader on r of lines of at most max bytes.
func NewReader(r io.Reader, max int) *Reader { return &Reader{r: r, max: max} }

// ReadLine returns the next line without its newline. It is valid until the
// next call. A line of more than the most it may have is an error that wraps
// ErrViolation, at the latest when that much of it has been read; whatever
// follows the last newline is dropped with the reader's error.
func (r *Reader) ReadLine() ([]byte, error) {
	for {
		pending := r.buf[r.start:r.end]
		if i := bytes.IndexByte(pending[r.scanned:], '\n'); i >= 0 {
			line := pending[:r.scanned+i]
			r.start += len(line) + 1
			r.scanned = 0
			if len(line) > r.max {
				return nil, violation("a line of more than %d bytes", r.max)
			}
			return line, nil
		}
		r.scanned = len(pending)
		if len(pending) > r.max {
			return nil, violation("a line of more than %d bytes", r.max)
		}
		r.makeRoom()
		n, err := r.r.Read(r.buf[r.end:])
		r.end += n
		if n == 0 && err != nil {
			return nil, err
		}
	}
}

// makeRoom makes sure that there is space to read into.
func (r *Reader) makeRoom() {
	if r.start > 0 {
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.buf) {
		size := min(max(2*len(r.buf), firstBuffer), r.max+firstBuffer)
		buf := make([]byte, size)
		copy(buf, r.buf[:r.end])
		r.buf = buf
	}
}
