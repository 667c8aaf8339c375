package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"
)

const (
	// maxMessage bounds one message of a client, in bytes: the largest code with
	// every byte escaped, twice over.
	maxMessage = 2*6*MaxCode + 4<<20
	// maxRequests and maxRequestBytes bound the requests whose answers are not
	// written yet. Nothing more is read until one has left: it is a client that
	// does not read, or one that cannot be served any faster.
	maxRequests     = 256
	maxRequestBytes = 4 * maxMessage
	// maxAhead is how many lines, of maxRequestBytes together, are read while requests
	// wait. Otherwise the end of the input, which comes after them, would not be noticed.
	maxAhead = 4096
	// unreadTime is how long a client may leave an answer unread while its own messages
	// wait for that. Then the connection ends.
	unreadTime = time.Minute
)

// errUnread ends a connection.
var errUnread = fmt.Errorf("writing to the client: it has read nothing for %v", unreadTime)

// Stdio is the transport for a client that started this program: one JSON-RPC
// message on a line, in both directions. A line that is not a message is answered
// with an error, as JSON-RPC 2.0 asks (section 5.1), and the session goes on: it holds
// labels that a policy relies on, so it must not end because of one wrong line.
type Stdio struct {
	In  io.ReadCloser  // nil: standard input
	Out io.WriteCloser // nil: standard output
}

// Connect starts to read. Closing the connection closes In and not Out. If a read from
// In does not notice that In was closed, its goroutine goes on waiting.
func (t *Stdio) Connect(context.Context) (mcp.Connection, error) {
	l := &lines{
		in: t.In, out: t.Out, messages: make(chan jsonrpc.Message), closed: make(chan struct{}),
		requests: map[jsonrpc.ID]request{}, left: make(chan struct{}, 1),
		ahead: make(chan inputLine, maxAhead), room: semaphore.NewWeighted(maxRequestBytes), over: make(chan struct{}),
	}
	if l.in == nil {
		l.in = os.Stdin
	}
	if l.out == nil {
		l.out = os.Stdout
	}
	go l.readAll()
	go l.handOn()
	return l, nil
}

// lines is a connection of Stdio.
type lines struct {
	in  io.ReadCloser
	out io.Writer

	ahead chan inputLine      // lines that were read
	room  *semaphore.Weighted // for their bytes
	over  chan struct{}       // closed at the end of the input

	messages chan jsonrpc.Message // closed when the last line was handed on
	ended    error                // why no more lines come; read after messages is closed
	close    sync.Once
	closed   chan struct{}
	unread   atomic.Bool // closed because the client does not read

	write   sync.Mutex   // held while a line is written
	writing atomic.Int64 // when the write under way began, in ns of Unix time; 0: there is none

	mu       sync.Mutex // guards what follows
	requests map[jsonrpc.ID]request
	count    int           // of requests whose answers are not written
	bytes    int           // of them
	left     chan struct{} // capacity 1: there are fewer
}

// inputLine is what readLine returned.
type inputLine struct {
	text []byte
	long bool
	err  error
}

// request is one that has no answer yet.
type request struct {
	id   json.RawMessage // as the client wrote it
	size int
}

// SessionID is empty: there is one session on a pair of pipes.
func (l *lines) SessionID() string { return "" }

// Read returns the next message. Its error is io.EOF at the end of the input.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-l.messages:
		if !ok {
			return nil, l.ended
		}
		return m, nil
	case <-l.closed:
		if l.unread.Load() {
			return nil, errUnread
		}
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write writes a message: an answer under the id of its request, as the client
// wrote that.
func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	answer, ok := m.(*jsonrpc.Response)
	if !ok {
		return l.notify(m)
	}
	r := l.answered(answer.ID)
	defer l.leave(r)
	data, err := jsonrpc.EncodeMessage(m)
	if err == nil && r.id != nil && !survives(r.id) {
		data, err = withID(data, r.id)
	}
	if err != nil {
		return err
	}
	return l.line(data)
}

