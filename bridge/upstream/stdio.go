package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rawio"
)

const (
	// lineFrame is what a message may have besides the result of a call, in bytes.
	lineFrame = 64 << 10
	// keepLine is the largest line buffer that is kept for the next message.
	keepLine = 1 << 20
	// headLine and tailLine are what is kept of a line that is too long: enough to see
	// which call it answers.
	headLine, tailLine = 4 << 10, 512

	// maxBatch bounds the messages of one batch. A line could hold hundreds of thousands,
	// many more than there are calls in flight. The rest of a batch is skipped.
	maxBatch = 1000

	// queued bounds the messages that wait to be written; further callers wait.
	queued = 256
	// batchBytes is how much is gathered into one write.
	batchBytes = 64 << 10
	// flushTime is how long the last messages may take to be written at the end.
	flushTime = 200 * time.Millisecond
	// junkLogged is how many unusable lines of a server are logged.
	junkLogged = 10
)

var errBatch = fmt.Errorf("a batch of more than %d messages", maxBatch)

// stdio is the channel to a process: one message per line over its stdin and
// stdout, as MCP's stdio transport has it.
type stdio struct {
	proc *process
	log  *slog.Logger

	out     *rawio.Conn  // the process's stdin
	writing sync.Mutex   // held while something is written to it
	waiting atomic.Int64 // messages that are queued, or taken from the queue and not yet written
	queue   chan []byte
	stop    chan struct{} // closed by close: write what is queued, then end
	written chan struct{} // closed when the writer has ended and closed stdin
	once    sync.Once
	closed  chan struct{} // closed when nothing is left of the server

	// Only receive uses these.
	in      *bufio.Reader
	most    int // bytes of a line
	line    []byte
	size    int64       // of the last line, all of it
	backlog []*incoming // the rest of a batch
	junk    int
}

// newStdio starts a server. A message of more than most bytes is never held in memory.
func newStdio(c *Command, most int, log *slog.Logger) (*stdio, error) {
	p, err := start(c, log)
	if err != nil {
		return nil, err
	}
	s := &stdio{
		proc: p, log: log, out: rawio.New(p.stdin),
		queue: make(chan []byte, queued), stop: make(chan struct{}),
		written: make(chan struct{}), closed: make(chan struct{}),
		in: bufio.NewReaderSize(rawio.New(p.stdout), 64<<10), most: most,
	}
	go s.write()
	return s, nil
}

func (s *stdio) send(ctx context.Context, m *message) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	line := m.encode()
	if s.direct(line) {
		return nil
	}
	s.waiting.Add(1)
	select {
	case s.queue <- line:
		return nil
	case <-ctx.Done():
		s.waiting.Add(-1)
		return ctx.Err()
	case <-s.written:
		s.waiting.Add(-1)
		return fmt.Errorf("%w: it no longer reads its input", ErrUnavailable)
	}
}

func (s *stdio) post(m *message) {
	s.waiting.Add(1)
	select {
	case s.queue <- m.encode():
	default:
		s.waiting.Add(-1)
		s.log.Debug("message dropped: the server does not read its input", "method", m.method)
	}
}

// direct writes a line in the caller's goroutine, if no other line has to go first and
// the pipe has room. This saves waking the writer's goroutine.
func (s *stdio) direct(line []byte) bool {
	if !s.writing.TryLock() {
		return false
	}
	defer s.writing.Unlock()
	return s.waiting.Load() == 0 && s.out.TryWrite(line)
}

// write is the writer's goroutine. Messages that wait are written together.
func (s *stdio) write() {
	defer close(s.written)
	defer s.proc.stdin.Close()
	var buf []byte
	for {
		select {
		case line := <-s.queue:
			buf = append(buf[:0], line...)
		case <-s.stop:
			buf, _ = s.gather(buf[:0])
			_ = s.put(buf) // an error would reach no caller
			return
		}
		var more int64
		buf, more = s.gather(buf)
		if err := s.put(buf); err != nil {
			s.log.Debug("writing to the server ended", "error", err)
			s.proc.hangUp()
			return // the other messages stay unwritten: half a line may be written, and nothing may follow it
		}
		s.waiting.Add(-1 - more)
		if cap(buf) > keepLine {
			buf = nil
		}
	}
}

func (s *stdio) put(buf []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if len(buf) == 0 {
		return nil
	}
	_, err := s.out.Write(buf)
	return err
}

