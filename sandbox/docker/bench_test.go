//go:build linux

package docker

import (
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// BenchmarkColdStart is from nothing to a runner that says it is ready.
func BenchmarkColdStart(b *testing.B) {
	needEngine(b)
	d, err := New(b.Context(), Options{Runner: sandbox.RunnerSource})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	for b.Loop() {
		s, err := sandbox.Open(b.Context(), d)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
}

// BenchmarkRuns is whole lives of sandboxes, eight at a time.
func BenchmarkRuns(b *testing.B) {
	needEngine(b)
	d, err := New(b.Context(), Options{Runner: sandbox.RunnerSource})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			s, err := sandbox.Open(b.Context(), d)
			if err != nil {
				b.Error(err)
				return
			}
			s.Close()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}
