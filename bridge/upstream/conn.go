package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds on messages that are sent without waiting: how long one may take, and how many
// may be under way.
const (
	postTime = 5 * time.Second
	maxPosts = 64
)

// conn is the channel over any connection of the MCP SDK. Only the SDK's framing is
// used; it passes on raw results without reading them.
type conn struct {
	conn mcp.Connection
	log  *slog.Logger

	posts chan struct{} // a slot for each post that is under way
	quit  chan struct{} // closed by close
	once  sync.Once
	ended chan struct{} // closed when close is through
}

func newConn(c mcp.Connection, log *slog.Logger) *conn {
	return &conn{
		conn: c, log: log, posts: make(chan struct{}, maxPosts),
		quit: make(chan struct{}), ended: make(chan struct{}),
	}
}

// send waits for the write. Over HTTP the write is the request, and fails as a request
// does. If a connection's Write ignores its context, a goroutine waits until the
// connection is closed.
func (c *conn) send(ctx context.Context, m *message) error {
	msg, err := m.rpc()
	if err != nil {
		return err
	}
	written := make(chan error, 1)
	go func() { written <- c.conn.Write(ctx, msg) }()
	select {
	case err := <-written:
		return c.explain(ctx, err)
	case <-ctx.Done():
		return ctx.Err()
	case <-c.quit:
		return fmt.Errorf("%w: closed", ErrUnavailable)
	}
}

// explain sorts the errors of a write.
func (c *conn) explain(ctx context.Context, err error) error {
	var wire *jsonrpc.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrTooLarge):
		return err
	case errors.As(err, &wire) && !rejected(wire): // an HTTP error that carried a JSON-RPC error
		return &RPCError{Code: wire.Code, Message: oneLine(wire.Message, maxErrorText)}
	default:
		return fmt.Errorf("%w: %s", ErrUnavailable, oneLine(err.Error(), maxErrorText))
	}
}

// rejected reports whether an error is the one that the SDK wraps into those of its own
// errors after which the connection is still usable. It does not come from the server.
func rejected(e *jsonrpc.Error) bool {
	return e.Code == -32005 && e.Message == "rejected by transport"
}

func (c *conn) post(m *message) {
	msg, err := m.rpc()
	if err != nil {
		return
	}
	select {
	case c.posts <- struct{}{}:
	default:
		c.log.Debug("message dropped: the server does not take them", "method", m.method)
		return
	}
	go func() {
		defer func() { <-c.posts }()
		ctx, cancel := context.WithTimeout(context.Background(), postTime)
		defer cancel()
		written := make(chan error, 1)
		go func() { written <- c.conn.Write(ctx, msg) }()
		select {
		case err := <-written:
			if err != nil {
				c.log.Debug("message dropped", "method", m.method, "error", err)
			}
		case <-c.quit:
		}
	}()
}

func (c *conn) receive() (*incoming, error) {
	for {
		msg, err := c.conn.Read(context.Background()) // close ends it
		if err != nil {
			return nil, fmt.Errorf("%w: %s", ErrUnavailable, oneLine(err.Error(), maxErrorText))
		}
		switch m := msg.(type) {
		case *jsonrpc.Request:
			in := &incoming{method: m.Method, about: aboutProgress(m.Method, m.Params)}
			if m.ID.IsValid() {
				in.id, _ = json.Marshal(m.ID.Raw())
			}
			return in, nil
		case *jsonrpc.Response:
			return response(m), nil
		}
	}
}

func response(m *jsonrpc.Response) *incoming {
	in := &incoming{}
	in.id, _ = json.Marshal(m.ID.Raw())
	var wire *jsonrpc.Error
	switch {
	case errors.As(m.Error, &wire):
		e := &RPCError{Code: wire.Code, Message: oneLine(wire.Message, maxErrorText)}
		if isObject(wire.Data) {
			data, _ := fields(wire.Data, "supported")
			e.supported = texts(data[0])
		}
		in.err = e
	case m.Error != nil: // the transport's own: a stream that broke off
		in.err = fmt.Errorf("%w: %s", ErrUnavailable, oneLine(m.Error.Error(), maxErrorText))
	case len(m.Result) == 0 || string(m.Result) == "null":
		in.err = fmt.Errorf("%w: neither a result nor an error", ErrBadAnswer)
	default:
		if in.result = cleanse(m.Result); !isJSON(in.result) {
			in.result, in.err = nil, fmt.Errorf("%w: %w", ErrBadAnswer, errSyntax)
		}
	}
	return in
}

func (c *conn) close() {
	c.once.Do(func() {
		defer close(c.ended)
		close(c.quit)
		if err := c.conn.Close(); err != nil {
			c.log.Debug("closing the connection", "error", err)
		}
		for range maxPosts {
			c.posts <- struct{}{}
		}
	})
	<-c.ended
}

// rpc returns the message as the SDK's transports take it.
func (m *message) rpc() (jsonrpc.Message, error) {
	if m.reply == nil {
		req := &jsonrpc.Request{Method: m.method, Params: m.params}
		if m.id != 0 {
			id, err := jsonrpc.MakeID(float64(m.id))
			if err != nil {
				return nil, err
			}
			req.ID = id
		}
		return req, nil
	}
	var raw any
	if err := json.Unmarshal(m.reply, &raw); err != nil {
		return nil, err
	}
	id, err := jsonrpc.MakeID(raw)
	if err != nil {
		return nil, err
	}
	if m.ok {
		return &jsonrpc.Response{ID: id, Result: json.RawMessage("{}")}, nil
	}
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: refusalCode, Message: refusalText}}, nil
}
