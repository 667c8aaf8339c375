package sandbox

import "time"

const (
	// lately is how long a Pool remembers a burst at least; at most twice as long.
	lately = 2 * time.Minute
	// waitingMemory is what the pool reckons for one sandbox that waits, in bytes: gVisor's
	// take 45 MB, Docker's 18. A waiting sandbox has run no foreign code, so it does not
	// come near its memory limit, which is much larger.
	waitingMemory = 64 << 20
	// memoryShare of the available memory is for sandboxes that wait.
	memoryShare = 4
	// roomUnknown is how many may wait where the available memory cannot be known.
	roomUnknown = 4
)

// load decides how many sandboxes a Pool keeps ready: as many as the largest recent
// burst has taken. A burst is all Takes between one moment when no sandbox was missing
// and the next such moment. A burst makes the pool larger only if one of its Takes found
// none ready: as long as replacements come in time, more sandboxes would only take
// memory.
//
// load knows nothing about sandboxes. It gets the time from its caller, who holds
// Pool.mu.
type load struct {
	least, most int          // bounds of keep
	available   func() int64 // bytes of memory that are free; 0: unknown

	burst int       // Takes since nothing was missing
	short bool      // one of them found none ready
	peaks [2]int    // the largest burst of the last period, and of this one
	began time.Time // this period, unless both peaks are 0
	room  int       // how many the memory has room for, when last looked
}

// keep is how many sandboxes are to be ready.
func (l *load) keep() int { return max(l.least, min(l.peak(), l.most, l.room)) }

func (l *load) peak() int { return max(l.peaks[0], l.peaks[1]) }

// take counts a Take. ready says whether it found a sandbox, and held how many other
// sandboxes have not been taken.
func (l *load) take(now time.Time, ready bool, held int) {
	l.burst++
	l.short = l.short || !ready
	size := min(l.burst, l.most)
	if !l.short {
		size = min(size, l.keep())
	}
	if l.peak() == 0 {
		l.began = now
	}
	if size > l.keep() {
		l.look(held)
	}
	l.peaks[1] = max(l.peaks[1], size)
}

// full ends a burst: nothing is missing.
func (l *load) full() { l.burst, l.short = 0, false }

// forget ends periods that are over, and looks how much memory there is now.
func (l *load) forget(now time.Time, held int) {
	for l.peak() > 0 && now.Sub(l.began) >= lately {
		l.peaks = [2]int{l.peaks[1], 0}
		l.began = l.began.Add(lately)
		l.look(held)
	}
}

// due is when forget has something to do; zero: never.
func (l *load) due() time.Time {
	if l.peak() == 0 {
		return time.Time{}
	}
	return l.began.Add(lately)
}

// look finds out how many waiting sandboxes the memory has room for. The number
// includes those that are held already.
func (l *load) look(held int) {
	if l.most <= l.least {
		return // keep never varies
	}
	l.room = roomUnknown
	if free := l.available(); free > 0 {
		l.room = int(min((free+int64(held)*waitingMemory)/memoryShare/waitingMemory, int64(l.most)))
	}
}
