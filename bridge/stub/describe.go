package stub

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

// Entry is one tool as Describe and Module need it: the results of Names,
// Render, Brief and Summary.
type Entry struct {
	Server  string // name of the server in the configuration
	Name    string // of Names
	Stub    string // of Render
	Brief   string // of Brief
	Summary string // of Summary
}

// Server is one server as Describe needs it.
type Server struct {
	Name  string // in the configuration
	Words string // of Words
}

// Detail is how much of the tools a description shows.
type Detail string

// The details. Auto shows as much as fits, Full every stub however long they are
// (up to MaxFull bytes), Lines one line for each tool, Search the servers alone.
const (
	DetailAuto   Detail = "auto"
	DetailFull   Detail = "full"
	DetailLines  Detail = "lines"
	DetailSearch Detail = "search"
)

// Details are all of them.
var Details = []Detail{DetailAuto, DetailFull, DetailLines, DetailSearch}

// Bounds of descriptions, in bytes.
const (
	MaxFull   = 256 << 10 // of one with every stub
	MaxSearch = 2_400     // of one that only says how to search

	maxServerWords = 600 // of one server in a description, where that much fits
	wordsShare     = 4   // one part in so many of a description is for the words of servers
)

// Listing is what Describe describes. Entries and Servers are in the order of
// the configuration, and so is what is shown.
type Listing struct {
	Intro   string   // comes first
	Servers []Server // those that have tools
	Entries []Entry  // the tools
	Detail  Detail   // "" is DetailAuto
	Max     int      // bytes of the description
}

// The levels at which a tool can be shown.
const (
	levelName  = iota // its name, among those of its server
	levelLine         // Summary
	levelBrief        // Brief
	levelFull         // Stub
)

// Texts around tools. Foreign knows how they begin.
const (
	briefHead = "Stubs without texts (TOOLS[name] and help(tool) show the rest):\n"
	linesHead = "Tools, one line each (TOOLS[name] shows a stub, search_tools(query) finds tools):\n"
	namesHead = "More tools, by server (search_tools(query) finds them, TOOLS[name] shows a stub):\n"
	wordsHead = "What servers say of themselves (TOOLS.servers has all of it):\n"
)

// Describe returns the intro and, after it, what servers say of themselves and
// the tools: all at the level of most detail at which all of them fit, and then
// the first ones at the next level while they fit. Where not even all names fit,
// every server is named with the number of its tools. Characters are counted in bytes,
// so that the text is within Max however it is counted.
func Describe(l Listing) string {
	l.Intro = strings.TrimRight(l.Intro, "\n")
	switch {
	case len(l.Entries) == 0:
		return cut.Marked(l.Intro, l.Max, cutMark)
	case l.Detail == DetailSearch:
		return l.search(min(l.Max, MaxSearch))
	case l.Detail == DetailFull:
		l.Max = max(l.Max, MaxFull)
	}
	l.Intro += l.words(l.Max / wordsShare)
	most := levelFull
	if l.Detail == DetailLines {
		most = levelLine
	}
	for level := most; level >= levelName; level-- {
		text, ok := l.text(level, level, 0)
		if !ok {
			continue
		}
		if level == most {
			return text
		}
		return l.upgraded(level)
	}
	return l.counted()
}

// upgraded shows as many of the first tools as fit one level above that of the others.
func (l *Listing) upgraded(level int) string {
	fits, over := 0, len(l.Entries)
	for over-fits > 1 {
		if k := (fits + over) / 2; l.fits(level, k) {
			fits = k
		} else {
			over = k
		}
	}
	text, _ := l.text(level+1, level, fits)
	return text
}

func (l *Listing) fits(level, k int) bool {
	_, ok := l.text(level+1, level, k)
	return ok
}

// text shows the first k tools at one level and the others at another, if that fits.
func (l *Listing) text(first, others, k int) (string, bool) {
	var b strings.Builder
	b.WriteString(l.Intro + "\n")
	for _, part := range []struct {
		level   int
		entries []Entry
	}{{first, l.Entries[:k]}, {others, l.Entries[k:]}} {
		if len(part.entries) > 0 && !l.write(&b, part.level, part.entries) {
			return "", false
		}
	}
	return b.String(), b.Len() <= l.Max
}