// gather appends the lines that are already waiting, and says how many those are.
func (s *stdio) gather(buf []byte) (_ []byte, lines int64) {
	for len(buf) < batchBytes {
		select {
		case line := <-s.queue:
			buf = append(buf, line...)
			lines++
		default:
			return buf, lines
		}
	}
	return buf, lines
}

func (s *stdio) receive() (*incoming, error) {
	for {
		if len(s.backlog) > 0 {
			m := s.backlog[0]
			s.backlog = s.backlog[1:]
			return m, nil
		}
		line, err := s.readLine()
		switch {
		case errors.Is(err, ErrTooLarge):
			if id := blame(line[:headLine], line[headLine:]); id != nil {
				return &incoming{id: bytes.Clone(id), err: &SizeError{s.size}}, nil
			}
			s.skip(line, err)
		case err != nil:
			return nil, s.proc.obituary()
		default:
			if m := s.read(line); m != nil {
				return m, nil
			}
		}
	}
}

// read makes a message of a line, or several of a batch (JSON-RPC batches were
// part of MCP 2025-03-26), which then wait in the backlog. Nil when there is none.
func (s *stdio) read(line []byte) *incoming {
	line = cleanse(bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\uFEFF"))))
	if len(line) == 0 {
		return nil
	}
	if line[0] != '[' {
		return s.message(line)
	}
	n := 0
	err := elements(line, func(val []byte) error {
		if n++; n > maxBatch {
			return errBatch
		}
		if m := s.message(val); m != nil {
			s.backlog = append(s.backlog, m)
		}
		return nil
	})
	if err != nil {
		s.skip(line, err)
	}
	return nil
}

// message reads one message and gives it memory of its own.
func (s *stdio) message(data []byte) *incoming {
	m, err := parse(data)
	if err != nil {
		id := blame(data, data[max(0, len(data)-tailLine):])
		if id == nil {
			s.skip(data, err)
			return nil
		}
		m = &incoming{id: id, err: fmt.Errorf("%w: %w", ErrBadAnswer, err)}
	}
	m.id, m.result = bytes.Clone(m.id), bytes.Clone(m.result)
	return m
}

// skip drops a line that is not a message. The line may hold private data, so the
// warning gives only its size.
func (s *stdio) skip(line []byte, err error) {
	s.junk++
	switch s.junk {
	case 1:
		s.log.Warn("the server prints lines that are not MCP messages; they are skipped", "bytes", len(line), "why", err)
	case junkLogged:
		s.log.Debug("more such lines are not logged")
	}
	if s.junk <= junkLogged {
		s.log.Debug("line skipped", "line", oneLine(string(line[:min(len(line), 400)]), 200))
	}
}

// readLine returns the next line without its end. A line that is too long comes as
// its first headLine and its last tailLine bytes, with ErrTooLarge.
func (s *stdio) readLine() ([]byte, error) {
	if cap(s.line) > keepLine {
		s.line = nil
	}
	s.line, s.size = s.line[:0], 0
	long := false
	for {
		chunk, err := s.in.ReadSlice('\n')
		s.size += int64(len(chunk))
		switch {
		case !long && err == nil && len(s.line) == 0:
			return chunk, nil // the usual case: one line, in one piece
		case !long:
			s.line = append(s.line, chunk...)
			if long = len(s.line) > s.most; long {
				s.line = append(bytes.Clone(s.line[:headLine]), s.line[len(s.line)-tailLine:]...)
			}
		default:
			rest := append(bytes.Clone(s.line[headLine:]), chunk...)
			s.line = append(s.line[:headLine], rest[len(rest)-tailLine:]...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && !long && len(s.line) > 0:
			return s.line, nil // a last line without its end
		case err != nil:
			return nil, err
		case long:
			return s.line, ErrTooLarge
		default:
			return s.line, nil
		}
	}
}

func (s *stdio) close() {
	s.once.Do(func() {
		defer close(s.closed)
		rest := s.proc.tree.descendants(s.proc) // now, while their parents still show that they are descendants
		// The last messages, usually cancellations, get a moment to go out.
		_ = s.proc.stdin.SetWriteDeadline(time.Now().Add(flushTime))
		close(s.stop)
		select {
		case <-s.written:
		case <-time.After(2 * flushTime): // for pipes without deadlines
		}
		s.proc.end(rest)
		<-s.written
	})
	<-s.closed
}
