// Package record keeps the decision log: one JSON line for every decision, with
// the field names of OPA's own decision logs, so that programs for those logs can read
// this one.
//
// Every line is linked to the one that the same process wrote before it (Verify checks
// that), and can be sent to a service as well (Upload).
//
// A line is written whole, by one write to a file opened for appending, before
// the decision has any effect; a Write that fails is a decision that was not
// recorded, and its caller denies the call. A partial line that such a failure left, for
// example on a full disk, does not damage the next line.
package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	// MaxLine bounds one line, in bytes. A longer one is not written.
	MaxLine = 4 << 20
	// Path is where in the policy the decisions of this log come from.
	Path = "codemode/decision"
	// OutcomePath is the path of events that say what came of an allowed call.
	OutcomePath = "codemode/outcome"
	// ConfigPath is the path of events whose input is the configuration that
	// policies read.
	ConfigPath = "codemode/config"
	// CallTime is the metric for the time a server took to answer, in nanoseconds.
	CallTime = "timer_tool_call_ns"
	// QueryTime is the metric for the time a decision took, in nanoseconds.
	QueryTime = "timer_rego_query_eval_ns"
)

// ErrTooLong is returned for an entry whose line would exceed MaxLine.
var ErrTooLong = errors.New("the line is too long")

// Entry is one event. The fields and their names are those of OPA's decision
// logs (https://www.openpolicyagent.org/docs/management-decision-logs). Input
// and Result are anything that encoding/json encodes, or a json.RawMessage that
// holds it already.
type Entry struct {
	Labels      map[string]string `json:"labels"`                      // who decided
	DecisionID  string            `json:"decision_id"`                 // filled in by Write if empty
	BatchID     string            `json:"batch_decision_id,omitempty"` // of an outcome: the decision_id of its call
	TraceID     string            `json:"trace_id,omitempty"`          // of the client's trace, as in W3C Trace Context
	SpanID      string            `json:"span_id,omitempty"`           // of the client's span
	Bundles     map[string]Bundle `json:"bundles,omitempty"`           // the policies, by name
	Path        string            `json:"path"`                        // filled in by Write if empty
	Input       any               `json:"input,omitempty"`             // what the policy was asked
	Result      any               `json:"result,omitempty"`            // what it answered
	Erased      []string          `json:"erased,omitempty"`            // what was taken out of the event
	Masked      []string          `json:"masked,omitempty"`            // what was replaced in it
	Error       *Error            `json:"error,omitempty"`             // why the policy could not decide
	RequestedBy string            `json:"requested_by,omitempty"`      // name of the client
	Timestamp   time.Time         `json:"timestamp"`                   // filled in by Write if zero
	Metrics     map[string]int64  `json:"metrics,omitempty"`           // times in nanoseconds end in _ns
	RequestID   uint64            `json:"req_id,omitempty"`            // number of the request; 0 is left out
	Custom      *Custom           `json:"custom,omitempty"`            // what OPA's events have no field for
}

// Bundle says which revision of a policy decided.
type Bundle struct {
	Revision string `json:"revision,omitempty"` // Decision.Revision
}

// Error is why the policy could not decide.
type Error struct {
	Code    string `json:"code"`    // as a denial has it, or of a call's failure
	Message string `json:"message"` // for the operator
}

// Custom is what an event of ours has beside OPA's fields.
type Custom struct {
	Config  string            `json:"config,omitempty"`  // digest of the configuration that the policy worked with
	Cut     map[string]Digest `json:"cut,omitempty"`     // what was too much to be kept, by path; the paths are in Erased too
	Dropped *Digest           `json:"dropped,omitempty"` // the whole event, where the team's policy wants no more of it than this
}

// Digest stands for bytes that are not kept.
type Digest struct {
	Bytes  int    `json:"bytes"`  // how many
	SHA256 string `json:"sha256"` // hexadecimal
}

// DigestOf returns the digest of some bytes.
func DigestOf(data []byte) Digest {
	sum := sha256.Sum256(data)
	return Digest{Bytes: len(data), SHA256: hex.EncodeToString(sum[:])}
}

// Log writes entries. It is safe for concurrent use.
type Log struct {
	// Sync has every line on the disk before Write returns. Set it before the
	// first Write. It takes as long as the disk does.
	Sync bool

	opts  Options
	spool *spool    // lines that wait to be sent; nil without an upload
	send  *uploader // nil without an upload

	mu      sync.Mutex // guards what follows
	closed  bool
	w       io.Writer // of the lines; nil with an upload alone
	file    *os.File  // w, if it is a file we opened
	info    os.FileInfo
	begun   time.Time // when the file got its first line, as far as is known
	torn    bool      // what was written last does not end a line
	opening *Entry    // the first line of every file
	chain   chain

	unopened bool // the opening is still to be written
}

