package stub

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Foreign returns a text of a server as it can stand among lines of ours: no
// reader takes a part of it for one of ours. "[private]", however it is spelt, is
// "(private)", and a line that begins as ours do (a field, a code, a heading, a
// stub, a fence that stays open) begins with "> ", as a quotation does. Nothing
// unseen is left in it.
//
// What servers say stays readable: of the texts of the real servers in
// testdata/toollists none changes. Quoting every line, or giving ours first, would
// need no guesses at what looks alike, but costs every reader of every stub. What a
// guess misses is still in the place of a description, and the policy does not read.
func Foreign(text string) string {
	lines := strings.Split(visible(text), "\n")
	open := openFence(lines)
	for i, line := range lines {
		line = unmarked(line)
		if i == open || oursBegins.MatchString(folded(line[:min(len(line), maxBegin)]).text) {
			line = "> " + line
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// maxBegin is how much of a line is looked at to see what it begins as.
const maxBegin = 200

// oursBegins matches how lines of ours begin, folded: in stubs and around them, in
// what run_python answers, and in errors. Marks of emphasis before it change little
// of how it looks. Keys of JSON, in quotes, are not taken for fields: code reads them.
var oursBegins = regexp.MustCompile(`^[\s>*_~` + "`" + `•-]*(?:` + strings.Join([]string{
	`(?:params|returns|error|stdout|stopped|truncated|timeout)\s*(?:\([^)]{0,40}\)\s*)?:`,
	`(?:refused|toolerror|traceback)\b[^:]{0,60}:`,
	`(?:more )?tools, (?:one line each|by server)`,
	`stubs without texts`, `what servers say`, `tools are not listed`, `servers:`,
	`(?:tool_not_allowed|arguments_invalid|arguments_too_large|rule_not_met|budget_exhausted|private_data|policy_error|` +
		`result_too_large|upstream_unavailable|tool_error|run_over|child_process)\b`,
	`(?:async\s+)?def\s+\w+\s*\(`,
	`\.\.\.\s*and\s+\d+\s+more`,
	`#{1,6}(?:\s|$)`,
}, "|") + `)`)

var fence = regexp.MustCompile("^\\s*(```|~~~)")

// openFence is the number of the line that opens a block of code which no line ends,
// or -1.
func openFence(lines []string) int {
	open, mark := -1, ""
	for i, line := range lines {
		switch m := fence.FindStringSubmatch(line); {
		case m == nil:
		case open < 0:
			open, mark = i, m[1]
		case m[1] == mark:
			open = -1
		}
	}
	return open
}

// privately matches what could be read as our private mark, folded. It need not be
// closed: the text may be cut there.
var privately = regexp.MustCompile(`\[\s*private\b(?:[^\]]{0,30}(\]))?`)

// unmarked writes parentheses for the brackets of what could be read as our mark.
func unmarked(text string) string {
	var b strings.Builder
	from := 0
	for _, at := range marks(text) {
		b.WriteString(text[from:at])
		r, size := utf8.DecodeRuneInString(text[at:])
		if bracket(r) == '[' {
			b.WriteByte('(')
		} else {
			b.WriteByte(')')
		}
		from = at + size
	}
	return b.String() + text[from:]
}

// marks returns where in text the brackets of such marks are.
func marks(text string) []int {
	if !strings.ContainsFunc(text, func(r rune) bool { return bracket(r) == '[' }) {
		return nil
	}
	f := folded(text)
	if !strings.Contains(f.text, "private") {
		return nil
	}
	var found []int
	for _, m := range privately.FindAllStringSubmatchIndex(f.text, -1) {
		found = append(found, f.at[m[0]])
		if m[2] >= 0 {
			found = append(found, f.at[m[2]])
		}
	}
	return found
}

// A fold is a text as it looks: without what is unseen, in lower case, each letter
// the Latin one that it resembles, each bracket "[" or "]".
type fold struct {
	text string
	at   []int // where in the original each byte comes from
}

func folded(s string) fold {
	f := fold{at: make([]int, 0, len(s))}
	var b strings.Builder
	for i, r := range s {
		before := b.Len()
		switch letter := alike[r]; {
		case ' ' <= r && r <= '~':
			b.WriteRune(unicode.ToLower(r))
		case letter != 0:
			b.WriteRune(letter)
		case bracket(r) != 0:
			b.WriteRune(bracket(r))
		case unicode.In(r, unicode.Zs), r == '\t':
			b.WriteByte(' ')
		case !unseen(r):
			writeDecomposed(&b, r)
		}
		for range b.Len() - before {
			f.at = append(f.at, i)
		}
	}
	f.text = b.String()
	return f
}

// writeDecomposed writes the letters that r is a form of (wide, small, bold, in a
// circle, with accents), without accents.
func writeDecomposed(b *strings.Builder, r rune) {
	for _, part := range norm.NFKD.String(string(r)) {
		switch letter := alike[part]; {
		case unicode.In(part, unicode.M):
		case letter != 0:
			b.WriteRune(letter)
		default:
			b.WriteRune(unicode.ToLower(part))
		}
	}
}

// bracket is '[' for whatever opens, ']' for whatever closes, parentheses aside,
// and else 0.
func bracket(r rune) rune {
	switch {
	case r == '[', r > '~' && unicode.In(r, unicode.Ps, unicode.Pi):
		return '['
	case r == ']', r > '~' && unicode.In(r, unicode.Pe, unicode.Pf):
		return ']'
	}
	return 0
}

// alike maps letters of other scripts, and signs, to the ones they cannot be told
// from, as far as marks of ours are written with those.
var alike = func() map[rune]rune {
	table := map[rune]rune{}
	for letter, others := range map[rune]string{
		'a': "аαɑᴀ∀", 'c': "сϲᴄ", 'd': "ԁɗᴅ", 'e': "еεҽᴇℯ", 'f': "ғϝꜰ", 'i': "іιıɩӏɪ", 'l': "ⅼʟӏ", 'm': "мᴍ",
		'n': "пηɴո", 'o': "оοօσᴏ", 'p': "рρᴘ", 'r': "гʀᴦ", 's': "ѕꜱʂ", 't': "тτᴛ", 'u': "υսᴜ", 'v': "ѵνᴠ",
		':': "：∶꞉ː׃", '#': "＃", '_': "＿", '.': "․", '`': "｀", '-': "‐‑‒–—−",
	} {
		for _, other := range others {
			table[other] = letter
			table[unicode.ToUpper(other)] = letter
		}
	}
	return table
}()

// visible leaves out what is not seen, of a text whose lines and tabs may stay.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unseen(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
