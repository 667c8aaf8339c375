package stub

import (
	"fmt"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

// Entry is one tool as Describe and Module need it: the results of Names,
// Render and Summary.
type Entry struct {
	Name    string // of Names
	Stub    string // of Render
	Summary string // of Summary
}

// Texts around summaries.
const (
	summariesHead = "Tools, one line each (TOOLS[name] shows a stub, search_tools(query) finds tools):\n"
	summariesMore = "... and %d more: search_tools(query) finds them and TOOLS[name] shows a stub.\n"
)

// Describe returns intro and, after it, every stub while they all fit into max
// characters; otherwise one summary per tool while they fit, and then how many
// were left out and how to find them. The order is that of entries. Characters
// are counted in bytes, so that the text is within max however it is counted.
func Describe(intro string, entries []Entry, max int) string {
	intro = strings.TrimRight(intro, "\n")
	if len(entries) == 0 {
		return cut.Marked(intro, max, cutMark)
	}
	if text, ok := stubs(intro, entries, max); ok {
		return text
	}
	var b strings.Builder
	b.WriteString(intro + "\n\n" + summariesHead)
	for i, e := range entries {
		more := ""
		if left := len(entries) - i - 1; left > 0 {
			more = fmt.Sprintf(summariesMore, left)
		}
		if b.Len()+len(e.Summary)+1+len(more) > max {
			fmt.Fprintf(&b, summariesMore, len(entries)-i)
			break
		}
		b.WriteString(e.Summary + "\n")
	}
	if b.Len() > max { // not even the count fits behind intro
		return cut.Marked(intro, max, cutMark)
	}
	return b.String()
}

// stubs is intro and every stub, if that is at most max bytes.
func stubs(intro string, entries []Entry, max int) (string, bool) {
	size := len(intro) + 1
	for _, e := range entries {
		if size += len(e.Stub) + 2; size > max {
			return "", false
		}
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString(intro + "\n")
	for _, e := range entries {
		b.WriteString("\n" + e.Stub + "\n")
	}
	return b.String(), true
}

// Module returns every stub as the text of one valid Python module.
func Module(entries []Entry) string {
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = e.Stub + "\n"
	}
	return strings.Join(texts, "\n\n")
}
