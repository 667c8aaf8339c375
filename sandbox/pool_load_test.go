package sandbox

import (
	"testing"
	"time"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newLoad(least, most int) *load {
	return &load{least: least, most: most, available: func() int64 { return 64 << 30 }}
}

// burst is so many Takes, of which the first found sandboxes ready, and then calm.
func (l *load) of(n, ready int) int {
	for i := range n {
		l.take(epoch, i < ready, max(0, ready-i))
	}
	l.full()
	return l.keep()
}

func TestAsManyAreKeptAsABurstHasTaken(t *testing.T) {
	l := newLoad(2, 16)
	for _, step := range []struct{ takes, ready, keep int }{
		{1, 1, 2},
		{2, 2, 2},
		{4, 2, 4},
		{3, 3, 4},
		{12, 4, 12},
		{40, 12, 16},
	} {
		if got := l.of(step.takes, step.ready); got != step.keep {
			t.Errorf("after %d Takes of which %d found one ready, %d are kept; want %d", step.takes, step.ready, got, step.keep)
		}
	}
}

func TestMoreAreNotKeptWhileReplacementsComeInTime(t *testing.T) {
	l := newLoad(2, 16)
	if got := l.of(100, 100); got != 2 {
		t.Errorf("%d are kept", got)
	}
}

func TestWhatWasWantedIsForgottenInTime(t *testing.T) {
	l := newLoad(2, 16)
	l.of(12, 2)
	l.forget(epoch.Add(lately), 12)
	l.take(epoch.Add(lately+time.Second), true, 11)
	for i := range 4 {
		l.take(epoch.Add(lately+time.Second), true, 10-i)
	}
	l.full()
	for _, step := range []struct {
		after time.Duration
		keep  int
	}{{lately, 12}, {2*lately - 1, 12}, {2 * lately, 5}, {3*lately - 1, 5}, {3 * lately, 2}, {100 * lately, 2}} {
		if l.forget(epoch.Add(step.after), 0); l.keep() != step.keep {
			t.Errorf("after %v, %d are kept; want %d", step.after, l.keep(), step.keep)
		}
	}
	if !l.due().IsZero() {
		t.Errorf("there is something to forget at %v", l.due())
	}
}

func TestMemoryBoundsWhatIsKeptBeyondTheLeast(t *testing.T) {
	const gib = 1 << 30
	for _, tt := range []struct {
		least, most int
		available   int64
		keep        int
	}{
		{2, 16, 64 * gib, 16},
		{2, 16, 2 * gib, 8}, // and the two that are held: a quarter of 2 GiB and 128 MiB
		{2, 16, 1, 2},
		{0, 16, 1, 0},
		{2, 16, 0, roomUnknown},
		{6, 16, 0, 6},
		{3, 3, 64 * gib, 3}, // --warm 3
		{3, 0, 64 * gib, 3},
		{0, 0, 64 * gib, 0},
	} {
		l := newLoad(tt.least, max(tt.least, tt.most))
		l.available = func() int64 { return tt.available }
		if got := l.of(40, tt.least); got != tt.keep {
			t.Errorf("with %d bytes available, %d of %d to %d are kept; want %d", tt.available, got, tt.least, tt.most, tt.keep)
		}
	}
}

func TestMemoryThatIsGoneMakesRoomForFewer(t *testing.T) {
	l := newLoad(2, 16)
	l.of(12, 2)
	l.available = func() int64 { return 256 << 20 }
	l.forget(epoch.Add(lately), 12)
	if got := l.keep(); got != 4 {
		t.Errorf("%d are kept in a quarter of 256 MiB and what 12 hold", got)
	}
}
