//go:build linux && (amd64 || arm64)

package gvisor

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// How often memory is looked at: while it changes somewhere, and while it does
// not. What a sandbox allocates between two looks it gets, which on one processor
// is some tens of megabytes.
const (
	busyInterval  = 25 * time.Millisecond
	quietInterval = 100 * time.Millisecond
)

// watchdog kills sandboxes that use more memory than they may. It works without
// control groups: the memory of all processes inside a sandbox, and its files in
// /tmp, lie in one file of the sentry, whose allocated blocks the kernel counts.
type watchdog struct {
	limit int64
	stop  chan struct{}
	done  chan struct{}
	wake  chan struct{}

	mu      sync.Mutex // guards watched
	watched map[*gauge]struct{}
}

// gauge measures one sandbox.
type gauge struct {
	memory *os.File // the sentry's memory file; nil until it is watched
	statm  *os.File // /proc/PID/statm of the sentry; nil when it is hidden from us, and its heap then unseen
	kill   func()
	over   bool  // it was over the limit at the last look
	last   int64 // what it used then
	gone   bool  // the sentry is, and the files are closed
}

func newWatchdog(limit int64) *watchdog {
	w := &watchdog{
		limit: limit, watched: make(map[*gauge]struct{}),
		stop: make(chan struct{}), done: make(chan struct{}), wake: make(chan struct{}, 1),
	}
	go w.run()
	return w
}

// add starts watching a sentry's memory file, which is the gauge's from now on, unless
// the sentry has ended meanwhile. The gauge's kill may be called more than once.
func (w *watchdog) add(g *gauge, memory *os.File) {
	w.mu.Lock()
	if g.gone {
		memory.Close()
	} else {
		g.memory = memory
		w.watched[g] = struct{}{}
	}
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// remove ends watching and closes the gauge's files. It need not have been added.
func (w *watchdog) remove(g *gauge) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.watched, g)
	g.gone = true
	closeFiles([]*os.File{g.memory, g.statm})
}

// close stops watching.
func (w *watchdog) close() {
	close(w.stop)
	<-w.done
}

func (w *watchdog) run() {
	defer close(w.done)
	for {
		var next <-chan time.Time // never, when there is nothing to watch
		switch watched, changed := w.look(); {
		case watched && changed:
			next = time.After(busyInterval)
		case watched:
			next = time.After(quietInterval)
		}
		select {
		case <-next:
		case <-w.wake:
		case <-w.stop:
			return
		}
	}
}

// look measures every sandbox once and kills those over the limit. It reports
// whether there are any, and whether any uses more or less than at the last look.
func (w *watchdog) look() (watched, changed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for g := range w.watched {
		inside, sentry := g.measure()
		// Freed memory leaves the file a moment late, so one look over the
		// limit is not enough unless it is far over.
		over := inside > w.limit
		if over && (g.over || inside-w.limit > w.limit/2) || inside+sentry > w.limit+sentryMemory {
			g.kill()
		}
		changed = changed || inside+sentry != g.last
		g.over, g.last = over, inside+sentry
	}
	return len(w.watched) > 0, changed
}

// measure returns the bytes used by the processes inside, and by the sentry for
// itself.
func (g *gauge) measure() (inside, sentry int64) {
	var st unix.Stat_t
	if err := unix.Fstat(int(g.memory.Fd()), &st); err == nil {
		inside = st.Blocks * 512
	}
	if g.statm == nil {
		return inside, 0
	}
	// size resident shared …, in pages; proc_pid_statm(5)
	var buf [128]byte
	n, err := g.statm.ReadAt(buf[:], 0)
	fields := bytes.Fields(buf[:n])
	if err != nil && n == 0 || len(fields) < 3 {
		return inside, 0 // it is dead
	}
	resident, errR := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, errS := strconv.ParseInt(string(fields[2]), 10, 64)
	if errR != nil || errS != nil {
		return inside, 0
	}
	return inside, (resident - shared) * int64(os.Getpagesize())
}
