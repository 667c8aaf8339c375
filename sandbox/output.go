package sandbox

import "unicode/utf8"

// output keeps the start of what the code prints: a run that prints too much
// has usually gone wrong, and its first lines say where.
type output struct {
	kept  int // bytes to keep
	total int // bytes printed
	head  []byte
}

func (o *output) add(text string) {
	o.total += len(text)
	if room := o.kept - len(o.head); room > 0 {
		o.head = append(o.head, text[:min(room, len(text))]...)
	}
}

func (o *output) truncated() bool { return o.total > o.kept }

// text is the kept output, cut where a character ends.
func (o *output) text() string {
	if !o.truncated() {
		return string(o.head)
	}
	end := len(o.head)
	for start := end - 1; start >= 0 && start >= end-utf8.UTFMax; start-- {
		if utf8.RuneStart(o.head[start]) {
			if !utf8.FullRune(o.head[start:end]) {
				end = start
			}
			break
		}
	}
	return string(o.head[:end])
}
