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
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage bounds one message of a client, in bytes: the largest code with every
// byte escaped, twice over.
const maxMessage = 2*6*MaxCode + 4<<20

// Stdio is the transport for a client that started this program: one JSON-RPC
// message on a line, in both directions. A line that is no message is answered with
// an error, as JSON-RPC 2.0 asks (section 5.1), and costs nothing else: sessions
// remember what a policy relies on, and do not end over a stray line.
type Stdio struct {
	In  io.ReadCloser  // nil: standard input
	Out io.WriteCloser // nil: standard output
}

// Connect starts to read. Closing the connection closes In, but neither Out nor,
// where reading from In does not notice that it was closed, its reader.
func (t *Stdio) Connect(context.Context) (mcp.Connection, error) {
	l := &lines{in: t.In, out: t.Out, messages: make(chan jsonrpc.Message), closed: make(chan struct{})}
	if l.in == nil {
		l.in = os.Stdin
	}
	if l.out == nil {
		l.out = os.Stdout
	}
	go l.readAll()
	return l, nil
}

// lines is a connection of Stdio.
type lines struct {
	in  io.ReadCloser
	out io.Writer

	messages chan jsonrpc.Message // closed by the reader when it ends
	ended    error                // why it did; read after messages is closed
	close    sync.Once
	closed   chan struct{}

	write sync.Mutex // held while a line is written
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
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write writes a message.
func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return l.line(data)
}

func (l *lines) line(data []byte) error {
	l.write.Lock()
	defer l.write.Unlock()
	_, err := l.out.Write(append(data, '\n'))
	return err
}

// Close ends the reading.
func (l *lines) Close() (err error) {
	l.close.Do(func() {
		close(l.closed)
		err = l.in.Close()
	})
	return err
}

// readAll hands on every message there is and answers what is none.
func (l *lines) readAll() {
	defer close(l.messages)
	in := bufio.NewReaderSize(l.in, 64<<10)
	for {
		line, long, err := readLine(in)
		if m := l.parse(line, long); m != nil {
			select {
			case l.messages <- m:
			case <-l.closed:
				return
			}
		}
		if err != nil {
			l.ended = err
			return
		}
	}
}

// readLine reads a line of at most maxMessage bytes, without its end. Of a longer
// one it keeps nothing and says so.
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

// parse returns the message on a line, or answers the line.
func (l *lines) parse(line []byte, long bool) jsonrpc.Message {
	switch {
	case long:
		l.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is larger than %d MiB", maxMessage>>20))
		return nil
	case len(line) == 0:
		return nil
	case !utf8.Valid(line):
		l.refuse(line, jsonrpc.CodeParseError, "the line is not UTF-8")
		return nil
	case !json.Valid(line):
		l.refuse(nil, jsonrpc.CodeParseError, "the line is not JSON")
		return nil
	}
	m, err := jsonrpc.DecodeMessage(line)
	switch {
	case line[0] == '[':
		l.refuse(nil, jsonrpc.CodeInvalidRequest, "batches of messages are not supported")
	case err != nil:
		l.refuse(line, jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC 2.0 message: "+err.Error())
	default:
		return m
	}
	return nil
}

// refuse answers a line that is no message, under its id if it has one that can be
// one.
func (l *lines) refuse(line []byte, code int64, why string) {
	var request struct {
		ID json.RawMessage `json:"id"`
	}
	id := json.RawMessage("null")
	if json.Unmarshal(line, &request) == nil && len(request.ID) > 0 && bytes.IndexByte([]byte(`"-0123456789`), request.ID[0]) >= 0 {
		id = request.ID
	}
	message, _ := json.Marshal(why) // a string can always be
	// The one who reads may be gone, which reading notices as well.
	_ = l.line(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, message))
}
