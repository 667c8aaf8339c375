package upstream

import (
	"os"
	"runtime"
	"testing"
)

// count returns how many goroutines and open descriptors this process has.
func count(t *testing.T) (goroutines, descriptors int) {
	t.Helper()
	fds, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skip("SKIPPED: no /dev/fd here:", err)
	}
	return runtime.NumGoroutine(), len(fds)
}

func TestNothingGrowsWithStartsDeathsAndCloses(t *testing.T) {
	cycle := func() {
		u := startTest(t, mode())
		if _, err := u.Call(testContext(t), "die", nil); err == nil {
			t.Error("the server lives")
		}
		if _, err := u.Call(testContext(t), "empty", nil); err != nil {
			t.Error(err)
		}
		u.Close()
		m := inMemory(t)
		if _, err := m.Call(testContext(t), "mirror", nil); err != nil {
			t.Error(err)
		}
		m.Close()
	}
	cycle() // whatever is made once is made now
	goroutines, descriptors := count(t)
	for range 10 {
		cycle()
	}
	eventually(t, "goroutines and descriptors are as few as before", func() bool {
		g, d := count(t)
		return g <= goroutines+2 && d <= descriptors+2
	})
}
