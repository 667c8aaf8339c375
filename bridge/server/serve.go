package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

const (
	// tellTime is how long a client has to ask for the tools, and be told that
	// they did not start, before the connection is closed.
	tellTime = 5 * time.Second
	// hangUpTime is how long a connection that ends may take to write the remaining
	// messages to the client. A client that does not read does not get them.
	hangUpTime = time.Second
)

// Serve serves one client on a transport until the client leaves, ctx ends, or
// the wrapped servers fail to start, which is the error then returned. A
// request that is waiting for them gets the same error first. In either case its
// runs are stopped at once.
func (s *Server) Serve(ctx context.Context, transport mcp.Transport) error {
	line := &leaving{Transport: transport, until: ctx, gone: make(chan struct{})}
	connection, err := s.mcp.Connect(ctx, line, nil)
	if err != nil {
		return fmt.Errorf("connecting the client: %w", err)
	}
	var ended error // set before left is closed
	left := make(chan struct{})
	go func() {
		defer close(left)
		ended = connection.Wait()
	}()
	select {
	case <-left:
		return ended
	case <-line.gone:
		return hangUp(connection, left, cmp.Or(s.startFailure(), line.why))
	case <-ctx.Done():
		return hangUp(connection, left, nil)
	case <-s.failed:
		s.waitTold(ctx, left)
		return hangUp(connection, left, s.failure)
	}
}

// startFailure is why the wrapped servers did not start, if that is known yet.
func (s *Server) startFailure() error {
	select {
	case <-s.failed:
		return s.failure
	default:
		return nil
	}
}

// hangUp closes the connection, waits at most hangUpTime until it is closed,
// and returns why. The result of closing does not matter any more.
func hangUp(connection *mcp.ServerSession, left <-chan struct{}, why error) error {
	go func() { _ = connection.Close() }() // ends with the connection
	select {
	case <-left:
	case <-time.After(hangUpTime):
	}
	return why
}

// waitTold waits until a client was told about the failure, or until tellTime is over.
func (s *Server) waitTold(ctx context.Context, left <-chan struct{}) {
	select {
	case <-s.told:
		time.Sleep(500 * time.Millisecond) // the answer is being written
	case <-left:
	case <-ctx.Done():
	case <-time.After(tellTime):
	}
}

// sessionOf returns the session calls of this connection belong to. A
// connection that has no id of its own may be made for one request only, as
// stateless HTTP does it; it shares the one session, so that no label is lost
// between requests.
func (s *Server) sessionOf(connection *mcp.ServerSession) *bridge.Session {
	if !s.opts.SessionPerConnection || connection == nil || connection.ID() == "" {
		return s.session
	}
	if known, ok := s.sessions.Load(connection); ok {
		return known.(*bridge.Session)
	}
	var principal engine.Principal
	if params := connection.InitializeParams(); params != nil && params.ClientInfo != nil {
		principal = engine.Principal{Client: params.ClientInfo.Name, Version: params.ClientInfo.Version}
	}
	known, loaded := s.sessions.LoadOrStore(connection, s.bridge.NewSession(principal))
	if !loaded {
		go func() { // ends with the connection
			_ = connection.Wait() // why it ended does not matter
			s.sessions.Delete(connection)
		}()
	}
	return known.(*bridge.Session)
}

// leaving is a transport whose connection ends for its reader with a context, as
// if the client had left. The SDK then cancels the requests in flight; closing the
// connection waits for them instead.
type leaving struct {
	mcp.Transport
	until context.Context // of the call of Serve that uses it
	why   error           // why nothing more is read; nil for a usual end
	gone  chan struct{}   // closed when nothing more is read
	once  sync.Once
}

func (t *leaving) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return leavingConnection{c, t}, nil
}

type leavingConnection struct {
	mcp.Connection
	line *leaving
}

func (c leavingConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.line.until, cancel)()
	m, err := c.Connection.Read(ctx)
	if c.line.until.Err() != nil {
		err = io.EOF
	}
	if err != nil {
		c.line.once.Do(func() {
			if errors.Is(err, errUnread) {
				c.line.why = err
			}
			close(c.line.gone)
		})
		return nil, err
	}
	return m, nil
}
