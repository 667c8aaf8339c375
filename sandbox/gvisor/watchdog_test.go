//go:build linux && (amd64 || arm64)

package gvisor

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A sentry may end, or be killed with the start it belongs to, after it has handed its
// memory over and before that is watched. An open file would keep all of it.
func TestTheMemoryOfASentryThatHasEndedIsNotHeld(t *testing.T) {
	w := newWatchdog(1 << 20)
	defer w.close()
	memory, err := os.Create(filepath.Join(t.TempDir(), "memory"))
	if err != nil {
		t.Fatal(err)
	}
	g := &gauge{kill: func() { t.Error("it was killed") }}
	w.remove(g)
	w.add(g, memory)
	if err := memory.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("it was open: %v", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.watched) > 0 {
		t.Error("it is watched for ever")
	}
}
