package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// MaxCode is the size of the largest program that is taken, in bytes.
const MaxCode = sandbox.MaxCode

// Result is the result of one run or cell; run_python returns it.
type Result struct {
	// Stdout is what the code printed, standard output and error in order; of
	// more than Limits.OutputKept bytes the head and the tail.
	Stdout string `json:"stdout"`
	// Error is the end of the traceback, or why the run was stopped; nil when
	// the code finished.
	Error *string `json:"error"`
	// Truncated says that more was printed than Stdout holds.
	Truncated bool `json:"truncated"`
	// Stopped says that the host ended the run: deadline, output flood, memory,
	// protocol violation, cancellation.
	Stopped bool `json:"stopped"`
	// Refused counts the calls that were refused, if any.
	Refused []bridge.Refusal `json:"refused,omitempty"`
	// Calls are those that went out before the code failed or was stopped, if any, so
	// that the next program need not repeat what is done.
	Calls []bridge.Made `json:"calls,omitempty"`
}

// JSON is the text that run_python returns. It is for people and models to read, so <, >
// and & stand in it as they are.
func (r Result) JSON() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		return nil, fmt.Errorf("encoding the result: %w", err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// observer is told about the progress of a run. Its functions must not block.
type observer struct {
	status func(text string)
	call   func(seq int64, toolID string)
}

func (o observer) tell(status string) {
	if o.status != nil {
		o.status(status)
	}
}

// Run executes code in a fresh sandbox, as one run of the server's session. An error
// means that the code did not run: there is no sandbox or there are no tools, or ctx
// ended before the code started. Errors of the code are in the Result.
func (s *Server) Run(ctx context.Context, code string) (Result, error) {
	return s.run(ctx, asker{}, code, observer{})
}

// asker is who wants a run. The zero value is this process.
type asker struct {
	session     *bridge.Session // nil is the server's
	principal   engine.Principal
	traceParent string
}

func (s *Server) run(ctx context.Context, from asker, code string, watch observer) (Result, error) {
	if len(code) > MaxCode {
		return Result{}, ErrCodeTooLarge
	}
	cells, err := s.open(ctx, from, code, watch)
	if err != nil {
		return Result{}, err
	}
	// The answer does not wait for the sandbox to be gone; the pool does.
	defer func() { time.AfterFunc(answerFirst, cells.sandbox.Kill) }()
	return cells.Exec(ctx, code)
}

// answerFirst is how long an answer may take to be sent before its sandbox is killed: to
// end a machine keeps both processors of a small host busy for milliseconds.
const answerFirst = 5 * time.Millisecond

// ErrCodeTooLarge refuses a program of more than MaxCode bytes.
var ErrCodeTooLarge = errors.New("the code is larger than 1 MiB")

// Cells is one sandbox that is kept open. Variables, imports and functions of
// one cell are there for the next. All its cells are one run: they share the
// budget of calls, but each cell has a deadline of its own.
type Cells struct {
	sandbox *sandbox.Sandbox
	run     *bridge.Run
	log     *slog.Logger
}

// Open takes a sandbox that stays open until Close, as one run of the server's
// session.
func (s *Server) Open(ctx context.Context) (*Cells, error) {
	return s.open(ctx, asker{}, "", observer{})
}

func (s *Server) open(ctx context.Context, from asker, code string, watch observer) (*Cells, error) {
	if _, err := s.started(ctx); err != nil {
		return nil, err
	}
	session := cmp.Or(from.session, s.session)
	pool, err := s.sandboxes(ctx, watch)
	if err != nil {
		return nil, err
	}
	select {
	case <-s.equipped:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	box, err := pool.TakeQueued(ctx, func(ahead int) {
		watch.tell(fmt.Sprintf("waiting for a sandbox, %d ahead", ahead))
	})
	if err != nil {
		return nil, err
	}
	run := session.NewRun(bridge.RunOptions{
		Code: code, Principal: from.principal, TraceParent: from.traceParent, OnCall: watch.call,
	})
	return &Cells{sandbox: box, run: run, log: s.log}, nil
}

// Exec runs one cell. Cancelling ctx stops it and ends the sandbox. After a
// cell that was stopped, Exec returns an error. Cells run one at a time: a
// second Exec waits for the first.
func (c *Cells) Exec(ctx context.Context, code string) (Result, error) {
	if len(code) > MaxCode {
		return Result{}, ErrCodeTooLarge
	}
	c.sandbox.Tell(c.run.Seen())
	outcome, err := c.sandbox.ExecGated(ctx, code, func(ctx context.Context, call wire.Call) sandbox.Verdict {
		return sandbox.Verdict(c.run.Decide(ctx, call))
	})
	if err != nil {
		return Result{}, err
	}
	if outcome.Detail != "" {
		c.log.Info("run stopped", "reason", outcome.Error, "detail", outcome.Detail)
	}
	result := Result{
		Stdout: outcome.Stdout, Truncated: outcome.Truncated, Stopped: outcome.Stopped,
		Refused: c.run.Refused(),
	}
	if made := c.run.Made(); outcome.Error != "" {
		result.Error, result.Calls = &outcome.Error, made
	}
	return result, nil
}

// Close ends the sandbox and waits until it is gone.
func (c *Cells) Close() error { return c.sandbox.Close() }
