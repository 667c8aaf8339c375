package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/mcp-code-mode/mcp-code-mode/internal/ourdir"
)

// ErrBufferFull is returned for a line that has no room among those that wait to be sent.
var ErrBufferFull = errors.New("the buffer of lines to be sent is full")

// A spool keeps on disk the lines that wait to be sent. It is a directory of files, each
// held (holdFile) by the process that writes it. What a process leaves behind when it
// ends is taken over by the next one.
type spool struct {
	dir string
	max int64 // bytes of all files of this process

	mu       sync.Mutex
	size     int64      // bytes of the files below
	segments []*segment // oldest first; lines go to the last one unless it is sealed
	wake     chan struct{}
}

// segment is one file of a spool.
type segment struct {
	file   *os.File
	size   int64 // of its whole lines
	sent   int64 // up to where it was sent
	sealed bool  // no more lines come
}

const (
	segmentSize = 1 << 20 // bytes of a file after which another one is begun
	spoolSuffix = ".jsonl"
)

func openSpool(dir string, most int64) (*spool, error) {
	if err := ourdir.Make(dir, 0o700); err != nil {
		return nil, err
	}
	s := &spool{dir: dir, max: most, wake: make(chan struct{}, 1)}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), spoolSuffix) && entry.Type().IsRegular() {
			if err := s.adopt(filepath.Join(dir, entry.Name())); err != nil {
				return nil, errors.Join(err, s.close())
			}
		}
	}
	s.poke()
	return s, nil
}

// adopt takes over a file that no process holds. A line that its process did not finish
// was never recorded, and is left out.
func (s *spool) adopt(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	there, err := os.Lstat(path)
	info, err2 := file.Stat()
	if holdFile(file) != nil || err != nil || err2 != nil || !os.SameFile(there, info) {
		return file.Close() // it is another's, or was just removed by another
	}
	size, err := endOfLines(file, info.Size())
	if err != nil {
		return errors.Join(err, file.Close())
	}
	s.segments = append(s.segments, &segment{file: file, size: size, sealed: true})
	s.size += size
	return nil
}

// endOfLines is how many bytes of a file are whole lines.
func endOfLines(file *os.File, size int64) (int64, error) {
	from := max(0, size-MaxLine-1)
	tail := make([]byte, size-from)
	if _, err := file.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return from + int64(bytes.LastIndexByte(tail, '\n')) + 1, nil
}

// room says whether a line of that size may be added.
func (s *spool) room(size int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size+int64(size) > s.max {
		return fmt.Errorf("%w: %d bytes of %d wait in %q", ErrBufferFull, s.size, s.max, s.dir)
	}
	return nil
}

// append adds a line, all of it or nothing.
func (s *spool) append(line []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	seg, err := s.writable(len(line))
	if err != nil {
		return fmt.Errorf("keeping a line to be sent: %w", err)
	}
	if _, err := seg.file.WriteAt(line, seg.size); err != nil {
		return errors.Join(fmt.Errorf("keeping a line to be sent: %w", err), seg.file.Truncate(seg.size))
	}
	seg.size += int64(len(line))
	s.size += int64(len(line))
	s.poke()
	return nil
}

// writable is the file for the next line.
func (s *spool) writable(size int) (*segment, error) {
	if n := len(s.segments); n > 0 {
		last := s.segments[n-1]
		if last.sealed = last.sealed || last.size+int64(size) > segmentSize; !last.sealed {
			return last, nil
		}
	}
	path := filepath.Join(s.dir, uuid.NewString()+spoolSuffix)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := holdFile(file); err != nil { // another process has just adopted it
		return nil, errors.Join(err, file.Close())
	}
	seg := &segment{file: file}
	s.segments = append(s.segments, seg)
	return seg, nil
}

func (s *spool) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// next returns whole lines of the oldest file, about most bytes of them or one, and nil when
// there are none.
func (s *spool) next(most int64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shed()
	if len(s.segments) == 0 {
		return nil, nil
	}
	seg := s.segments[0]
	lines := make([]byte, min(seg.size-seg.sent, max(most, MaxLine)))
	if _, err := seg.file.ReadAt(lines, seg.sent); err != nil {
		return nil, err
	}
	if int64(len(lines)) <= most {
		return lines, nil
	}
	if end := bytes.LastIndexByte(lines[:most], '\n'); end >= 0 {
		return lines[:end+1], nil
	}
	end := bytes.IndexByte(lines, '\n')
	if end < 0 {
		return nil, fmt.Errorf("%q holds a line of more than %d bytes, which is not one of a log", seg.file.Name(), MaxLine)
	}
	return lines[:end+1], nil
}

// done counts bytes as sent.
func (s *spool) done(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.segments[0].sent += int64(n)
	s.shed()
}

// shed removes the files at the front that were sent as a whole.
func (s *spool) shed() {
	for len(s.segments) > 0 && s.segments[0].sent == s.segments[0].size {
		seg := s.segments[0]
		s.segments = s.segments[1:]
		s.size -= seg.size
		_ = os.Remove(seg.file.Name()) // if it stays, its lines are sent again
		seg.file.Close()
	}
}

func (s *spool) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shed()
	var errs []error
	for _, seg := range s.segments {
		errs = append(errs, seg.file.Close())
	}
	s.segments, s.max = nil, 0
	return errors.Join(errs...)
}
