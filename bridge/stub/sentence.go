package stub

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// firstSentence is the first sentence of a clean text that says something, on one
// line. Headings say nothing. A line that goes on in lower case is taken as wrapped.
func firstSentence(text string) string {
	lines := strings.Split(text, "\n")
	start := 0
	for start < len(lines) && isHeading(lines, start) {
		start++
	}
	if start == len(lines) {
		start = 0 // there is nothing else
	}
	end := start + 1
	for end < len(lines) {
		if next, _ := utf8.DecodeRuneInString(lines[end]); !unicode.IsLower(next) {
			break
		}
		end++
	}
	line := oneLine(strings.Join(lines[start:end], " "))
	if rest := labelled.ReplaceAllString(line, ""); rest != "" {
		line = rest
	}
	return line[:sentenceEnd(line)]
}

var (
	underline = regexp.MustCompile(`^(?:=+|-+)$`)
	bold      = regexp.MustCompile(`^(?:\*\*[^*]+\*\*|__[^_]+__):?$`)
	// labelled matches a heading before a sentence, as in "**Purpose**: Reads mail." or "🎯 Purpose: Reads mail."
	labelled = regexp.MustCompile(`(?i)^[^\pL\pN(\["'<]*(?:description|purpose|overview|summary|usage|what it does|about|tool)[^\pL\pN]{0,4}:[^\pL\pN(\["'<]*`)
)

// isHeading reports whether line i of a text is no more than a heading, or nothing.
func isHeading(lines []string, i int) bool {
	const most = 5 // words of a heading
	line := strings.TrimSpace(lines[i])
	if i+1 < len(lines) && underline.MatchString(strings.TrimSpace(lines[i+1])) && len(lines[i+1]) > 2 {
		return true
	}
	words := strings.TrimFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	switch {
	case words == "":
		return true
	case len(strings.Fields(words)) > most:
		return false
	case strings.HasPrefix(line, "#"), bold.MatchString(line):
		return true
	}
	return strings.HasSuffix(strings.TrimRight(line, "*_` "), ":")
}

// sentenceEnd is where the first sentence of a line ends.
func sentenceEnd(line string) int {
	for i := 0; i+2 < len(line); i++ {
		if !strings.ContainsRune(".!?", rune(line[i])) || line[i+1] != ' ' {
			continue
		}
		if strings.HasSuffix(line[:i], "e.g") || strings.HasSuffix(line[:i], "i.e") || strings.HasSuffix(line[:i], " etc") || strings.HasSuffix(line[:i], " vs") {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(line[i+2:]); unicode.IsUpper(next) {
			return i + 1
		}
	}
	return len(line)
}
