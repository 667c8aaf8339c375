package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
)

func TestCancellingTheRequestCancelsTheCallsInFlight(t *testing.T) {
	up := newUpstream()
	s := newServer(t, func(o *server.Options) { o.Bridge = up.bridge })
	c := client(t, s, nil)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-up.started
		cancel()
	}()
	_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "run_python", Arguments: map[string]any{"code": "await wait()"}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled request ended with %v", err)
	}
	receive(t, "the upstream's call to be cancelled", up.cancelled)
	if got := text(runPython(t, c, map[string]any{"code": "print('next')"})); !strings.Contains(got, "next") {
		t.Errorf("the next run: %s", got)
	}
}

// The server hears of it while the program goes on.
func TestACallThatTheProgramGivesUpIsCancelledAtTheServer(t *testing.T) {
	up := newUpstream()
	s := newServer(t, func(o *server.Options) { o.Bridge = up.bridge })
	c := client(t, s, nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = c.CallTool(ctx, &mcp.CallToolParams{Name: "run_python", Arguments: map[string]any{
			"code": "try:\n    await asyncio.wait_for(wait(), 0.05)\nexcept TimeoutError:\n    await wait()",
		}})
	}()
	receive(t, "the call that is given up", up.started)
	receive(t, "it to be cancelled", up.cancelled)
	receive(t, "the next call of the program", up.started)
	select {
	case <-ended:
		t.Error("the program has ended")
	default:
	}
	cancel()
	receive(t, "the next call to be cancelled", up.cancelled)
	<-ended
}

func TestClosingTheConnectionCancelsTheCallsInFlight(t *testing.T) {
	up := newUpstream()
	s := newServer(t, func(o *server.Options) { o.Bridge = up.bridge })
	here, there := mcp.NewInMemoryTransports()
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), there) }()
	line := &cut{Transport: here}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(context.Background(), line, nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = c.CallTool(context.Background(), &mcp.CallToolParams{Name: "run_python", Arguments: map[string]any{"code": "await wait()"}})
	}()
	receive(t, "the call", up.started)
	line.conn.Close()
	receive(t, "the upstream's call to be cancelled", up.cancelled)
	<-served
}

// cut is a transport whose connection can be cut under the client: a client
// that closes it properly waits for its requests first.
type cut struct {
	mcp.Transport
	conn mcp.Connection
}

func (c *cut) Connect(ctx context.Context) (_ mcp.Connection, err error) {
	c.conn, err = c.Transport.Connect(ctx)
	return c.conn, err
}
