package sandbox

import (
	"fmt"
	"strconv"
	"time"
)

// endGrace is how long to wait for a killed sandbox to be gone. After that, the reason
// for its end is reported without its exit status.
const endGrace = 5 * time.Second

// exitLost is the runner's exit status when the code has closed the
// descriptors that the protocol needs.
const exitLost = 70

// stop is why a sandbox was ended.
type stop struct {
	kind   string // what Outcome.Error says after "stopped: ", where it is fixed
	detail string // for the operator: what exactly
}

var (
	stopClosed    = &stop{kind: "closed"}
	stopCancelled = &stop{kind: "cancelled"}
	stopViolation = &stop{kind: "protocol violation"}
	stopDeaf      = &stop{kind: "it did not answer"}
)

func stopDeadline(d time.Duration) *stop {
	return &stop{kind: fmt.Sprintf("deadline of %s s reached", strconv.FormatFloat(d.Seconds(), 'f', -1, 64))}
}

func stopFlood(limit int) *stop {
	return &stop{kind: "more than " + size(int64(limit)) + " of output"}
}

func violated(err error) *stop {
	return &stop{kind: stopViolation.kind, detail: err.Error()}
}

// stopExited says how a machine ended that the host did not end.
func stopExited(e Exit, lim Limits) *stop {
	s := &stop{detail: e.Detail}
	switch {
	case e.Memory:
		s.kind = "out of memory (" + size(lim.Memory) + ")"
	case e.Code == exitLost:
		s.kind = "the code closed descriptors that the sandbox needs"
	case e.Code > 128:
		s.kind = fmt.Sprintf("the sandbox ended (killed by signal %d)", e.Code-128)
	case e.Code >= 0:
		s.kind = fmt.Sprintf("the sandbox ended (exit status %d)", e.Code)
	default:
		s.kind = "the sandbox ended"
	}
	return s
}

// size writes a number of bytes the way people set limits.
func size(n int64) string {
	switch {
	case n > 0 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n > 0 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
