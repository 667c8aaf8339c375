//go:build linux && (amd64 || arm64)

package tinyelf

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestExitEndsWithItsStatus(t *testing.T) {
	if got := run(t, Exit(42), ""); got != 42 {
		t.Errorf("status %d, want 42", got)
	}
}

// That it really unmounts /proc shows every sandbox: gVisor checks it.
func TestUmountProcFailsWithoutAByteOrTheRight(t *testing.T) {
	if got := run(t, UmountProc(), ""); got != 1 {
		t.Errorf("status %d at the end of input, want 1", got)
	}
	if os.Geteuid() == 0 {
		t.Skip("root could unmount /proc")
	}
	if got := run(t, UmountProc(), "x"); got != 1 {
		t.Errorf("status %d without the right to unmount, want 1", got)
	}
}

func run(t *testing.T, code []byte, input string) int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, Program(code), 0o700); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString(input); err != nil {
		t.Fatal(err)
	}
	w.Close()
	cmd := exec.CommandContext(t.Context(), path)
	cmd.ExtraFiles = []*os.File{r}
	_ = cmd.Run() // the status tells
	return cmd.ProcessState.ExitCode()
}
