package cut_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

func TestHeadTailAndMarkedAreBoundedInBytes(t *testing.T) {
	for _, test := range []struct {
		s                  string
		size               int
		head, tail, marked string
	}{
		{"", 0, "", "", ""},
		{"abc", 3, "abc", "abc", "abc"},
		{"abcd", 3, "abc", "bcd", "..."},
		{"abcd", 2, "ab", "cd", "ab"},
		{"abcd", 0, "", "", ""},
		{"ab cdefg", 6, "ab cde", " cdefg", "ab..."},
		{"ééé", 3, "é", "é", "..."},
		{"ééé", 5, "éé", "éé", "é..."},
		{"a😀b", 4, "a", "b", "a..."},
	} {
		if got := cut.Head(test.s, test.size); got != test.head {
			t.Errorf("Head(%q, %d): got %q, want %q", test.s, test.size, got, test.head)
		}
		if got := cut.Tail(test.s, test.size); got != test.tail {
			t.Errorf("Tail(%q, %d): got %q, want %q", test.s, test.size, got, test.tail)
		}
		if got := cut.Marked(test.s, test.size, "..."); got != test.marked {
			t.Errorf("Marked(%q, %d): got %q, want %q", test.s, test.size, got, test.marked)
		}
	}
}

func TestCharactersIsBoundedInCharacters(t *testing.T) {
	for _, test := range []struct {
		s    string
		most int
		want string
	}{
		{"", 1, ""}, {"a", 1, "a"}, {"ab", 1, "…"}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"},
		{"ééé", 3, "ééé"}, {"éééé", 3, "éé…"}, {strings.Repeat("😀", 500), 2, "😀…"},
	} {
		if got := cut.Characters(test.s, test.most); got != test.want {
			t.Errorf("Characters(%q, %d): got %q, want %q", test.s, test.most, got, test.want)
		}
	}
}

func FuzzCutTextStaysValidAndBounded(f *testing.F) {
	f.Add("aé😀 b", uint8(5))
	f.Add("   ", uint8(2))
	f.Fuzz(func(t *testing.T, s string, n uint8) {
		s = strings.ToValidUTF8(s, "\uFFFD")
		size := int(n)
		for name, got := range map[string]string{"Head": cut.Head(s, size), "Tail": cut.Tail(s, size), "Marked": cut.Marked(s, size, "...")} {
			if len(got) > size || !utf8.ValidString(got) || len(s) <= size && got != s {
				t.Errorf("%s(%q, %d): got %q", name, s, size, got)
			}
		}
		if size == 0 {
			return
		}
		if got := cut.Characters(s, size); utf8.RuneCountInString(got) > size || !utf8.ValidString(got) {
			t.Errorf("Characters(%q, %d): got %q", s, size, got)
		}
	})
}
