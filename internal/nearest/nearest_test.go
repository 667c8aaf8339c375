package nearest_test

import (
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/internal/nearest"
)

func TestOfSuggestsOnlyWhatIsNear(t *testing.T) {
	keys := []string{"command", "args", "env", "type", "allow", "private", "rules"}
	for word, want := range map[string]string{
		"privat":                 "private",
		"Command":                "command",
		"alow":                   "allow",
		"arg":                    "args",
		"environment":            "env",
		"rule":                   "rules",
		"url":                    "",
		"disabled":               "",
		"":                       "",
		strings.Repeat("a", 100): "",
	} {
		if got := nearest.Of(word, keys); got != want {
			t.Errorf("Of(%q) = %q, want %q", word, got, want)
		}
	}
}
