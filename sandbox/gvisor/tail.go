//go:build linux && (amd64 || arm64)

package gvisor

import (
	"os"
	"strings"
)

// maxDetail is how much of a machine's standard error is kept.
const maxDetail = 4 << 10

// tail keeps the end of what a machine writes to its standard error.
type tail struct {
	done chan struct{}
	kept []byte
}

// newTail reads f to its end, which comes when the machine is dead, and closes
// it.
func newTail(f *os.File) *tail {
	t := &tail{done: make(chan struct{})}
	go t.read(f)
	return t
}

func (t *tail) read(f *os.File) {
	defer close(t.done)
	defer f.Close()
	buf := make([]byte, maxDetail)
	for {
		n, err := f.Read(buf)
		if keep := maxDetail - n; len(t.kept) > keep {
			t.kept = t.kept[len(t.kept)-keep:]
		}
		t.kept = append(t.kept, buf[:n]...)
		if err != nil {
			return
		}
	}
}

// text waits for the end and returns what was kept, as valid UTF-8.
func (t *tail) text() string {
	<-t.done
	return strings.ToValidUTF8(strings.TrimSpace(string(t.kept)), "\uFFFD")
}
