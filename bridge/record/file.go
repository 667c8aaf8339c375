package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/internal/ourdir"
)

// Reopen opens the path anew, after somebody else renamed the file to rotate it. When
// that fails the log goes on with the file it has.
func (l *Log) Reopen() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reopen()
}

func (l *Log) reopen() error {
	if l.opts.Path == "" {
		return errors.New("reopening the decision log: it has no path")
	}
	if l.closed {
		return os.ErrClosed
	}
	file, torn, err := open(l.opts.Path)
	if err != nil {
		return fmt.Errorf("opening the decision log %q: %w", l.opts.Path, err)
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("opening the decision log %q: %w", l.opts.Path, err), file.Close())
	}
	same := l.info != nil && os.SameFile(l.info, info)
	if l.file != nil {
		l.file.Close()
	}
	l.w, l.file, l.torn, l.info, l.begun = file, file, torn, info, firstTime(file)
	l.unopened = l.unopened || !same && l.opening != nil
	return nil
}

// writeOpening writes the event that every file starts with, under an id of its own.
func (l *Log) writeOpening() error {
	again := *l.opening
	again.DecisionID, again.Timestamp = "", time.Time{}
	var b bytes.Buffer
	if err := again.encode(&b); err != nil {
		return err
	}
	if err := l.put(&b); err != nil {
		return fmt.Errorf("recording decision %s: %w", again.DecisionID, err)
	}
	l.unopened = false
	return nil
}

// turnOver sees to it that the next line, of that size, goes into the right file: into a
// new one when this one is full or old, or when another process has put it aside.
func (l *Log) turnOver(size int) error {
	if l.opts.Path == "" || l.opts.MaxSize == 0 && l.opts.MaxAge == 0 || !l.info.Mode().IsRegular() {
		return nil
	}
	info, err := os.Lstat(l.opts.Path)
	switch {
	case err != nil || !os.SameFile(info, l.info):
		return l.reopen()
	case info.Size() == 0:
		return nil
	case l.opts.MaxSize > 0 && info.Size()+int64(size) > l.opts.MaxSize:
	case l.opts.MaxAge > 0 && time.Since(l.begun) >= l.opts.MaxAge:
	default:
		return nil
	}
	if err := l.putAside(); err != nil { // the decision can still be recorded
		l.opts.Logger.Error("the decision log is not rotated and grows on", "file", l.opts.Path, "error", err)
		return nil
	}
	return l.reopen()
}

// putAside renames the file, unless another process was first.
func (l *Log) putAside() error {
	unlock, err := lockFile(l.file)
	if err != nil {
		return err
	}
	defer unlock()
	info, err := os.Lstat(l.opts.Path)
	if err != nil || !os.SameFile(info, l.info) {
		return nil // it is gone from its place, and that is all that was wanted
	}
	const tries = 100 // names of one millisecond
	for i := range tries {
		name := l.opts.Path + "." + time.Now().UTC().Format("20060102T150405.000Z")
		if i > 0 {
			name += fmt.Sprintf("-%d", i)
		}
		if _, err := os.Lstat(name); errors.Is(err, os.ErrNotExist) {
			return os.Rename(l.opts.Path, name)
		}
	}
	return errors.New("no name is free for the old file")
}

// firstTime is when the first line of the file was written: now, if there is none.
func firstTime(file *os.File) time.Time {
	line, err := bufio.NewReader(io.NewSectionReader(file, 0, MaxLine)).ReadBytes('\n')
	var first struct{ Timestamp time.Time }
	if err != nil || json.Unmarshal(line, &first) != nil || first.Timestamp.IsZero() {
		return time.Now()
	}
	return first.Timestamp
}

// open opens a log file and reports whether its last line is not ended.
func open(path string) (file *os.File, torn bool, err error) {
	if err := ourdir.Follow(path); err != nil {
		return nil, false, err
	}
	if file, err = openAppend(path); err != nil {
		var at *os.PathError
		if errors.As(err, &at) {
			err = at.Err // the caller names the path
		}
		return nil, false, err
	}
	if torn, err = inspect(file); err != nil {
		file.Close()
		return nil, false, err
	}
	return file, torn, nil
}

// inspect refuses what must not be a log, and looks at its last byte.
func inspect(file *os.File) (torn bool, err error) {
	const everyone = 0o002 // may write
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	switch mode := info.Mode(); {
	case mode&os.ModeCharDevice != 0:
		return false, nil
	case !mode.IsRegular():
		return false, errors.New("it is not a regular file")
	case mode.Perm()&everyone != 0:
		return false, errors.New("everyone may write to it")
	case !ourdir.Trusted(info):
		return false, errors.New("it belongs to another user")
	}
	if info.Size() == 0 {
		return false, nil
	}
	var last [1]byte
	if _, err := file.ReadAt(last[:], info.Size()-1); err != nil {
		return false, err
	}
	return last[0] != '\n', nil
}
