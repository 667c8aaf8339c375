package sandbox

import (
	"slices"
	"strings"
	"testing"
)

// A part that nobody joins would be code that looks as if it ran.
func TestEveryPartOfTheRunnerIsInIt(t *testing.T) {
	files, err := runnerParts.ReadDir("runner")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.Contains(partNames, strings.TrimSuffix(file.Name(), ".py")) {
			t.Errorf("%s is not one of the parts", file.Name())
		}
	}
}
