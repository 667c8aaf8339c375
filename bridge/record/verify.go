package record

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Bounds on what a Verifier keeps of files that may be anything.
const (
	maxChains   = 100_000 // chains in all files
	maxSegments = 200_000 // places where a chain goes from one file to another
	// MaxFindings is how many findings a Verifier tells; the others are counted.
	MaxFindings = 100
)

// A Verifier checks the chains of decision logs. Add every file, in any order, then ask
// Findings.
type Verifier struct {
	// Heads are lines that the files must hold, from elsewhere.
	Heads []Head
	// After are the last lines of older files that are not given: a chain may start
	// after one of them.
	After []Head

	lines    int64
	chains   map[string][]*stretch
	segments int
	seen     map[Head]bool // of Heads
	atHead   map[Head]bool // of Heads: their chain and number are there
	findings []string
	more     int
	torn     int64
}

// stretch is the part of a chain that lies in one file.
type stretch struct {
	file        string
	first, last int64  // numbers
	firstLine   int    // in the file
	prev        string // before the first
	hash        string // of the last
}

// Lines is how many lines were read.
func (v *Verifier) Lines() int64 { return v.lines }

// Torn is how many lines are none: a process died or a disk was full while they were
// written. They never counted as written, and no chain lacks them.
func (v *Verifier) Torn() int64 { return v.torn }

func (v *Verifier) find(format string, args ...any) {
	if len(v.findings) < MaxFindings {
		v.findings = append(v.findings, fmt.Sprintf(format, args...))
	} else {
		v.more++
	}
}

// Add reads one file. The error is of reading; what is wrong with the file is a finding.
func (v *Verifier) Add(name string, r io.Reader) error {
	if v.chains == nil {
		v.chains, v.seen, v.atHead = map[string][]*stretch{}, map[Head]bool{}, map[Head]bool{}
	}
	here := map[string]*stretch{}
	wanted := map[string][]Head{}
	for _, h := range v.Heads {
		wanted[h.Chain] = append(wanted[h.Chain], h)
	}
	lines := NewLines(r)
	for lines.Next() {
		v.lines++
		if err := v.line(name, lines, here, wanted); err != nil {
			return err
		}
	}
	return lines.Err()
}

func (v *Verifier) line(name string, lines *Lines, here map[string]*stretch, wanted map[string][]Head) error {
	l, ok := readLinks(lines.Bytes())
	switch {
	case lines.TooLong():
		v.find("%s:%d: the line is longer than %d bytes, which no line of a log is", name, lines.Number(), MaxLine)
		return nil
	case !ok && json.Valid(lines.Bytes()):
		v.find("%s:%d: the line is in no chain", name, lines.Number())
		return nil
	case !ok:
		v.torn++
		return nil
	}
	hash := hashOf(lines.Bytes())
	for _, h := range wanted[l.chain] {
		if h.Seq == l.seq {
			v.atHead[h] = true
			v.seen[h] = v.seen[h] || h.SHA256 == hash
		}
	}
	s := here[l.chain]
	if s == nil {
		if len(v.chains) >= maxChains || v.segments >= maxSegments {
			return errors.New("there are more chains in it than logs have")
		}
		s = &stretch{file: name, first: l.seq, last: l.seq, firstLine: lines.Number(), prev: l.prev, hash: hash}
		here[l.chain] = s
		v.chains[l.chain] = append(v.chains[l.chain], s)
		v.segments++
		return nil
	}
	v.follow(s, l, fmt.Sprintf("%s:%d", name, lines.Number()), hash)
	return nil
}

// follow looks at a line that is not the first one of its chain in its file.
func (v *Verifier) follow(s *stretch, l links, at, hash string) {
	switch {
	case l.seq <= s.last:
		v.find("%s: line %d of chain %s stands after line %d: lines were reordered or repeated", at, l.seq, l.chain, s.last)
		return
	case l.seq > s.last+1:
		v.find("%s: %s of chain %s missing before this one", at, numbers(s.last+1, l.seq-1), l.chain)
	case l.prev != s.hash:
		v.find("%s: the line before it in chain %s, number %d, is not as it was written: it was altered", at, l.chain, s.last)
	}
	s.last, s.hash = l.seq, hash
}

func numbers(from, to int64) string {
	if from == to {
		return fmt.Sprintf("line %d is", from)
	}
	return fmt.Sprintf("lines %d to %d are", from, to)
}

