package stub

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

const (
	indent  = "    "
	quotes  = `"""`
	maxText = 8 * MaxDescription // bytes of a text from elsewhere that are looked at
)

// unseen reports whether r shows as nothing or moves other text about: control
// and format characters (bidirectional overrides, zero-width ones, tags), line
// and paragraph separators, unassigned and private code points.
func unseen(r rune) bool {
	if ' ' <= r && r <= '~' {
		return false
	}
	return !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// cleanText makes text that was written elsewhere safe to read and to indent:
// valid UTF-8, lines ended by "\n" alone, nothing unseen in it, no common
// indentation, no runs of blank lines. A very long text is cut before.
func cleanText(s string) string {
	long := len(s) > maxText
	s = cut.Head(s, maxText)
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		switch {
		case ' ' <= r && r <= '~':
			b.WriteByte(byte(r))
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
		case r == '\n', r == '\r':
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString(indent)
		case unicode.Is(unicode.Zs, r), unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp):
			b.WriteByte(' ')
		case unseen(r):
		default:
			b.WriteRune(r)
		}
	}
	text := dedent(strings.Split(b.String(), "\n"))
	if long {
		text += cutMark
	}
	return text
}

// dedent joins lines as inspect.cleandoc would: without the indentation all
// lines but the first share, and without needless blank lines.
func dedent(lines []string) string {
	shared := -1
	for i, line := range lines {
		line = strings.TrimRight(line, " ")
		lines[i] = line
		if width := len(line) - len(strings.TrimLeft(line, " ")); i > 0 && line != "" && (shared < 0 || width < shared) {
			shared = width
		}
	}
	kept := lines[:0]
	for i, line := range lines {
		switch {
		case i == 0:
			line = strings.TrimLeft(line, " ")
		case line != "":
			line = line[shared:]
		}
		if line == "" && (len(kept) == 0 || kept[len(kept)-1] == "") {
			continue
		}
		kept = append(kept, line)
	}
	return strings.TrimRight(strings.Join(kept, "\n"), "\n")
}

// oneLine folds a clean text into one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// docstring indents and escapes a clean text for the body of a docstring, in at
// most max bytes after the first indentation.
func docstring(text string, max int) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
			if line != "" {
				b.WriteString(indent)
			}
		}
		b.WriteString(escape(line))
		if b.Len() > max {
			break
		}
	}
	whole := b.String()
	if len(whole) > max {
		// A backslash must not lose what it escapes.
		whole = strings.TrimRight(cut.Head(whole, max-len(cutMark)), " \n\\") + cutMark
	}
	return indent + whole
}

// escape writes one line of a docstring: its value to Python is the line. No
// backslash stays alone and no three quotes stay together. Whatever could end
// the line or is not text at all has been taken out before; here it becomes a
// space, so that no caller can forget.
func escape(line string) string {
	var b strings.Builder
	run := 0 // quotes just written
	for _, r := range line {
		switch {
		case r == '"':
			if run++; run == 3 {
				b.WriteByte('\\')
				run = 1
			}
			b.WriteByte('"')
			continue
		case r == '\\':
			b.WriteString(`\\`)
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
		run = 0
	}
	return b.String()
}

// quote writes s as a Python string literal of printable characters.
func quote(s string) string {
	mark := `"`
	if strings.Contains(s, `"`) && !strings.Contains(s, "'") {
		mark = "'"
	}
	var b strings.Builder
	b.WriteString(mark)
	brackets := marks(s) // of what could be read as a mark of ours
	for i, r := range s {
		switch {
		case slices.Contains(brackets, i):
			b.WriteString(escaped(r))
		case r == '\\' || string(r) == mark:
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r != ' ' && !unicode.IsPrint(r) || unseen(r):
			b.WriteString(escaped(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString(mark)
	return b.String()
}

func escaped(r rune) string {
	switch {
	case r <= 0xff:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	default:
		return fmt.Sprintf(`\U%08x`, r)
	}
}

// label shows a parameter's name: as it is when code could use it as a keyword
// argument, else quoted and cut at maxLabel characters.
func label(name string) string {
	if len(name) <= maxLabel && isIdentifier(name) && !isKeyword(name) {
		return name
	}
	return quoteCut(name, maxLabel)
}

// quoteCut quotes at most max characters of s; "..." after it says that it was
// cut.
func quoteCut(s string, max int) string {
	for i := range s {
		if max--; max < 0 {
			return quote(s[:i]) + "..."
		}
	}
	return quote(s)
}
