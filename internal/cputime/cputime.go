// Package cputime measures the processor time of a piece of work, which time
// spent waiting, for a lock, a disk or a busy processor, is no part of.
package cputime

import (
	"runtime"
	"time"
)

// Meter is a measurement under way. Its goroutine keeps its thread meanwhile.
type Meter struct{ from time.Duration }

// Start begins to measure what this goroutine does. Each Start needs a Stop.
func Start() Meter {
	runtime.LockOSThread()
	return Meter{now()}
}

// Stop ends the measurement and returns the processor time since Start. Where the
// system cannot tell, it is the time that passed.
func (m Meter) Stop() time.Duration {
	took := now() - m.from
	runtime.UnlockOSThread()
	return max(took, 0)
}

var epoch = time.Now()

func passed() time.Duration { return time.Since(epoch) }
