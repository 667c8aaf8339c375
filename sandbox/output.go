package sandbox

import "github.com/mcp-code-mode/mcp-code-mode/internal/cut"

// output keeps the start of what the code prints: a run that prints too much
// has usually gone wrong, and its first lines say where.
type output struct {
	kept  int // bytes to keep
	total int // bytes printed
	head  []byte
}

func (o *output) add(text string) {
	o.total += len(text)
	// One byte more than is kept tells whether a character ends before it.
	if room := o.kept + 1 - len(o.head); room > 0 {
		o.head = append(o.head, text[:min(room, len(text))]...)
	}
}

func (o *output) truncated() bool { return o.total > o.kept }

// text is the kept output.
func (o *output) text() string { return cut.Head(string(o.head), o.kept) }
