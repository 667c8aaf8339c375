package server

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// progressQueue is how many notifications may wait for a slow client; further ones are
	// left out. Each notification tells the whole current state.
	progressQueue = 32
	// aliveEvery is how long a client hears nothing at most while a run goes on. Clients
	// give up on requests that are silent; some wait for half a minute.
	aliveEvery = 4 * time.Second
)

// progress sends notifications about one request, to a client that gave a
// progress token with it. A nil progress sends none.
type progress struct {
	texts   chan string
	done    chan struct{}
	started time.Time
	calls   atomic.Int64 // that went out
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
	return startProgress(func(count int, text string) {
		// A client that is gone ends the request by other means.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(count), Message: text,
		})
	})
}

// startProgress passes on texts, and says that the run is alive when there was none for a
// while. Calls of notify do not overlap, and its count grows.
func startProgress(notify func(count int, text string)) *progress {
	p := &progress{texts: make(chan string, progressQueue), done: make(chan struct{}), started: time.Now()}
	go func() {
		defer close(p.done)
		alive := time.NewTicker(aliveEvery)
		defer alive.Stop()
		for count := 1; ; count++ {
			select {
			case text, open := <-p.texts:
				if !open {
					return
				}
				notify(count, text)
				alive.Reset(aliveEvery)
			case <-alive.C:
				notify(count, p.state())
			}
		}
	}()
	return p
}

// state says how long the request has taken and how many calls were made for it.
func (p *progress) state() string {
	return fmt.Sprintf("%d s, %d calls made", int(time.Since(p.started).Seconds()), p.calls.Load())
}

func (p *progress) observer() observer {
	if p == nil {
		return observer{}
	}
	return observer{
		status: p.send,
		call: func(seq int64, toolID string) {
			p.calls.Add(1)
			p.send(fmt.Sprintf("call %d: %s", seq, toolID))
		},
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