// write writes tools at a level, and stops where it is too long.
func (l *Listing) write(b *strings.Builder, level int, entries []Entry) bool {
	switch level {
	case levelName:
		b.WriteString("\n" + namesHead)
		for _, group := range byServer(entries) {
			b.WriteString(group.line(b.Len()+l.Max) + "\n")
		}
		return b.Len() <= l.Max
	case levelLine:
		b.WriteString("\n" + linesHead)
	case levelBrief:
		b.WriteString("\n" + briefHead)
	}
	for _, e := range entries {
		switch level {
		case levelLine:
			b.WriteString(e.Summary + "\n")
		case levelBrief:
			b.WriteString("\n" + e.Brief + "\n")
		case levelFull:
			b.WriteString("\n" + e.Stub + "\n")
		}
		if b.Len() > l.Max {
			return false
		}
	}
	return true
}

// counted names every server, with as many names of tools as its share of the room
// has space for; where not even the servers fit, their number.
func (l *Listing) counted() string {
	var b strings.Builder
	b.WriteString(l.Intro + "\n\n" + namesHead)
	groups := byServer(l.Entries)
	for i, group := range groups {
		left := len(groups) - i
		rest := fmt.Sprintf("... and %d more servers: TOOLS.servers names them.\n", left)
		share := (l.Max-b.Len()-len(rest))/left - 1
		line := group.line(share)
		if b.Len()+len(line)+1+len(rest) > l.Max {
			b.WriteString(rest)
			break
		}
		b.WriteString(line + "\n")
	}
	if b.Len() > l.Max {
		return cut.Marked(l.Intro, l.Max, cutMark)
	}
	return b.String()
}

// group is the tools of one server, one after the other.
type group struct {
	server  string
	entries []Entry
}

func byServer(entries []Entry) (groups []group) {
	for _, e := range entries {
		if last := len(groups) - 1; last >= 0 && groups[last].server == e.Server {
			groups[last].entries = append(groups[last].entries, e)
			continue
		}
		groups = append(groups, group{e.Server, []Entry{e}})
	}
	return groups
}

// line names the tools of a server in at most max bytes, if there is room for any.
func (g group) line(max int) string {
	prefix := identifier(g.server) + "__"
	shared := !slices.ContainsFunc(g.entries, func(e Entry) bool { return !strings.HasPrefix(e.Name, prefix) })
	head := fmt.Sprintf("%s (%d): ", g.server, len(g.entries))
	if shared {
		head = fmt.Sprintf("%s (%d), each with %s before its name: ", g.server, len(g.entries), prefix)
	}
	var b strings.Builder
	for i, e := range g.entries {
		name := e.Name
		if shared {
			name = strings.TrimPrefix(name, prefix)
		}
		rest := fmt.Sprintf("... %d more", len(g.entries)-i)
		if len(head)+b.Len()+len(name)+len(", ")+len(rest) > max {
			if i == 0 {
				return g.server + ": " + counting(len(g.entries))
			}
			return head + b.String() + rest
		}
		b.WriteString(name + ", ")
	}
	return head + strings.TrimSuffix(b.String(), ", ")
}

// words is what servers say of themselves, in at most max bytes: of each its start,
// or all of it where it is short.
func (l *Listing) words(max int) string {
	var b strings.Builder
	for _, s := range l.Servers {
		if s.Words == "" {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\n\n" + wordsHead)
		}
		block := s.Name + ":\n" + quoted(cut.Marked(s.Words, maxServerWords, cutMark)) + "\n"
		if b.Len()+len(block) > max {
			break
		}
		b.WriteString(block)
	}
	if b.Len() <= len(wordsHead)+2 {
		return ""
	}
	return strings.TrimRight(b.String(), "\n")
}

// quoted writes text as a quotation: no line of it can be taken for one of ours.
func quoted(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }

// Module returns every stub as the text of one valid Python module.
func Module(entries []Entry) string {
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = e.Stub + "\n"
	}
	return strings.Join(texts, "\n\n")
}
