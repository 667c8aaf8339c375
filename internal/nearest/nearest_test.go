package nearest_test

import (
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/internal/nearest"
)

func TestOfSuggestsOnlyWhatIsNear(t *testing.T) {
	keys := []string{"command", "args", "env", "type", "allow", "private", "rules", "pageSize", "x", "-"}
	for word, want := range map[string]string{
		"privat":                 "private",
		"Command":                "command",
		"alow":                   "allow",
		"arg":                    "args",
		"environment":            "env",
		"rule":                   "rules",
		"page_size":              "pageSize",
		"p":                      "private",
		"url":                    "",
		"y":                      "",
		"_":                      "",
		"disabled":               "",
		"":                       "",
		strings.Repeat("a", 100): "",
	} {
		if got := nearest.Of(word, keys); got != want {
			t.Errorf("Of(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestOfComparesABoundedAmount(t *testing.T) {
	known := make([]string, 1000)
	for i := range known {
		known[i] = "something-else"
	}
	known[0], known[999] = strings.Repeat("word", 20), "word"
	if got := nearest.Of("word", known); got != "" {
		t.Errorf("got %q", got)
	}
}