// Findings says what is wrong with the files that were added, and how much more of it there
// is than is told.
func (v *Verifier) Findings() (list []string, more int) {
	ids := make([]string, 0, len(v.chains))
	for id := range v.chains {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		v.join(id, v.chains[id])
	}
	for _, h := range v.Heads {
		stretches := v.chains[h.Chain]
		switch {
		case v.seen[h]:
		case v.atHead[h]:
			v.find("line %d of chain %s is not the one of the published head: it was altered, or all of the chain was written anew", h.Seq, h.Chain)
		case len(stretches) == 0:
			v.find("chain %s is missing, though a published head names its line %d", h.Chain, h.Seq)
		default:
			last := slices.MaxFunc(stretches, func(a, b *stretch) int { return cmp.Compare(a.last, b.last) }).last
			v.find("chain %s ends at line %d, and its published head is line %d: the end was cut off", h.Chain, last, h.Seq)
		}
	}
	return v.findings, v.more
}

// join checks how a chain goes on from file to file.
func (v *Verifier) join(id string, parts []*stretch) {
	slices.SortFunc(parts, func(a, b *stretch) int { return cmp.Compare(a.first, b.first) })
	before := &stretch{}
	if first := parts[0]; first.first > 1 || first.prev != "" {
		for _, h := range v.After {
			if h.Chain == id && h.Seq == first.first-1 {
				before = &stretch{last: h.Seq, hash: h.SHA256}
			}
		}
	}
	for _, p := range parts {
		at := fmt.Sprintf("%s:%d", p.file, p.firstLine)
		switch {
		case p.first <= before.last:
			v.find("%s: line %d of chain %s is in %q too: lines were repeated or reordered", at, p.first, id, before.file)
		case p.first > before.last+1 && before.last == 0:
			v.find("%s: chain %s begins with line %d: the start was cut off, or is in older files, which must be given too (or their heads, with --after)", at, id, p.first)
		case p.first > before.last+1:
			v.find("%s: %s of chain %s missing before this one", at, numbers(before.last+1, p.first-1), id)
		case p.prev != before.hash:
			v.find("%s: the line before it in chain %s, number %d, is not as it was written: it was altered", at, id, before.last)
		}
		if p.last > before.last {
			before = p
		}
	}
}

// Tips returns the last line of every chain, sorted.
func (v *Verifier) Tips() []Head {
	heads := make([]Head, 0, len(v.chains))
	for id, parts := range v.chains {
		last := slices.MaxFunc(parts, func(a, b *stretch) int { return cmp.Compare(a.last, b.last) })
		heads = append(heads, Head{id, last.last, last.hash})
	}
	slices.SortFunc(heads, func(a, b Head) int { return cmp.Compare(a.Chain, b.Chain) })
	return heads
}

// Lines reads the lines of a decision log, which may be anything: of a line that is too long no
// more than that is kept.
type Lines struct {
	r       *bufio.Reader
	line    []byte
	number  int
	tooLong bool
	err     error
}

// NewLines reads from r.
func NewLines(r io.Reader) *Lines { return &Lines{r: bufio.NewReaderSize(r, 64<<10)} }

// Next goes to the next line and reports whether there is one. Empty lines, as a full disk
// may leave them, are passed over.
func (l *Lines) Next() bool {
	for l.err == nil {
		l.number++
		l.line, l.tooLong = l.line[:0], false
		for ended := false; !ended && l.err == nil; {
			var part []byte
			part, l.err = l.r.ReadSlice('\n')
			if errors.Is(l.err, bufio.ErrBufferFull) {
				l.err = nil
			}
			ended = bytes.HasSuffix(part, []byte("\n"))
			if len(l.line)+len(part) > MaxLine+1 {
				l.tooLong = true
			} else {
				l.line = append(l.line, part...)
			}
		}
		l.line = bytes.TrimSuffix(l.line, []byte("\n"))
		if len(l.line) > 0 || l.tooLong {
			return true
		}
	}
	return false
}

// Bytes is the line without its newline, until Next is called again; of one that is too
// long, a part of it.
func (l *Lines) Bytes() []byte { return l.line }

// Number is which line it is, from 1.
func (l *Lines) Number() int { return l.number }

// TooLong says that the line is longer than any line of a log.
func (l *Lines) TooLong() bool { return l.tooLong }

// Err is why there is no next line; nil at the end of the file.
func (l *Lines) Err() error {
	if errors.Is(l.err, io.EOF) {
		return nil
	}
	return l.err
}
