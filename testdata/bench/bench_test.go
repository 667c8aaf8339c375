package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestQuantiles(t *testing.T) {
	var s sample
	for i := 100; i > 0; i-- {
		s = append(s, time.Duration(i))
	}
	if s.p50() != 50 || s.p99() != 99 || s.quantile(1) != 100 || s[0] != 100 {
		t.Errorf("p50 %d, p99 %d, most %d, first %d", s.p50(), s.p99(), s.quantile(1), s[0])
	}
	if one := (sample{7}); one.p50() != 7 || one.p99() != 7 {
		t.Errorf("of one: p50 %d, p99 %d", one.p50(), one.p99())
	}
	if none := (sample{}); none.p50() != 0 {
		t.Errorf("of none: %d", none.p50())
	}
}

func TestNumbersHaveThreeDigitsThatCount(t *testing.T) {
	for x, want := range map[float64]string{0.1234: "0.123", 1.234: "1.23", 12.34: "12.3", 1234.5: "1234"} {
		if got := digits(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

func TestTableIsMarkdownWithMissesMarked(t *testing.T) {
	var tab table
	tab.add("a run", "3 ms").set(docker, "4 ms", false)
	tab.add("another", "9 µs").set(gvisor, "5 µs", true)
	var got bytes.Buffer
	tab.write(&got)
	want := strings.TrimLeft(`
|         | goal | docker | gvisor | docker run | SDK, direct |
|---------|------|--------|--------|------------|-------------|
| a run   | 3 ms | 4 ms ✗ |        |            |             |
| another | 9 µs |        | 5 µs   |            |             |
`, "\n")
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestProcessesThatShareTheirMemoryAreTold(t *testing.T) {
	if !shareMemory(os.Getpid(), os.Getpid()) {
		t.Skip("not told apart here") // another system, or a kernel without kcmp
	}
	if shareMemory(os.Getpid(), os.Getppid()) {
		t.Error("this process has its parent's memory")
	}
}
