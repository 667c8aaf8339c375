//go:build linux && (amd64 || arm64)

package gvisor

import (
	"io"
	"os"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// tail keeps the end of what a machine writes to its standard error.
type tail struct {
	sandbox.Tail
	done chan struct{}
}

// newTail reads f to its end, which comes when the machine is dead, and closes
// it.
func newTail(f *os.File) *tail {
	t := &tail{done: make(chan struct{})}
	go func() {
		defer close(t.done)
		defer f.Close()
		_, _ = io.Copy(&t.Tail, f) // an error counts as the end
	}()
	return t
}

// text waits for the end and returns what was kept.
func (t *tail) text() string {
	<-t.done
	return t.String()
}
