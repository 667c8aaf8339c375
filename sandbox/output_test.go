package sandbox

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOutputKeepsItsHeadAndItsTail(t *testing.T) {
	for _, test := range []struct {
		kept   int
		pieces []string
		want   string
	}{
		{100, []string{"a\n", "b\n"}, "a\nb\n"},
		{5, []string{"0123456789"}, "01234"}, // no room for a line that says so
		{5, []string{"01234"}, "01234"},
		{60, []string{strings.Repeat("a", 100)}, "aaaaaaaaaa\n[... 80 bytes of output left out ...]\naaaaaaaaaa"},
		{60, []string{"one\ntwo\nabc", strings.Repeat("x", 60), "\nlast\n"}, "one\ntwo\nab\n[... 57 bytes of output left out ...]\nxxxx\nlast\n"},
		{60, []string{"123456789\n", strings.Repeat("x", 60), "\nend\n"}, "123456789\n[... 55 bytes of output left out ...]\nxxxxx\nend\n"},
	} {
		o := output{kept: test.kept}
		for _, piece := range test.pieces {
			o.add(piece)
		}
		if got := o.text(); got != test.want {
			t.Errorf("%q of %d bytes: got %q, want %q", test.pieces, test.kept, got, test.want)
		}
	}
}

func FuzzOutputIsBoundedAndTruthful(f *testing.F) {
	f.Add("é😀\n", uint16(400), uint16(3))
	f.Add("x", uint16(10_000), uint16(200))
	f.Fuzz(func(t *testing.T, piece string, times, kept uint16) {
		piece = strings.ToValidUTF8(piece, "\uFFFD")
		o := output{kept: int(kept) + 1}
		var all strings.Builder
		for range times % 2000 {
			o.add(piece)
			all.WriteString(piece)
		}
		got := o.text()
		if len(got) > o.kept || !utf8.ValidString(got) || cap(o.tail) > 8*o.kept+64 || o.truncated() != (all.Len() > o.kept) {
			t.Fatalf("%d bytes of %d, of which %d may be kept; %d are held", len(got), all.Len(), o.kept, cap(o.tail))
		}
		var missing int
		head, rest, marked := strings.Cut(got, "\n[... ")
		if _, err := fmt.Sscanf(rest, "%d bytes of output left out ...]", &missing); !marked || err != nil || !o.truncated() {
			if !strings.HasPrefix(all.String(), got) {
				t.Fatalf("got %q of %q", got, all.String())
			}
			return
		}
		_, tail, _ := strings.Cut(rest, "...]\n")
		if !strings.HasPrefix(all.String(), head) || !strings.HasSuffix(all.String(), tail) {
			t.Fatalf("got %q of %q", got, all.String())
		}
		if newline := all.Len() - missing - len(head) - len(tail); newline != 0 && newline != 1 {
			t.Fatalf("%d bytes are missing, not %d", all.Len()-len(head)-len(tail), missing)
		}
	})
}
