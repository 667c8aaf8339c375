// Package nearest finds the word someone meant when they misspelt one.
package nearest

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Of returns the known word nearest to word, ignoring case, or "" when none is
// near enough to be worth suggesting: at most a third of its letters differ, or
// one of the two begins with the other. Of equally near words the first wins.
func Of(word string, known []string) string {
	if word == "" || len(word) > 64 {
		return ""
	}
	word = strings.ToLower(word)
	best, bestDistance := "", len(word)+1
	for _, k := range known {
		lower := strings.ToLower(k)
		d := levenshtein.ComputeDistance(word, lower)
		prefix := len(word) >= 3 && (strings.HasPrefix(lower, word) || strings.HasPrefix(word, lower))
		if d < bestDistance && (prefix || d <= max(1, len(lower)/3)) {
			best, bestDistance = k, d
		}
	}
	return best
}
