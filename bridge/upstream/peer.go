package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// peer is one running server as a JSON-RPC partner: it pairs answers with requests
// and turns down what the server asks of us.
type peer struct {
	ch   channel
	log  *slog.Logger
	born time.Time

	// Set by the handshake and read-only after it.
	version  string                // of MCP, "" before
	words    string                // its instructions
	mirrored map[string][]mirrored // over HTTP: parameters by tool that go into headers too
	meta     []byte                // the _meta member of every request in a stateless session
	refused  map[string]string     // tools that may not be called any more, with the reason

	last atomic.Int64 // id of the last request

	mu      sync.Mutex                // guards what follows
	pending map[int64]chan<- incoming // nil once the peer is dead
	watched map[int64]func()          // told of progress, by request
	err     error                     // why it is dead
	died    time.Time

	counted bool // its death was counted; guarded by the Upstream

	ready atomic.Bool // the handshake is done and the tools are listed

	dead chan struct{} // closed when no answer will come any more
	done chan struct{} // closed when nothing is left of the server
}

var errEcho = errors.New("not an MCP server: it sends back what it is sent")

// newPeer starts reading from the channel.
func newPeer(ch channel, log *slog.Logger) *peer {
	p := &peer{
		ch: ch, log: log, born: time.Now(),
		pending: make(map[int64]chan<- incoming), watched: make(map[int64]func()),
		dead: make(chan struct{}), done: make(chan struct{}),
	}
	go p.read()
	return p
}

// read is the reader's goroutine. It ends with the channel, and then ends the rest
// of the server.
func (p *peer) read() {
	defer close(p.done)
	changed := false
	for {
		m, err := p.ch.receive()
		if err != nil {
			if p.fail(err) && p.ready.Load() { // an earlier failure is reported as the error of the start
				p.log.Warn("the connection ended", "error", err)
			}
			p.ch.close()
			return
		}
		switch {
		case m.method == "":
			p.deliver(m)
		case m.id != nil && (m.method == "initialize" || m.method == "server/discover"):
			// Only clients send these: a program such as cat sends back what it reads.
			p.fail(errEcho)
			p.ch.close()
		case m.id != nil:
			// Only ping is answered: "the receiver MUST respond promptly".
			p.log.Debug("request of the server", "method", oneLine(m.method, 100))
			p.ch.post(&message{reply: m.id, ok: m.method == "ping"})
		case m.about != 0:
			p.progressed(m.about)
		default:
			p.log.Debug("notification of the server", "method", oneLine(m.method, 100))
			if m.method == "notifications/tools/list_changed" && !changed {
				changed = true
				p.log.Warn("the server says that its tools changed; they stay those of the start")
			}
		}
	}
}

// progressed tells whoever waits for a request that there is progress.
func (p *peer) progressed(id int64) {
	p.mu.Lock()
	tell := p.watched[id]
	p.mu.Unlock()
	if tell != nil {
		tell()
	}
}

// deliver gives an answer to the request that waits for it. Other answers are dropped:
// they are repeated, made up, or belong to a cancelled request.
func (p *peer) deliver(m *incoming) {
	id, ok := integer(m.id)
	p.mu.Lock()
	wait := p.pending[id]
	delete(p.pending, id)
	p.mu.Unlock()
	if !ok || wait == nil {
		p.log.Debug("answer to no open request", "id", oneLine(string(m.id), 40))
		return
	}
	wait <- *m
}

// fail makes every open and every later request fail with err. It reports whether it
// was called for the first time.
func (p *peer) fail(err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pending == nil {
		return false
	}
	p.pending, p.err, p.died = nil, err, time.Now()
	close(p.dead)
	return true
}

func (p *peer) isDead() bool {
	select {
	case <-p.dead:
		return true
	default:
		return false
	}
}

// close ends the server. Open requests fail at once.
func (p *peer) close() {
	p.fail(fmt.Errorf("%w: closed", ErrUnavailable))
	p.ch.close()
	<-p.done
}

