//go:build !linux

package sandboxtest

import (
	"context"
	"errors"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// Process needs Linux, as the runner does. Elsewhere NewProcess fails.
type Process struct{}

// NewProcess fails: the runner needs Linux.
func NewProcess(string) (*Process, error) {
	return nil, errors.New("running the runner as a plain process: needs Linux")
}

// Name implements sandbox.Driver.
func (p *Process) Name() string { return "process" }

// Limits implements sandbox.Driver.
func (p *Process) Limits() sandbox.Limits { return sandbox.Limits{} }

// Start implements sandbox.Driver.
func (p *Process) Start(context.Context) (sandbox.Instance, error) {
	return nil, errors.ErrUnsupported
}

// Live is the number of machines that have not ended.
func (p *Process) Live() int { return 0 }

// Close implements sandbox.Driver.
func (p *Process) Close() error { return nil }
