package stub

import (
	"fmt"
	"strings"
	"testing"
)

func toys(n int) []Entry {
	list := make([]Entry, n)
	for i := range list {
		name := fmt.Sprintf("tool%04d", i)
		list[i] = Entry{Name: name, Stub: "async def " + name + "(params: dict) -> str:\n    ...", Summary: name + "(): Does it."}
	}
	return list
}

// Every stub while they all fit, to the byte; one less and it is summaries.
func TestDescriptionHoldsEveryStubWhileTheyFit(t *testing.T) {
	list := toys(20)
	whole := Describe("Intro.", list, 1<<20)
	for _, e := range list {
		if !strings.Contains(whole, e.Stub) {
			t.Errorf("no stub of %s", e.Name)
		}
	}
	if got := Describe("Intro.", list, len(whole)); got != whole {
		t.Errorf("with room for all:\n%s", got)
	}
	less := Describe("Intro.", list, len(whole)-1)
	if len(less) >= len(whole) || strings.Contains(less, "async def") {
		t.Errorf("with a byte less:\n%s", less)
	}
	for _, e := range list {
		if !strings.Contains(less, e.Summary+"\n") {
			t.Errorf("no summary of %s", e.Name)
		}
	}
	if !strings.Contains(less, "TOOLS[name]") || !strings.Contains(less, "search_tools(query)") {
		t.Errorf("nothing says how to find a stub:\n%s", less)
	}
}

// Past the summaries that fit it says how many are left out and how to find
// them, and the count is right.
func TestDescriptionCountsWhatItLeavesOut(t *testing.T) {
	for _, max := range []int{300, 500, 1_000, 12_000} {
		list := toys(1_000)
		text := Describe("Intro.", list, max)
		if len(text) > max {
			t.Errorf("%d of %d bytes", len(text), max)
		}
		shown := strings.Count(text, "(): Does it.")
		if want := fmt.Sprintf("... and %d more: search_tools(query) finds them and TOOLS[name] shows a stub.", 1_000-shown); !strings.Contains(text, want) {
			t.Errorf("%d bytes, %d shown, no %q", max, shown, want)
		}
		if room := max - len(text); room > len(list[0].Summary)+1 {
			t.Errorf("%d bytes of room for another line", room)
		}
	}
}

func TestDescriptionNeverExceedsItsBound(t *testing.T) {
	for n := range 5 {
		for max := range 600 {
			if text := Describe("Intro of some length.\n", toys(n), max); len(text) > max {
				t.Fatalf("%d tools: %d of %d bytes", n, len(text), max)
			}
		}
	}
	if text := Describe("Intro.", nil, 100); text != "Intro." {
		t.Errorf("without tools: %q", text)
	}
}