// notify writes a message that is no answer.
func (l *lines) notify(m jsonrpc.Message) error {
	if n, ok := m.(*jsonrpc.Request); ok {
		params, err := unhide(n.Params)
		if err != nil {
			return err
		}
		m = &jsonrpc.Request{ID: n.ID, Method: n.Method, Params: params}
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return l.line(data)
}

// withID puts another id into an answer.
func withID(answer []byte, id json.RawMessage) ([]byte, error) {
	var a struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   json.RawMessage `json:"error,omitempty"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, err
	}
	a.ID = id
	return marshal(a)
}

func (l *lines) line(data []byte) error {
	l.write.Lock()
	defer l.write.Unlock()
	l.writing.Store(time.Now().UnixNano())
	defer l.writing.Store(0)
	_, err := l.out.Write(append(data, '\n'))
	return err
}

// giveUp ends the connection to a client that does not read.
func (l *lines) giveUp() {
	l.unread.Store(true)
	_ = l.Close() // its error does not matter any more
}

// wait waits for an answer to be written, so that there is room for another
// request.
func (l *lines) wait() {
	select {
	case <-l.left:
	case <-l.over:
	case <-l.closed:
	case <-time.After(unreadTime):
		if began := l.writing.Load(); began > 0 && time.Since(time.Unix(0, began)) >= unreadTime {
			l.giveUp()
		}
	}
}

// Close ends the reading.
func (l *lines) Close() (err error) {
	l.close.Do(func() {
		close(l.closed)
		err = l.in.Close()
	})
	return err
}

// enter counts a request as open, if there is room for it. It reports whether there
// is none with its id.
func (l *lines) enter(id jsonrpc.ID, r request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.isEnding() && (l.count >= maxRequests || l.count > 0 && l.bytes+r.size > maxRequestBytes) {
		l.mu.Unlock()
		l.wait()
		l.mu.Lock()
	}
	if _, has := l.requests[id]; has {
		return false
	}
	l.requests[id] = r
	l.count++
	l.bytes += r.size
	return true
}

// isEnding reports whether no more requests than those that were read will come.
func (l *lines) isEnding() bool {
	select {
	case <-l.over:
		return true
	case <-l.closed:
		return true
	default:
		return false
	}
}

// answered frees the id of a request, because the client may use it again as soon as it
// has the answer. The request itself still counts as open.
func (l *lines) answered(id jsonrpc.ID) request {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.requests[id]
	delete(l.requests, id)
	return r
}

// leave ends the counting of a request when its answer is written.
func (l *lines) leave(r request) {
	if r.id == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count--
	l.bytes -= r.size
	select {
	case l.left <- struct{}{}:
	default:
	}
}

// readAll reads lines until the input or the connection ends.
func (l *lines) readAll() {
	in := bufio.NewReaderSize(l.in, 64<<10)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // ends with this function
		select {
		case <-l.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		var r inputLine
		r.text, r.long, r.err = readLine(in)
		if l.room.Acquire(ctx, int64(len(r.text))) != nil {
			return
		}
		select {
		case l.ahead <- r:
		case <-l.closed:
			return
		}
		if r.err != nil {
			close(l.over)
			return
		}
	}
}

// handOn passes on every message and answers lines that are not messages.
func (l *lines) handOn() {
	defer close(l.messages)
	for {
		var r inputLine
		select {
		case r = <-l.ahead:
		case <-l.closed:
			return
		}
		l.room.Release(int64(len(r.text)))
		if m := l.parse(r.text, r.long); m != nil {
			select {
			case l.messages <- m:
			case <-l.closed:
				return
			}
		}
		if r.err != nil {
			l.ended = r.err
			return
		}
	}
}

// readLine reads a line of at most maxMessage bytes, without its end. A longer line is
// dropped, and the result says so.
func readLine(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		piece, err := in.ReadSlice('\n')
		if long = long || len(line)+len(piece) > maxMessage; long {
			line = nil
		} else {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), long, err
		}
	}
}
