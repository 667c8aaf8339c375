package cputime_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cputime"
)

func TestWaitingIsNoWork(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the time that passed is all there is here")
	}
	m := cputime.Start()
	began := time.Now()
	for time.Since(began) < 300*time.Millisecond {
		time.Sleep(50 * time.Millisecond)
	}
	if took := m.Stop(); took > 100*time.Millisecond {
		t.Errorf("waiting for %v was %v of work", time.Since(began), took)
	}
}

var sum int

func TestWorkIsCounted(t *testing.T) {
	var took time.Duration
	for n := 1_000_000; took < 20*time.Millisecond; n *= 2 { // until it takes that long
		began, m := time.Now(), cputime.Start()
		for i := range n {
			sum += i ^ sum>>1
		}
		took = m.Stop()
		if passed := time.Since(began); took > passed+time.Millisecond {
			t.Fatalf("%v of work in %v", took, passed)
		}
		if n > 1<<36 {
			t.Fatal("no work was counted")
		}
	}
}

func BenchmarkMeter(b *testing.B) {
	for b.Loop() {
		cputime.Start().Stop()
	}
}
