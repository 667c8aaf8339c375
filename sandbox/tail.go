package sandbox

import (
	"strings"
	"sync"
)

// maxDetail is how much of a machine's standard error is kept.
const maxDetail = 4 << 10

// Tail keeps the end of what a machine writes to its standard error, and counts
// all of it: Exit.Detail and Instance.OnStderr for every driver. The zero value
// is ready; its methods may be called from any goroutine.
type Tail struct {
	mu    sync.Mutex
	kept  []byte
	total int
	seen  func(bytes int)
}

// Write takes in the next piece. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.total += len(p)
	t.kept = append(t.kept, p[max(0, len(p)-maxDetail):]...)
	if extra := len(t.kept) - maxDetail; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	seen := t.seen
	t.mu.Unlock()
	if seen != nil {
		seen(len(p))
	}
	return len(p), nil
}

// OnStderr is Instance.OnStderr.
func (t *Tail) OnStderr(seen func(bytes int)) {
	t.mu.Lock()
	t.seen = seen
	before := t.total
	t.mu.Unlock()
	if before > 0 {
		seen(before)
	}
}

// String is the end of what came so far, at most 4 KiB, as valid UTF-8.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(string(t.kept)), "\uFFFD")
}
