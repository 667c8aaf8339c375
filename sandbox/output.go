package sandbox

import (
	"fmt"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

// output keeps the head and the tail of what the code prints: the first lines say what
// it set out to do, and the last ones, which are usually what it was run for, how far it
// came. docs/decisions/085 has the reasons.
type output struct {
	kept  int // bytes to keep
	total int // bytes printed
	head  []byte
	tail  []byte // the end of what came after head
}

func (o *output) add(text string) {
	o.total += len(text)
	// One byte more than is kept tells whether a character ends before it.
	if room := o.kept + 1 - len(o.head); room > 0 {
		n := min(room, len(text))
		o.head, text = append(o.head, text[:n]...), text[n:]
	}
	o.tail = append(o.tail, text[max(0, len(text)-o.kept):]...)
	if extra := len(o.tail) - o.kept; extra > o.kept { // not for each line
		o.tail = append(o.tail[:0], o.tail[extra:]...)
	}
}

func (o *output) truncated() bool { return o.total > o.kept }

// text is the kept output: all of it, or half and half of what is kept, with a line
// between that says how much is missing.
func (o *output) text() string {
	all := string(o.head) + string(o.tail) // with a gap only where tail is longer than what is kept
	if !o.truncated() {
		return all
	}
	half := (o.kept - len(leftOut(o.total))) / 2
	if half <= 0 { // there is no room for that line
		return cut.Head(all, o.kept)
	}
	head, tail := cut.Head(all, half), cut.Tail(all, half)
	return strings.TrimSuffix(head, "\n") + leftOut(o.total-len(head)-len(tail)) + tail
}

func leftOut(bytes int) string {
	return fmt.Sprintf("\n[... %d bytes of output left out ...]\n", bytes)
}
