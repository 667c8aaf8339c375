package sandbox

import "time"

const (
	// refillDelay is how long after a run has ended its replacement is started, because
	// another run may follow at once. A run that goes on is left alone for
	// refillPatience, counted from the last Take.
	refillDelay    = 10 * time.Millisecond
	refillPatience = 500 * time.Millisecond
)

// stage is what a Pool does about sandboxes that are missing. Starting one keeps a
// processor busy, so it is done when it disturbs least, but before a Take has to
// wait for it.
type stage int

const (
	full    stage = iota // none is missing: nothing
	resting              // some are ready, and a run goes on or has just ended: nothing yet
	failing              // a start has failed: nothing before its backoff is over
	filling              // nobody needs the processors: starts, on half of them
	pressed              // in a burst none is left: starts, on all processors
	asked                // Takes wait: a start for each, and more as if pressed
)

// pace is all that a stage follows from. Nothing else remembers it: after every
// change the pool asks anew.
type pace struct {
	now        time.Time
	processors int

	keep     int // sandboxes that are to be ready
	idle     int // those that are
	starting int // starts under way
	waiting  int // Takes that wait for a start
	running  int // sandboxes taken and not gone
	burst    int // Takes since nothing was missing

	lastTake, lastEnd time.Time // of a run
	failed            bool      // the last start did
	notBefore         time.Time // backoff after that
}

// stage returns the stage, and for those that end by themselves when it does.
func (p pace) stage() (s stage, until time.Time) {
	left := p.lastEnd.Add(refillDelay)
	if p.running > 0 {
		left = p.lastTake.Add(refillPatience)
	}
	switch {
	case p.waiting > p.starting:
		return asked, time.Time{}
	case p.missing() <= 0:
		return full, time.Time{}
	case p.now.Before(p.notBefore):
		return failing, p.notBefore
	case p.idle == 0 && p.burst > 0:
		return pressed, time.Time{}
	case p.now.Before(left):
		return resting, left
	}
	return filling, time.Time{}
}

// missing is how many starts it takes until nothing is missing.
func (p pace) missing() int { return p.keep + p.waiting - p.idle - p.starting }

// starts is how many starts to begin now, and if there is something to wait for,
// until when.
func (p pace) starts() (n int, until time.Time) {
	s, until := p.stage()
	var atOnce int
	switch s {
	case full, resting, failing:
		return 0, until
	case filling:
		atOnce = max(1, p.processors/2)
	case pressed, asked:
		atOnce = p.processors
	}
	if p.failed {
		atOnce = 1
	}
	return max(0, p.waiting-p.starting, min(p.missing(), atOnce-p.starting)), until
}
