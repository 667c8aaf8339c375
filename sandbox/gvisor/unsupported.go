//go:build !linux || (!amd64 && !arm64)

package gvisor

import (
	"context"
	"fmt"
	"runtime"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// Main does nothing here: this program never runs as runsc.
func Main() {}

// Driver cannot be made on this system.
type Driver struct{ sandbox.Driver }

// New fails with ErrUnsupported.
func New(context.Context, Options) (*Driver, error) { return nil, unsupported() }

// Probe fails with ErrUnsupported.
func Probe(context.Context) error { return unsupported() }

// OwnUsers is false.
func OwnUsers() bool { return false }

func unsupported() error {
	err := fmt.Errorf("%w, not on %s/%s", ErrUnsupported, runtime.GOOS, runtime.GOARCH)
	return hint.Error(err, "use --sandbox docker")
}
