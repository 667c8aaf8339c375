package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cputime"
	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/protocol"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// maxError is how much of a cell's error is kept, in bytes: the end of a traceback,
// which has the exception and where it arose.
const maxError = 2 << 10

// Outcome is how a cell ended. All of it is text for the model except Detail.
type Outcome struct {
	Stdout    string // what the code printed, at most Limits.OutputKept bytes: its head and its tail
	Error     string // the end of the traceback, or why the code was stopped; "" when it finished
	Truncated bool   // more was printed than kept
	Stopped   bool   // the code did not end by itself; the sandbox is gone
	Detail    string // for the operator: what lies behind a stop, where there is more to say
}

// Exec runs code as the next cell and returns how it ended. Tool calls go to
// call, at most Limits.InFlight at once; their context is cancelled when the
// cell ends or is stopped, and Exec returns only after all of these calls have
// returned. So the sandbox is dead at the deadline whatever a call does, but Exec
// still waits for calls that ignore their context.
//
// Everything from the sandbox is hostile. The code is stopped and the sandbox ended
// by a line that breaks the protocol, by too much output, at the deadline, when
// memory runs out, and when ctx is cancelled. None of these is an error of Exec; an
// error means that the code did not run: it is not valid UTF-8, it is longer than
// MaxCode, or the sandbox is gone (ErrGone).
func (s *Sandbox) Exec(ctx context.Context, code string, call CallFunc) (Outcome, error) {
	return s.ExecGated(ctx, code, call.gate)
}

// ExecGated is Exec with a gate that decides about calls before they are
// answered. The host's work for the code uses up a credit that grows with time.
// When the credit is used up, the code waits.
func (s *Sandbox) ExecGated(ctx context.Context, code string, gate Gate) (Outcome, error) {
	switch {
	case len(code) > MaxCode:
		return Outcome{}, fmt.Errorf("running code: %d bytes, more than %d", len(code), MaxCode)
	case !utf8.ValidString(code):
		return Outcome{}, errors.New("running code: not UTF-8")
	}
	if err := s.acquire(ctx); err != nil {
		return Outcome{}, fmt.Errorf("running code: %w", err)
	}
	defer s.release()
	s.cell++
	s.printed.Store(0)
	e := &execution{
		s: s, cell: s.cell, gate: gate, more: make(chan answer), room: newRoom(),
		places: make(chan struct{}, s.lim.InFlight), inFlight: map[int64]context.CancelFunc{},
	}
	return e.run(ctx, code), nil
}

// answer is a call that was decided and has yet to be answered.
type answer struct {
	id    int64
	reply func() (_ wire.Reply, taken int64) // with the room that it holds
	end   context.CancelFunc                 // of the call's context
}

// execution is one cell under way.
type execution struct {
	s        *Sandbox
	cell     int64
	gate     Gate
	output   output
	outLines int // bytes of all lines that carried output

	started   int64          // calls so far
	cancelled int64          // of them, as the runner says
	calls     sync.WaitGroup // goroutines that answer calls
	more      chan answer    // hands a call to an idle one of them
	places    chan struct{}  // holds a token for each call that is being answered, cancelled ones included
	room      room           // for results that are not written yet

	mu       sync.Mutex
	inFlight map[int64]context.CancelFunc // calls that have no reply yet and are not cancelled; guarded by mu
	over     bool                         // the cell is done: no reply may go out; guarded by mu
}

func (e *execution) run(ctx context.Context, code string) Outcome {
	s := e.s
	e.output.kept = s.lim.OutputKept
	callCtx, cancel := context.WithCancel(ctx)
	defer e.calls.Wait()
	defer cancel()
	deadline := time.AfterFunc(s.lim.Deadline, func() { s.kill(stopDeadline(s.lim.Deadline)) })
	defer deadline.Stop()
	defer context.AfterFunc(ctx, func() { s.kill(stopCancelled) })()

	err := s.send(protocol.AppendExec(s.appendSeen(nil), e.cell, code))
	for err == nil {
		var done *protocol.Message
		if done, err = e.next(callCtx); done != nil {
			e.finish()
			cancel()
			e.calls.Wait() // before the deadline is over: one may be writing to a runner that does not read
			return e.outcome(cut.Tail(done.Error, maxError))
		}
	}
	cancel() // calls need not wait for the machine to be gone
	return e.stopped(err)
}

// next reads and handles one line. It returns the message that ends the cell, if it is that.
func (e *execution) next(ctx context.Context) (done *protocol.Message, err error) {
	line, err := e.s.in.ReadLine()
	if err != nil {
		return nil, err
	}
	m, parsing, err := parse(line)
	if err == nil {
		err = e.checkSize(m.Op, len(line))
	}
	if err != nil {
		return nil, err
	}
	switch m.Op {
	case protocol.OpOut:
		e.output.add(m.Text)
		if e.s.print(len(m.Text)) {
			return nil, errors.New("output flood")
		}
		e.s.pay(parsing)
		return nil, nil
	case protocol.OpCall:
		deciding, err := e.start(ctx, m.Call)
		e.s.pay(parsing + deciding)
		return nil, err
	case protocol.OpCancel:
		err := e.cancel(m.Call.ID)
		e.s.pay(parsing)
		return nil, err
	case protocol.OpDone:
		if m.Cell != e.cell {
			return nil, fmt.Errorf("%w: done with cell %d during cell %d", protocol.ErrViolation, m.Cell, e.cell)
		}
		return &m, nil
	}
	return nil, fmt.Errorf("%w: %q during a cell", protocol.ErrViolation, m.Op)
}

