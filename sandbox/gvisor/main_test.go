//go:build linux && (amd64 || arm64)

package gvisor

import (
	"os"
	"testing"
)

// TestMain lets the test binary serve as runsc.
func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

func TestProbeStartsASandbox(t *testing.T) {
	if err := Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
}
