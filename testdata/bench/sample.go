package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// sample is how long the same thing took, over and over, in the order it was done.
type sample []time.Duration

// quantile is the smallest value that a share q of the sample does not exceed.
func (s sample) quantile(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[max(0, int(math.Ceil(q*float64(len(s))))-1)]
}

func (s sample) p50() time.Duration { return s.quantile(0.50) }
func (s sample) p99() time.Duration { return s.quantile(0.99) }

// patience is how long one sample may take: on a busy machine it is smaller.
const (
	patience = 20 * time.Second
	atLeast  = 5
)

// repeat takes a sample of n, or of as many as there is time for.
func repeat(n int, do func() (time.Duration, error)) (sample, error) {
	s := make(sample, 0, n)
	for start := time.Now(); len(s) < n && (len(s) < atLeast || time.Since(start) < patience); {
		took, err := do()
		if err != nil {
			return nil, err
		}
		s = append(s, took)
	}
	return s, nil
}

// rounds is how often short measurements are taken again, in turn with the others of their
// kind: what else a machine does comes and goes by the second.
const rounds = 9

func median(d []time.Duration) time.Duration { return sample(d).p50() }

// milliseconds with three digits that count, or a few more: 0.123, 4.56, 78.9, 1234.
func ms(d time.Duration) string { return digits(float64(d) / float64(time.Millisecond)) }

func us(d time.Duration) string { return digits(float64(d) / float64(time.Microsecond)) }

func digits(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	case x >= 1:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.3f", x)
}
