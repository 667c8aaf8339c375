package stub

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

// MaxWords is how much is kept of what a server says of itself, in bytes.
const MaxWords = 8 << 10

// Words returns what a server says of itself as it can stand among lines of ours:
// bounded, and none of it taken for one of them.
func Words(instructions string) string {
	return cut.Marked(Foreign(cleanText(cut.Head(instructions, maxText))), MaxWords, cutMark)
}

// searchHead says how tools are found where a description lists none.
const searchHead = `Tools are not listed here; a program finds and calls them in one run:
found = search_tools("words of what you want"); print(found) shows a line for each, TOOLS[name] all of one.
found[0](...) calls the best match: r = await found[0](a=1). help(tool) shows its stub.
Servers:
`

// search says which servers there are and what they are for, and how to find tools.
func (l *Listing) search(max int) string {
	var b strings.Builder
	b.WriteString(l.Intro + "\n\n" + searchHead)
	groups := byServer(l.Entries)
	for i, group := range groups {
		left := len(groups) - i
		rest := fmt.Sprintf("... and %d more: TOOLS.servers names them\n", left)
		share := (max - b.Len()) / left
		line := fmt.Sprintf("- %s (%s)", group.server, counting(len(group.entries)))
		if about := l.about(group, share-len(line)-len(": \n")); about != "" {
			line += ": " + about
		}
		if b.Len()+len(line)+1 > max || left > 1 && b.Len()+len(line)+1+len(rest) > max {
			b.WriteString(rest)
			break
		}
		b.WriteString(line + "\n")
	}
	if b.Len() > max {
		return cut.Marked(l.Intro, max, cutMark)
	}
	return b.String()
}

// counting counts tools in words.
func counting(n int) string {
	if n == 1 {
		return "1 tool"
	}
	return fmt.Sprintf("%d tools", n)
}

// about says what a server is for in at most max bytes: its first sentence in
// quotes, or what the names of its tools are about.
func (l *Listing) about(g group, max int) string {
	const least = 12 // bytes that say something
	if max < least {
		return ""
	}
	for _, s := range l.Servers {
		if s.Name == g.server && s.Words != "" {
			return quote(cut.Marked(oneLine(unmarked(firstSentence(s.Words))), max-len(`""`), cutMark))
		}
	}
	var b strings.Builder
	for _, topic := range topics(g) {
		if b.Len()+len(topic)+len(", ") > max {
			break
		}
		b.WriteString(topic + ", ")
	}
	return strings.TrimSuffix(b.String(), ", ")
}

// verbs are the words of names that say little of what a server is for.
var verbs = words(`a add all an and api at by check create delete do find for from generate get handle in into is list make many new of
on or patch post put query read remove retrieve run search send set the to update use with write tool mcp`)

// topics are the words of the names of a server's tools, the most frequent first.
func topics(g group) []string {
	count := map[string]int{}
	var all []string
	for _, e := range g.entries {
		name := strings.TrimPrefix(e.Name, identifier(g.server)+"__")
		for _, word := range strings.FieldsFunc(spaced(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
			word = strings.ToLower(word)
			one := strings.TrimSuffix(word, "s") // "file" and "files" are one topic
			if verbs[word] || len(word) < 3 {
				continue
			}
			if count[one]++; count[one] == 1 {
				all = append(all, word)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b string) int {
		return cmp.Compare(count[strings.TrimSuffix(b, "s")], count[strings.TrimSuffix(a, "s")])
	})
	return all
}

// spaced puts a space before each hump of a name.
func spaced(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}
