package sandbox

import "time"

const (
	// refillDelay is how long after a run has ended its replacement is started, because
	// another run may follow at once. A run that goes on is left alone for
	// refillPatience, counted from the last Take.
	refillDelay    = 10 * time.Millisecond
	refillPatience = 500 * time.Millisecond
)

// stage is what a Pool does about missing sandboxes. To start one keeps a processor
// busy. So the pool starts one when that delays runs least, but early enough that no
// Take has to wait for it.
type stage int

const (
	full    stage = iota // none is missing: nothing
	resting              // some are ready, and a run goes on or has just ended: nothing yet
	failing              // a start has failed: nothing until the backoff is over
	filling              // no run needs the processors: starts, on half of them
	pressed              // a burst has taken the last one: starts, on all processors
	asked                // Takes wait: a start for each, and more as if pressed
)

// pace holds everything that decides the stage. The stage is not stored: the pool
// computes it again after every change.
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

// stage returns the stage and, if the stage ends by itself, the time when it ends.
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

// starts is how many starts to begin now and, if there is something to wait for, until
// when to wait.
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
