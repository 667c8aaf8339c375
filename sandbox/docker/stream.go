package docker

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rawio"
)

const (
	readBuffer = 64 << 10 // bytes asked of the engine at once
	maxRefusal = 2 << 10  // bytes of the engine's reason not to attach
)

// A stream is the standard input, output and error of a container on one
// connection. Read returns the output. Of the error output that it meets, the last bytes
// are kept. One goroutine may read while another writes.
type stream struct {
	conn net.Conn
	out  io.Writer // to conn
	in   *bufio.Reader
	kind byte // of the frame being read
	left int  // bytes of it not read yet

	end   sync.Once
	ended chan struct{} // closed when there is nothing more to read

	stderr sandbox.Tail
}

func newStream(conn net.Conn) *stream {
	var c io.ReadWriter = conn
	if f, ok := conn.(rawio.File); ok { // not one with TLS or over ssh
		c = rawio.New(f)
	}
	return &stream{conn: conn, out: c, in: bufio.NewReaderSize(c, readBuffer), ended: make(chan struct{})}
}

// attach connects to a container that is not yet running.
func (en *engine) attach(ctx context.Context, id string) (*stream, error) {
	conn, err := en.dial(ctx)
	if err != nil {
		return nil, err
	}
	s := newStream(conn)
	defer context.AfterFunc(ctx, s.close)()
	if err := s.upgrade(ctx, en, id); err != nil {
		s.close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("attaching: %w", err)
	}
	return s, nil
}

// upgrade turns the HTTP connection into the stream. The API client's own way
// cannot be interrupted when the engine hangs.
func (s *stream) upgrade(ctx context.Context, en *engine, id string) error {
	var base string
	if u, err := url.Parse(en.host); err == nil && u.Scheme == "tcp" {
		base = u.Path
	}
	target := fmt.Sprintf("http://docker%s/v%s/containers/%s/attach?stream=1&stdin=1&stdout=1&stderr=1", base, en.ClientVersion(), id)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "text/plain")
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "tcp")
	if err := req.Write(s.conn); err != nil {
		return err
	}
	resp, err := http.ReadResponse(s.in, req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	// 200 is the answer of engines that do not know upgrades yet.
	if resp.StatusCode == http.StatusSwitchingProtocols || resp.StatusCode == http.StatusOK {
		return nil
	}
	var refusal struct{ Message string }
	if json.NewDecoder(io.LimitReader(resp.Body, maxRefusal)).Decode(&refusal) != nil {
		refusal.Message = resp.Status
	}
	return fmt.Errorf("the engine answers: %s", refusal.Message)
}

// The kinds of frames: pkg/stdcopy of the engine.
const (
	frameStdout = 1
	frameStderr = 2
	frameError  = 3 // the engine's own trouble with the stream
)

func (s *stream) Read(p []byte) (n int, err error) {
	for err == nil && (s.left == 0 || s.kind != frameStdout) {
		err = s.next()
	}
	if err == nil {
		n, err = s.in.Read(p[:min(len(p), s.left)])
		s.left -= n
	}
	if err != nil {
		s.end.Do(func() { close(s.ended) })
	}
	return n, err
}

// next consumes the rest of a frame that is not output, and the header of the
// one that follows.
func (s *stream) next() error {
	for s.left > 0 {
		n := min(s.left, readBuffer)
		piece, err := s.in.Peek(min(n, max(1, s.in.Buffered())))
		if err != nil {
			return err
		}
		_, _ = s.stderr.Write(piece) // never fails
		s.left -= len(piece)
		if _, err := s.in.Discard(len(piece)); err != nil {
			return err
		}
	}
	var header [8]byte
	if _, err := io.ReadFull(s.in, header[:]); err != nil {
		return err
	}
	s.kind, s.left = header[0], int(binary.BigEndian.Uint32(header[4:]))
	if s.kind < frameStdout || s.kind > frameError {
		return fmt.Errorf("reading container's output: frame of unknown kind %d", s.kind)
	}
	return nil
}

// OnStderr implements sandbox.Instance.
func (s *stream) OnStderr(seen func(bytes int)) { s.stderr.OnStderr(seen) }

func (s *stream) Write(p []byte) (int, error) { return s.out.Write(p) }

func (s *stream) close() { _ = s.conn.Close() }