// request sends a request and waits for the answer's result.
func (p *peer) request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithCancel(ctx) // ends all work for the request when it returns
	defer cancel()
	id, answer, err := p.begin(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return p.await(ctx, id, answer)
}

// call sends a tools/call, with its id as progress token, and waits for the answer's
// result. progress may be nil.
func (p *peer) call(ctx context.Context, name, args []byte, progress func()) (json.RawMessage, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	id := p.last.Add(1)
	if progress != nil {
		p.mu.Lock()
		p.watched[id] = progress
		p.mu.Unlock()
		defer func() {
			p.mu.Lock()
			delete(p.watched, id)
			p.mu.Unlock()
		}()
	}
	answer, err := p.send(ctx, id, "tools/call", params(withToken(p.meta, id), []byte("name"), name, []byte("arguments"), args))
	if err != nil {
		return nil, err
	}
	return p.await(ctx, id, answer)
}

// withToken returns a _meta member, meta with a progress token.
func withToken(meta []byte, id int64) []byte {
	const open = `"_meta":{`
	b := make([]byte, 0, len(open)+len(meta)+48)
	b = strconv.AppendInt(append(b, open+`"progressToken":`...), id, 10)
	if rest, ok := bytes.CutPrefix(meta, []byte(open)); ok {
		return append(append(b, ','), rest...)
	}
	return append(b, '}')
}

// begin sends a request and returns where its answer will arrive.
func (p *peer) begin(ctx context.Context, method string, params json.RawMessage) (int64, <-chan incoming, error) {
	id := p.last.Add(1)
	answer, err := p.send(ctx, id, method, params)
	return id, answer, err
}

func (p *peer) send(ctx context.Context, id int64, method string, params json.RawMessage) (<-chan incoming, error) {
	answer := make(chan incoming, 1)
	p.mu.Lock()
	if p.pending == nil {
		defer p.mu.Unlock()
		return nil, p.err
	}
	p.pending[id] = answer
	p.mu.Unlock()
	if err := p.ch.send(ctx, &message{id: id, method: method, params: params}); err != nil {
		p.forget(ctx, id)
		p.settle(err)
		return nil, err
	}
	return answer, nil
}

// settleTime is how long a failed write waits for the reader to find the connection dead.
const settleTime = 200 * time.Millisecond

// settle is called after a write failed because the server is gone. It waits until the
// reader finds the connection dead, so that the next call starts the server again
// instead of failing too. (Over HTTP a write may fail although the connection works.)
func (p *peer) settle(err error) {
	if !errors.Is(err, ErrUnavailable) {
		return
	}
	select {
	case <-p.dead:
	case <-time.After(settleTime):
	}
}

func (p *peer) await(ctx context.Context, id int64, answer <-chan incoming) (json.RawMessage, error) {
	select {
	case m := <-answer:
		return m.result, m.err
	case <-ctx.Done():
		p.forget(ctx, id)
		return nil, ctx.Err()
	case <-p.dead:
	}
	select {
	case m := <-answer: // it arrived just before the end
		return m.result, m.err
	default:
		return nil, p.err
	}
}

// forget stops waiting for an answer. The server is told if the caller gave up; the initialize request "MUST NOT be cancelled by clients".
func (p *peer) forget(ctx context.Context, id int64) {
	p.mu.Lock()
	delete(p.pending, id)
	p.mu.Unlock()
	if ctx.Err() != nil && p.version != "" {
		p.ch.post(&message{method: "notifications/cancelled",
			params: fmt.Appendf(nil, `{"requestId":%d,"reason":%q}`, id, ctx.Err())})
	}
}

// params returns a request's parameters: meta, the session's _meta member or
// nothing, and the members given, each a key and its value as raw JSON.
func params(meta []byte, members ...[]byte) json.RawMessage {
	n := 3 + len(meta)
	for _, m := range members {
		n += len(m) + 4
	}
	b := append(make([]byte, 0, n), '{')
	b = append(b, meta...)
	for i := 0; i+1 < len(members); i += 2 {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), members[i]...), `":`...)
		b = append(b, members[i+1]...)
	}
	return append(b, '}')
}
