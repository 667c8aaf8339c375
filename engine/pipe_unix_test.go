//go:build unix

package engine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

// Opening a pipe waits for somebody who writes to it.
func TestAPipeInAPolicyIsAnErrorAndNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, policies.FS); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "a.rego"), 0o600); err != nil {
		t.Fatal(err)
	}
	var load *LoadError
	if err := Check(t.Context(), Source{FS: os.DirFS(dir)}); !errors.As(err, &load) || !strings.Contains(err.Error(), `"a.rego" is neither a file`) {
		t.Errorf("%v", err)
	}
}
