package protocol

import (
	"io"
	"runtime"
	"sync"
)

// maxWaiting bounds the bytes that wait in a Writer, the last line not
// counted.
const maxWaiting = 256 << 10

// maxSpare bounds the buffer that is kept between writes, so that one large
// result does not hold its memory for the rest of the run.
const maxSpare = 1 << 20

// Writer writes lines to a sandbox from any number of goroutines. Lines that
// come while a write is under way leave together in the next one. Memory is
// bounded: a sender waits once maxWaiting bytes do.
type Writer struct {
	w io.Writer

	mu      sync.Mutex
	changed *sync.Cond // waiting, writing or err changed
	waiting []byte     // lines to write
	spare   []byte     // the buffer of the last write
	writing bool       // a goroutine is writing
	err     error      // of the first write that failed; nothing is written after it
}

// NewWriter returns a Writer on w.
func NewWriter(w io.Writer) *Writer {
	wr := &Writer{w: w}
	wr.changed = sync.NewCond(&wr.mu)
	return wr
}

// Send writes the line or lines that appendLine appends to the buffer it is
// given. appendLine runs once, when there is room, and under the Writer's
// lock: it must be quick and not call the Writer. It also says whether more
// lines may come at once from other goroutines, for which Send then waits a
// moment. Send returns when the bytes are written, or when another goroutine is
// going to write them; an error is that of the first write that failed, and
// appendLine may then not have run.
func (w *Writer) Send(appendLine func(dst []byte) (line []byte, more bool)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.err == nil && len(w.waiting) > maxWaiting {
		w.changed.Wait()
	}
	if w.err != nil {
		return w.err
	}
	var more bool
	if w.waiting, more = appendLine(w.waiting); w.writing {
		return nil
	}
	w.writing = true
	if more {
		w.gather()
	}
	for w.err == nil && len(w.waiting) > 0 {
		w.write()
	}
	w.writing = false
	w.changed.Broadcast()
	return w.err
}

// gather gives goroutines that are about to send the chance to have their
// lines leave in the same write: answers to calls of one gather often come
// together.
func (w *Writer) gather() {
	w.mu.Unlock()
	runtime.Gosched()
	w.mu.Lock()
}

// write writes what waits, with the lock given up meanwhile.
func (w *Writer) write() {
	batch := w.waiting
	w.waiting = w.spare[:0]
	w.changed.Broadcast()
	w.mu.Unlock()
	_, err := w.w.Write(batch)
	w.mu.Lock()
	if w.spare = batch[:0]; cap(batch) > maxSpare {
		w.spare = nil
	}
	w.err = err
}
