// Package nearest finds the word someone meant when they misspelt one.
package nearest

import (
	"math"
	"strings"

	"github.com/agnivade/levenshtein"
)

// What is compared at most, since both sides may come from outside.
const (
	maxWord  = 64  // bytes of a word
	maxWords = 500 // known words
)

// Of returns the known word nearest to word, or "" when none is near enough to be
// worth suggesting: one of the two begins with the other, or at most a third of the
// letters differ. Case does not count, nor what tells snake_case from camelCase. Of
// equally near words the first wins.
func Of(word string, known []string) string {
	if len(word) > maxWord || folded(word) == "" {
		return ""
	}
	word = folded(word)
	best, bestDistance := "", math.MaxInt
	for _, k := range known[:min(len(known), maxWords)] {
		if len(k) > maxWord || folded(k) == "" {
			continue
		}
		other := folded(k)
		d := levenshtein.ComputeDistance(word, other)
		begins := strings.HasPrefix(other, word) || strings.HasPrefix(word, other)
		if d < bestDistance && (begins || d <= (len(word)+1)/3) {
			best, bestDistance = k, d
		}
	}
	return best
}

var breaks = strings.NewReplacer("_", "", "-", "")

func folded(word string) string { return strings.ToLower(breaks.Replace(word)) }