// Options say where the lines go. There must be a Path, a Writer or an Upload.
type Options struct {
	// Path is a file that is appended to, made for its owner alone. It must be a
	// regular file or a character device, not a symbolic link to one. A regular
	// file must be ours or root's and not writable by everyone, and nobody else
	// may have laid the way to it (package ourdir).
	Path string
	// Writer takes the lines instead; it is never closed.
	Writer io.Writer
	// MaxSize, in bytes, says when the file is put aside, under its name and the
	// time, and another one begun. Zero means never. Processes that share the file
	// follow whoever does it first. No file is ever removed.
	MaxSize int64
	// MaxAge says the same by the time of the file's first line.
	MaxAge time.Duration
	// Upload has every line sent to a service too.
	Upload *Upload
	// Logger is told what is wrong with files and uploads; nil discards it.
	Logger *slog.Logger
}

// New returns a log that writes to w and never closes it.
func New(w io.Writer) *Log {
	return &Log{w: w, chain: newChain(), opts: Options{Writer: w, Logger: slog.New(slog.DiscardHandler)}}
}

// Open returns a log that appends to the file of that path.
func Open(path string) (*Log, error) { return Start(Options{Path: path}) }

// Start returns a log. Close it: it may send lines in the background.
func Start(opts Options) (*Log, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Path == "" && opts.Writer == nil && opts.Upload == nil {
		return nil, errors.New("opening the decision log: it has neither a file nor an upload")
	}
	l := &Log{opts: opts, w: opts.Writer, chain: newChain()}
	if opts.Path != "" {
		if err := l.Reopen(); err != nil {
			return nil, err
		}
	}
	if opts.Upload != nil {
		if err := l.startUpload(); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, nil
}

// buffers holds what lines are encoded into.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Write records one decision, and fills in what e leaves empty: an id, the time
// and the path. After an error the decision counts as not recorded.
func (l *Log) Write(e *Entry) error {
	if l == nil {
		return errors.New("recording a decision: there is no log")
	}
	const keep = 64 << 10 // bytes of a buffer worth keeping
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() <= keep {
			buffers.Put(b)
		}
	}()
	b.Reset()
	if err := e.encode(b); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.append(b); err != nil {
		return fmt.Errorf("recording decision %s: %w", e.DecisionID, err)
	}
	return nil
}

// Begin writes an event that says what the following ones mean. Every further file that
// this log writes to starts with it, so that each can be read by itself. After an error
// nothing is written until the event could be.
func (l *Log) Begin(e *Entry) error {
	again := *e
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opening, l.unopened = &again, true
	if l.closed {
		return os.ErrClosed
	}
	return l.writeOpening()
}

// encode writes the entry into b as a line with a newline before and behind it.
func (e *Entry) encode(b *bytes.Buffer) error {
	e.complete()
	b.WriteByte('\n') // ends a torn line, else left out
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return fmt.Errorf("recording decision %s: %w", e.DecisionID, err)
	}
	if b.Len()-1 > MaxLine-maxLink {
		return fmt.Errorf("recording decision %s: %w: more than %d bytes", e.DecisionID, ErrTooLong, MaxLine-maxLink)
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

// append writes an encoded line, and before it what must be there first. The caller holds
// l.mu. What was taken by one place and not by the other was not recorded, but
// the chain has gone on: the place that lacks the line shows that.
func (l *Log) append(b *bytes.Buffer) error {
	if l.closed || l.w == nil && l.spool == nil {
		return os.ErrClosed
	}
	if err := l.turnOver(b.Len()); err != nil {
		return err
	}
	if l.unopened {
		if err := l.writeOpening(); err != nil {
			return err
		}
	}
	return l.put(b)
}

// put links an encoded line to the chain and writes it wherever lines go.
func (l *Log) put(b *bytes.Buffer) error {
	l.chain.link(b)
	line := b.Bytes()
	if l.spool != nil {
		if err := l.spool.room(len(line)); err != nil {
			return err
		}
	}
	if l.w != nil {
		if err := l.write(line); err != nil {
			return err
		}
	}
	if l.spool != nil {
		if err := l.spool.append(line[1:]); err != nil {
			return err
		}
		if l.w == nil {
			l.chain.advance(line)
		}
	}
	return nil
}

// write writes a line, which has a newline before and behind it. A line that is there as
// a whole is a link of the chain, even when the disk then fails.
func (l *Log) write(line []byte) error {
	text := line
	if !l.torn {
		text = line[1:]
	}
	n, err := l.w.Write(text)
	if n > 0 {
		l.torn = text[n-1] != '\n'
	}
	if n == len(text) {
		l.chain.advance(line)
	} else if err == nil {
		err = io.ErrShortWrite
	}
	if err == nil && l.Sync && l.file != nil {
		err = l.file.Sync()
	}
	return err
}

// Close ends the log; a Write after it fails. It can be called twice. What was not
// sent yet is kept for the next log with the same upload.
func (l *Log) Close() error {
	l.mu.Lock()
	file, closed := l.file, l.closed
	l.closed, l.file = true, nil
	l.mu.Unlock()
	if closed {
		return nil
	}
	var errs []error
	if file != nil {
		errs = append(errs, file.Close())
	}
	if l.send != nil {
		errs = append(errs, l.send.close())
	}
	return errors.Join(errs...)
}
