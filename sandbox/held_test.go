package sandbox

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// counter adds up what several runs hold, and remembers the most.
type counter struct {
	sync.Mutex
	now, most int64
}

func (c *counter) add(n int64) {
	c.Lock()
	defer c.Unlock()
	c.now += n
	c.most = max(c.most, c.now)
}

// TestResultsWaitForRoomAndAllGetTheirTurn runs calls of several runs that need from nothing
// to all that a run may hold. Each is let through at some time, and never are more bytes
// held than may be. A deadlock ends the test.
func TestResultsWaitForRoomAndAllGetTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const runs, calls = 6, 40
		all := semaphore.NewWeighted(maxHeld)
		var total counter
		var group sync.WaitGroup
		for range runs {
			r, own := room{semaphore.NewWeighted(maxHeldByRun), all}, &counter{}
			for i := range calls {
				most := int64(i%9) << 24 // to the whole room of a run
				group.Go(func() {
					reply, taken := r.answered(t.Context(), most, func() wire.Reply {
						own.add(most)
						total.add(most)
						time.Sleep(time.Second) // the server works
						own.add(-most)
						total.add(-most)
						return wire.Reply{Text: "some text"}
					})
					if most > 0 && taken != int64(len(reply.Text)) {
						t.Errorf("a result of %d bytes holds room for %d", len(reply.Text), taken)
					}
					r.give(taken)
				})
			}
			t.Cleanup(func() {
				if own.most > maxHeldByRun || own.most < maxHeldByRun*3/4 {
					t.Errorf("a run held %d MiB at once, of %d that it may", own.most>>20, maxHeldByRun>>20)
				}
			})
		}
		group.Wait()
		if total.most > maxHeld || total.most < maxHeld*3/4 {
			t.Errorf("all runs held %d MiB at once, of %d that they may", total.most>>20, maxHeld>>20)
		}
		if !all.TryAcquire(maxHeld) {
			t.Error("some room was not given back")
		}
	})
}

// Code that does not read its results keeps the room of its run, and its calls wait; those of
// others go on.
func TestARunThatDoesNotReadKeepsOnlyItsOwnRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := semaphore.NewWeighted(maxHeld)
		hostile := room{semaphore.NewWeighted(maxHeldByRun), all}
		ctx, end := context.WithCancel(t.Context())
		answered, reply := 0, wire.Reply{Text: strings.Repeat("x", 1<<20)}
		var waiting sync.WaitGroup
		for range 200 {
			waiting.Go(func() {
				_, taken := hostile.answered(ctx, 2<<20, func() wire.Reply {
					if ctx.Err() == nil {
						answered++
					}
					return reply
				})
				if taken > 0 {
					<-ctx.Done() // nobody reads it
					hostile.give(taken)
				}
			})
			synctest.Wait()
		}
		// The last one needs room for as much as it could have been.
		if answered != maxHeldByRun>>20-1 {
			t.Errorf("%d results of 1 MiB are held", answered)
		}
		other := room{semaphore.NewWeighted(maxHeldByRun), all}
		if _, err := other.take(t.Context(), maxHeldByRun); err != nil {
			t.Error(err)
		}
		end()
		waiting.Wait()
		if !all.TryAcquire(maxHeld - maxHeldByRun) {
			t.Error("some room was not given back")
		}
	})
}

// A result that nobody announced waits too, and one that is larger than may be held
// counts as that much.
func TestAResultThatWasNotAnnouncedWaits(t *testing.T) {
	r := room{semaphore.NewWeighted(maxHeldByRun), semaphore.NewWeighted(maxHeld)}
	large := wire.Reply{Content: make([]byte, maxHeldByRun+1)}
	reply := func() wire.Reply { return large }
	_, taken := r.answered(t.Context(), 0, reply)
	if taken != maxHeldByRun {
		t.Errorf("took %d", taken)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := r.take(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("there is room beside it: %v", err)
	}
	r.give(taken)
}
