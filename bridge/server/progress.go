package server

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressQueue is how many notifications may wait for a slow client; further ones are
// left out. Each notification tells the whole current state.
const progressQueue = 32

// progress sends notifications about one request, to a client that gave a
// progress token with it. A nil progress sends none.
type progress struct {
	texts chan string
	done  chan struct{}
}

// newProgress starts the sender. The owner must call close before the request is
// answered: no progress follows a result.
func newProgress(ctx context.Context, req *mcp.CallToolRequest) *progress {
	token := req.Params.GetProgressToken()
	switch token.(type) {
	case string, float64:
	default: // there is no token, or it is invalid
		return nil
	}
	if req.Session == nil {
		return nil
	}
	p := &progress{texts: make(chan string, progressQueue), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		count := 0
		for text := range p.texts {
			count++
			// A client that is gone ends the request by other means.
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: float64(count), Message: text,
			})
		}
	}()
	return p
}

func (p *progress) observer() observer {
	if p == nil {
		return observer{}
	}
	return observer{
		status: p.send,
		call:   func(seq int64, toolID string) { p.send(fmt.Sprintf("call %d: %s", seq, toolID)) },
	}
}

func (p *progress) send(text string) {
	select {
	case p.texts <- text:
	default:
	}
}

// close waits until what was queued is sent. Nothing may be sent afterwards.
func (p *progress) close() {
	if p == nil {
		return
	}
	close(p.texts)
	<-p.done
}
