package gvisor

import (
	"errors"
	"log/slog"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// ErrUnsupported is what New and Probe fail with, wrapped, where gVisor cannot
// run at all: another operating system or another processor.
var ErrUnsupported = errors.New("the embedded gVisor runs on Linux on amd64 and arm64 only")

// Options say what a Driver starts. The zero value is the safest setting.
type Options struct {
	// Limits of every sandbox; a zero field means its default.
	Limits sandbox.Limits
	// Runner is the source of the runner; nil: sandbox.RunnerSource.
	Runner []byte
	// Logger gets what the operator should know; nil discards it.
	Logger *slog.Logger
	// Progress is told about work that takes seconds; nil: nobody.
	Progress func(string)
	// Runsc is the executable that is started as runsc. It must be static and call
	// Main before anything else in main. "" means this program itself.
	Runsc string
	// Ahead is how many empty sentries are kept started. With one, a sandbox takes less
	// than half the time to start. They take 5 MB each, and 24 MB together.
	Ahead int
	// Cold turns off starting from a checkpoint of a Python that is already
	// up. Starts then take longer and nothing but the root image is cached.
	Cold bool
}
