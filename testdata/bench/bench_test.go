package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
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

func TestPlotIsWellFormedAndHoldsEveryPoint(t *testing.T) {
	s := series{name: docker + ", gathered"}
	s.add(1, 3*time.Millisecond)
	s.add(10_000, 30*time.Second)
	one := series{name: bare}
	one.add(64, time.Second)
	svg := plot{{title: "a < b", x: "calls", y: "ms", series: []series{s, one}}, {title: "one point", series: []series{one}}}.svg()
	circles := 0
	for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			circles++
		}
	}
	if circles != 4 || bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
		t.Errorf("%d circles in\n%s", circles, svg)
	}
}