// parse reads one line, and says what that took: processor time, or, of a short line, for which
// measuring that takes about as long as the line itself, the time that passed.
func parse(line []byte) (m protocol.Message, took time.Duration, err error) {
	const short = 4 << 10 // bytes
	if len(line) <= short {
		began := time.Now()
		m, err = protocol.ParseRunner(line)
		return m, time.Since(began), err
	}
	work := cputime.Start()
	m, err = protocol.ParseRunner(line)
	return m, work.Stop(), err
}

// start checks that the runner may make this call, has the gate decide about it and
// lets it be answered. It returns the processor time of deciding. Ids must grow, so
// no id comes twice and none has to be remembered.
func (e *execution) start(ctx context.Context, c wire.Call) (work time.Duration, err error) {
	if e.s.end.Load() != nil { // the sandbox is being ended: nothing more is decided for it
		return 0, ErrGone
	}
	if c.ID <= e.s.lastID {
		return 0, fmt.Errorf("%w: call id %d after %d", protocol.ErrViolation, c.ID, e.s.lastID)
	}
	e.s.lastID = c.ID
	e.started++
	callCtx, end := context.WithCancel(ctx)
	e.mu.Lock()
	e.inFlight[c.ID] = end
	n := len(e.inFlight)
	e.mu.Unlock()
	if n > e.s.lim.InFlight {
		return 0, fmt.Errorf("%w: more than %d calls at once", protocol.ErrViolation, e.s.lim.InFlight)
	}
	if !e.takePlace(ctx) {
		return 0, ErrGone
	}
	v := e.gate(callCtx, c)
	if v.End != "" {
		e.s.kill(&stop{kind: v.End})
		return v.Work, errors.New(v.End)
	}
	reply := func() (wire.Reply, int64) { return e.room.answered(callCtx, int64(v.Bytes), v.Answer) }
	a := answer{id: c.ID, reply: reply, end: end}
	select {
	case e.more <- a:
	default:
		e.calls.Go(func() { e.answer(ctx, a) })
	}
	return v.Work, nil
}

// takePlace waits until fewer calls than allowed are being answered. More of them can
// only be cancelled ones that have not ended yet: code that makes calls and cancels
// them gets no more of them to the servers at once than other code.
func (e *execution) takePlace(ctx context.Context) bool {
	select {
	case e.places <- struct{}{}:
		return true
	case <-e.s.ending:
	case <-ctx.Done():
	}
	return false
}

// cancel ends a call that nothing waits for any more; no reply to it is written. Its
// reply may have been written already, so an id that is not under way is no violation,
// but there are no more cancelled calls than calls.
func (e *execution) cancel(id int64) error {
	e.cancelled++
	if id > e.s.lastID || e.cancelled > e.started {
		return fmt.Errorf("%w: call %d is cancelled, which is no call or was cancelled before", protocol.ErrViolation, id)
	}
	e.mu.Lock()
	end := e.inFlight[id]
	delete(e.inFlight, id)
	e.mu.Unlock()
	if end != nil {
		end()
	}
	return nil
}

// answer answers a call, and then others until the cell ends. The goroutine is used
// again because its stack has already grown to the size that a call needs.
func (e *execution) answer(ctx context.Context, a answer) {
	for {
		reply, taken := a.reply()
		a.end()
		<-e.places
		// A reply that cannot be written finds the sandbox dead, which the
		// reading side notices too.
		_ = e.s.out.Send(func(dst []byte) ([]byte, bool) { return e.appendReply(ctx, dst, a.id, reply) })
		e.room.give(taken)
		select {
		case a = <-e.more:
		case <-ctx.Done():
			return
		}
	}
}

// appendReply runs when the reply is about to be written; from then on the runner may
// make another call in place of this one. It reports whether more replies are to
// come. Code that is being stopped gets no more replies: with one it could finish as
// if it had not been stopped.
func (e *execution) appendReply(ctx context.Context, dst []byte, id int64, r wire.Reply) (_ []byte, more bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, waited := e.inFlight[id]; !waited || e.over || ctx.Err() != nil {
		return dst, false
	}
	delete(e.inFlight, id)
	return protocol.AppendReply(dst, id, r), len(e.inFlight) > 0
}

// finish forgets the calls that are still under way, as the runner does.
func (e *execution) finish() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
}

// stopped ends the sandbox, waits until it is dead and says why it was ended.
func (e *execution) stopped(err error) Outcome {
	s := e.s
	if errors.Is(err, protocol.ErrViolation) {
		s.kill(violated(err))
	} else if s.end.Load() == nil {
		s.awaitExit() // the stream ended by itself, so the machine is about to end too
	}
	s.inst.Kill()
	dead := s.awaitExit()
	end := s.end.Load()
	if end == nil {
		end = &stop{kind: "the sandbox ended", detail: err.Error()}
		if dead {
			end = stopExited(s.exit, s.lim)
		}
		s.setEnd(end)
		end = s.end.Load()
	}
	o := e.outcome("stopped: " + end.kind)
	o.Stopped, o.Detail = true, end.detail
	return o
}

func (e *execution) outcome(text string) Outcome {
	return Outcome{Stdout: e.output.text(), Error: text, Truncated: e.output.truncated()}
}
