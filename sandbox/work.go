package sandbox

import (
	"fmt"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/protocol"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// The bounds on what one run makes the host do. docs/decisions/030 has the
// reasons and the numbers.
const (
	// The host spends at most 1/workShare of a sandbox's processor limit on the
	// sandbox's lines. Code that asks for more is slowed down: its lines are read
	// later.
	workShare = 4
	// workBurst is the most credit that a run can have.
	workBurst = time.Second

	// callFrame is what a line has besides a call's arguments, in bytes: the tool
	// id with every byte escaped, and the keys.
	callFrame = 6*wire.MaxTool + 256
	// linePerOutput is how many bytes of lines one byte of output may take. One
	// byte that is escaped, on a line of its own, takes 31.
	linePerOutput = 32
)

// maxLine is the longest line that a sandbox may write, in bytes.
func (l Limits) maxLine() int { return max(protocol.MaxLine, l.Arguments+callFrame) }

// checkSize refuses lines that are longer than their content can need. The runner
// never writes such lines, because it refuses arguments that are too large itself.
func (e *execution) checkSize(op protocol.Op, line int) error {
	lim := e.s.lim
	if op == protocol.OpCall && line > lim.Arguments+callFrame {
		return fmt.Errorf("%w: a call of %d bytes, with arguments of at most %d", protocol.ErrViolation, line, lim.Arguments)
	}
	if op != protocol.OpOut {
		return nil
	}
	e.outLines += line
	if e.outLines > linePerOutput*lim.OutputFlood {
		return fmt.Errorf("%w: %d bytes of lines for %d bytes of output", protocol.ErrViolation, e.outLines, e.output.total)
	}
	return nil
}

// credit is the processor time of the host that a run may still cost. It grows with
// time and shrinks with work.
type credit struct {
	share float64 // how much of the time that passes is added
	left  time.Duration
	last  time.Time
}

func newCredit(cpus float64) credit {
	return credit{share: cpus / workShare, left: workBurst, last: time.Now()}
}

// spend takes work off the credit, and returns how long the run has to wait until the
// credit is no longer below zero.
func (c *credit) spend(work time.Duration) time.Duration {
	now := time.Now()
	c.left = min(workBurst, c.left+time.Duration(float64(now.Sub(c.last))*c.share)) - work
	c.last = now
	if c.left >= 0 {
		return 0
	}
	return time.Duration(float64(-c.left) / c.share)
}

// pay takes the host's work on one line off the run's credit, and waits while the
// credit is below zero.
func (s *Sandbox) pay(work time.Duration) {
	wait := s.credit.spend(work)
	if wait == 0 {
		return
	}
	select {
	case <-time.After(wait):
	case <-s.ending:
	}
}
