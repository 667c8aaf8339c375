package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Command is a server that is started as a process and speaks over its pipes.
type Command struct {
	// Path is the program. A name without a slash is found in the PATH of Env.
	Path string
	// Args are what follows Path on the command line.
	Args []string
	// Env is the whole environment of the server, nothing is added. Nil means
	// [DefaultEnv].
	Env []string
	// Dir is the working directory, ours if empty.
	Dir string
}

// Options says which server to wrap. Exactly one of Command and Transport is set.
type Options struct {
	// Name is the server's name in errors and logs. It must not be empty.
	Name string
	// Command is started by Start, and again after it died.
	Command *Command
	// Transport is connected by Start, and again after the connection broke. This
	// needs a transport that can connect twice, as the SDK's HTTP client can.
	Transport mcp.Transport
	// Logger gets what happens to the server, never what is sent to it. What the
	// server itself writes to stderr goes there at debug level. Nil discards.
	Logger *slog.Logger
	// MaxAnswer is the size of the largest result of a call that is read, in bytes as
	// it comes; zero means DefaultAnswer.
	MaxAnswer int
	// Implementation is the client's name and version that the server is told. Nil:
	// mcp-code-mode.
	Implementation *mcp.Implementation
}

// Upstream is a wrapped server. Its methods may be called from any goroutine.
type Upstream struct {
	opts      Options
	log       *slog.Logger
	transport mcp.Transport           // opts.Transport, bounded
	version   *atomic.Pointer[string] // the protocol version, for transport

	// Set by Start and read-only after it.
	tools    []Tool
	pinned   map[string]string // a tool's name to its fingerprint
	warnings []string
	words    string

	live atomic.Pointer[peer] // the running server, or the last one that ran

	mu       sync.Mutex // guards what follows
	legacy   bool       // server/discover is of no use with this server
	closed   bool
	attempt  *attempt  // to start it again
	failures int       // in a row, of attempts and of servers that died soon
	retryAt  time.Time // no attempt before

	quit chan struct{}  // closed by Close
	work sync.WaitGroup // attempts under way
}

// Start starts or connects to a server, agrees on a protocol version and reads its
// tools. When ctx ends first, or anything else fails, nothing is left running. If a
// process ended, the error names the last lines of its stderr. If an option has an
// impossible value, the error wraps an *OptionError.
func Start(ctx context.Context, o Options) (*Upstream, error) {
	switch {
	case o.Name == "":
		return nil, fmt.Errorf("starting a server: %w", &OptionError{"Name", "there is none"})
	case (o.Command == nil) == (o.Transport == nil):
		return nil, fmt.Errorf("starting %q: %w", o.Name, &OptionError{"Command", "want it or a Transport"})
	case o.MaxAnswer < 0:
		return nil, fmt.Errorf("starting %q: %w", o.Name, &OptionError{"MaxAnswer", "it is negative"})
	}
	if o.MaxAnswer == 0 {
		o.MaxAnswer = DefaultAnswer
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Implementation == nil {
		o.Implementation = &mcp.Implementation{Name: "mcp-code-mode", Version: "1"}
	}
	u := &Upstream{opts: o, log: o.Logger.With("server", o.Name), quit: make(chan struct{})}
	u.transport, u.version = bounded(o.Transport, o.MaxAnswer+lineFrame)
	p, l, err := u.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting %q: %w", o.Name, err)
	}
	u.tools, u.warnings, u.words = l.tools, l.warnings, p.words
	u.pinned = make(map[string]string, len(l.tools))
	for _, t := range l.tools {
		u.pinned[t.Name] = t.SHA256
	}
	u.live.Store(p)
	return u, nil
}

// Tools returns the tools as they were listed at the start, in the server's order.
// They do not change while the Upstream exists.
func (u *Upstream) Tools() []Tool { return slices.Clone(u.tools) }

// Instructions is what the server said of itself and its use at the start: untrusted
// text of at most 64 KiB, or "".
func (u *Upstream) Instructions() string { return u.words }

// Warnings says what was wrong with the list of tools: which were left out, what
// was ignored. One line each, free of control characters.
func (u *Upstream) Warnings() []string { return slices.Clone(u.warnings) }

// Call calls a tool. args is a JSON object without leading space (nil: an empty object),
// and goes out byte for byte. There is one exception: if args has line breaks between
// its tokens, the space between the tokens is removed, because one line is one message
// to a process. Call relies on args being valid JSON from an encoder and does not check
// it: text of unknown origin could add members to the message.
//
// A server that died is started again first. While a server keeps dying, the wait before
// a start grows, up to 30 s; a call waits for at most one second of it and then
// fails. A tool whose definition is no longer what it was at the start
// is not called.
//
// When ctx ends, Call returns its error at once, the server is told that the request
// is cancelled, and an answer that still comes is dropped. Otherwise the error is an
// [*RPCError] or wraps [ErrUnavailable], [ErrTooLarge] or [ErrBadAnswer]. The only
// timeout is ctx's. A failed call is never sent again.
func (u *Upstream) Call(ctx context.Context, tool string, args []byte) (Result, error) {
	return u.CallWatched(ctx, tool, args, nil)
}

// CallWatched is Call, and has progress called, unless it is nil, whenever the server
// reports progress of the call. It must be quick. What the server says of its progress is not
// read.
func (u *Upstream) CallWatched(ctx context.Context, tool string, args []byte, progress func()) (Result, error) {
	r, err := u.call(ctx, tool, args, progress)
	if err != nil {
		return Result{}, fmt.Errorf("calling %q: %w", u.opts.Name+"/"+tool, err)
	}
	return r, nil
}

func (u *Upstream) call(ctx context.Context, tool string, args []byte, progress func()) (Result, error) {
	if _, ok := u.pinned[tool]; !ok {
		return Result{}, errors.New("no such tool")
	}
	args, err := arguments(args)
	if err != nil {
		return Result{}, err
	}
	name, err := json.Marshal(tool)
	if err != nil {
		return Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	p, err := u.running(ctx)
	if err != nil {
		return Result{}, err
	}
	if why, ok := p.refused[tool]; ok {
		return Result{}, fmt.Errorf("%w: %s", ErrUnavailable, why)
	}
	if m := p.mirrored[tool]; m != nil {
		ctx = withHeaders(ctx, headersOf(m, args))
	}
	raw, err := p.call(ctx, name, args, progress)
	if err != nil {
		return Result{}, err
	}
	return readResult(raw, u.opts.MaxAnswer)
}

// arguments makes args fit on one line. Valid JSON has raw line breaks only between
// its tokens; without any, args is not read again.
func arguments(args []byte) ([]byte, error) {
	if args == nil {
		return []byte("{}"), nil
	}
	if !isObject(args) {
		return nil, errors.New("the arguments are not a JSON object")
	}
	if bytes.IndexByte(args, '\n') < 0 && bytes.IndexByte(args, '\r') < 0 {
		return args, nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, args); err != nil {
		return nil, fmt.Errorf("the arguments are not a JSON object: %w", err)
	}
	return b.Bytes(), nil
}

// Close ends the server and everything it started, and returns when nothing of it
// is left: after at most about 3 s for one that does not want to end. Calls
// in flight fail with [ErrUnavailable]. Closing twice is fine.
func (u *Upstream) Close() error {
	u.mu.Lock()
	if !u.closed {
		u.closed = true
		close(u.quit)
	}
	u.mu.Unlock()
	u.work.Wait()
	u.live.Load().close()
	return nil
}
