// Package record keeps the decision log: one JSON line for every decision, with
// the field names of OPA's own decision logs, so that programs for those logs can read
// this one.
//
// A line is written whole, by one write to a file opened for appending, before
// the decision has any effect; a Write that fails is a decision that was not
// recorded, and its caller denies the call. A partial line that such a failure left, for
// example on a full disk, does not damage the next line.
package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/mcp-code-mode/mcp-code-mode/internal/ourdir"
)

const (
	// MaxLine bounds one line, in bytes. A longer one is not written.
	MaxLine = 2 << 20
	// Path is where in the policy the decisions of this log come from.
	Path = "codemode/decision"
	// QueryTime is the metric for the time a decision took, in nanoseconds.
	QueryTime = "timer_rego_query_eval_ns"
)

// ErrTooLong is returned for an entry whose line would exceed MaxLine.
var ErrTooLong = errors.New("the line is too long")

// Entry is one decision. The fields and their names are those of OPA's decision
// logs (https://www.openpolicyagent.org/docs/management-decision-logs). Input
// and Result are anything that encoding/json encodes, or a json.RawMessage that
// holds it already.
type Entry struct {
	Labels      map[string]string `json:"labels"`                 // who decided
	DecisionID  string            `json:"decision_id"`            // filled in by Write if empty
	Bundles     map[string]Bundle `json:"bundles,omitempty"`      // the policies, by name
	Path        string            `json:"path"`                   // filled in by Write if empty
	Input       any               `json:"input"`                  // what the policy was asked
	Result      any               `json:"result"`                 // what it answered
	RequestedBy string            `json:"requested_by,omitempty"` // name of the client
	Timestamp   time.Time         `json:"timestamp"`              // filled in by Write if zero
	Metrics     map[string]int64  `json:"metrics,omitempty"`      // times in nanoseconds end in _ns
	RequestID   uint64            `json:"req_id,omitempty"`       // number of the request; 0 is left out
}

// Bundle says which revision of a policy decided.
type Bundle struct {
	Revision string `json:"revision,omitempty"` // Decision.Revision
}

// Log writes entries. It is safe for concurrent use.
type Log struct {
	// Sync has every line on the disk before Write returns. Set it before the
	// first Write. It takes as long as the disk does.
	Sync bool

	path string // of Open, "" of New

	mu   sync.Mutex // guards what follows
	w    io.Writer  // nil once closed
	file *os.File   // w, if Open opened it
	torn bool       // what was written last does not end a line
}

// New returns a log that writes to w and never closes it.
func New(w io.Writer) *Log { return &Log{w: w} }

// Open returns a log that appends to the file of that path, which is created
// for its owner alone. The file must be a regular file or a character device,
// not a symbolic link to one. A regular file must be ours or root's and not writable
// by everyone, and nobody else may have laid the way to it (package ourdir).
func Open(path string) (*Log, error) {
	l := &Log{path: path}
	if err := l.Reopen(); err != nil {
		return nil, err
	}
	return l, nil
}

// Reopen opens the path anew, after the file was renamed to rotate it. When
// that fails the log goes on with the file it has.
func (l *Log) Reopen() error {
	if l.path == "" {
		return errors.New("reopening the decision log: it has no path")
	}
	file, torn, err := open(l.path)
	if err != nil {
		return fmt.Errorf("opening the decision log %q: %w", l.path, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		l.file.Close()
	}
	l.w, l.file, l.torn = file, file, torn
	return nil
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

// buffers holds what lines are encoded into.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Write records one decision, and fills in what e leaves empty: an id, the time
// and the path. After an error the decision counts as not recorded.
func (l *Log) Write(e *Entry) error {
	if l == nil {
		return errors.New("recording a decision: there is no log")
	}
	e.complete()
	const keep = 64 << 10 // bytes of a buffer worth keeping
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() <= keep {
			buffers.Put(b)
		}
	}()
	b.Reset()
	b.WriteByte('\n') // ends a torn line, else left out
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return fmt.Errorf("recording decision %s: %w", e.DecisionID, err)
	}
	if b.Len()-1 > MaxLine {
		return fmt.Errorf("recording decision %s: %w: more than %d bytes", e.DecisionID, ErrTooLong, MaxLine)
	}
	if err := l.append(b.Bytes()); err != nil {
		return fmt.Errorf("recording decision %s: %w", e.DecisionID, err)
	}
	return nil
}

func (e *Entry) complete() {
	if e.DecisionID == "" {
		e.DecisionID = uuid.NewString()
	}
	if e.Timestamp.IsZero() {
		e.Timestamp = time.Now()
	}
	e.Timestamp = e.Timestamp.UTC()
	if e.Path == "" {
		e.Path = Path
	}
}

// append writes a line, which has a newline before and behind it.
func (l *Log) append(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w == nil {
		return os.ErrClosed
	}
	if !l.torn {
		line = line[1:]
	}
	n, err := l.w.Write(line)
	if n > 0 {
		l.torn = line[n-1] != '\n'
	}
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err == nil && l.Sync && l.file != nil {
		err = l.file.Sync()
	}
	return err
}

// Close ends the log; a Write after it fails. It can be called twice.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	file := l.file
	l.w, l.file = nil, nil
	if file == nil {
		return nil
	}
	return file.Close()
}
