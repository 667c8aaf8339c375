package stub

import (
	"fmt"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
	"github.com/mcp-code-mode/mcp-code-mode/internal/schemaview"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// Bounds of one note, in bytes.
const (
	maxPath    = 200 // where the value is, as "filter.items[].name"
	maxFacts   = 2 << 10
	maxPattern = 120
	maxExample = 100
	examples   = 3 // shown of one value
)

// note says in one line what a value is for and what its type leaves open, as in
// "  filter.limit (1 to 100): The most that is returned."
type note struct {
	text  string
	below []string // what is in the value, one line each
}

// notes says what the properties of v are for, at most max bytes. Those of v itself come first;
// what is left goes to what is nested in them, in order.
func (r *renderer) notes(v *view, max int) []string {
	var all []note
	var nested []*nesting
	size, full := 0, false
	for _, p := range v.Properties {
		field := r.look(p.Schemas...)
		text := r.note(label(p.Name), field)
		if cost := len(indent) + len(text) + 1; text != "" && !full {
			if full = size+cost > max; !full {
				size += cost
			}
		}
		if full {
			break
		}
		all = append(all, note{text: text})
		nested = append(nested, &nesting{r: r, path: label(p.Name), view: field})
	}
	left := max - size
	for i, n := range nested {
		if left > 0 && !r.Spent() {
			all[i].below = n.list(&left)
		}
	}
	var lines []string
	for _, n := range all {
		if n.text != "" {
			lines = append(lines, n.text)
		}
		lines = append(lines, n.below...)
	}
	if full || r.Spent() && len(lines) > 0 {
		lines = append(lines, "  ...")
	}
	return lines
}

// nesting gathers the notes of what is in one value.
type nesting struct {
	r     *renderer
	path  string
	view  *view
	lines []string
	seen  map[string]bool // of alternatives much is the same
}

func (n *nesting) list(left *int) []string {
	n.seen = map[string]bool{}
	n.within(n.path, n.view, 1, left)
	return n.lines
}

// within adds the notes of what is in v, which is at path.
func (n *nesting) within(path string, v *view, depth int, left *int) {
	if depth > MaxLevels || n.r.Spent() || *left <= 0 || len(path) > maxPath {
		return
	}
	mark := len(n.r.trail)
	n.r.trail = append(n.r.trail, v.Trail...)
	defer func() { n.r.trail = n.r.trail[:mark] }()
	for _, p := range v.Properties {
		n.add(path+"."+label(p.Name), n.r.look(p.Schemas...), depth, left)
	}
	if v.Items != nil {
		n.add(path+"[]", n.r.look(v.Items), depth, left)
	}
	if v.Open.Is(strictjson.Object) {
		n.add(path+".*", n.r.look(v.Open), depth, left)
	}
	for _, group := range v.Either {
		for _, alternative := range group[:min(len(group), maxUnion)] {
			n.within(path, n.r.look(alternative), depth, left)
		}
	}
}

func (n *nesting) add(path string, v *view, depth int, left *int) {
	text := n.r.note(path, v)
	if text != "" && !n.seen[text] {
		n.seen[text] = true
		if *left -= len(indent) + len(text) + 1; *left < 0 {
			return
		}
		n.lines = append(n.lines, text)
	}
	n.within(path, v, depth+1, left)
}

// note is the line of one value, escaped; "" where there is nothing to say.
func (r *renderer) note(path string, v *view) string {
	r.spend(1 + min(len(v.About), maxText)/unitText)
	about := cut.Marked(unmarked(oneLine(cleanText(v.About))), maxNote, cutMark)
	facts := strings.Join(r.facts(v), "; ")
	switch {
	case about == "" && facts == "":
		return ""
	case facts != "":
		path += " (" + cut.Marked(facts, maxFacts, cutMark) + ")"
	}
	return escape("  " + strings.TrimSuffix(path+": "+about, ": "))
}

// facts are what a schema says of a value besides its type.
func (r *renderer) facts(v *view) []string {
	var facts []string
	add := func(text string) {
		if text != "" {
			facts = append(facts, text)
		}
	}
	if format := v.Keyword("format"); format.Is(strictjson.String) {
		add(unmarked(cut.Characters(oneLine(cleanText(format.Text)), maxLiteral)))
	}
	add(span(v))
	if of := number(v, "multipleOf"); of != "" {
		add("a multiple of " + of)
	}
	add(counted(v, "Length", "character", "characters"))
	add(counted(v, "Items", "item", "items"))
	add(counted(v, "Properties", "member", "members"))
	if v.Keyword("uniqueItems").IsTrue() {
		add("no item twice")
	}
	if pattern := v.Keyword("pattern"); pattern.Is(strictjson.String) {
		add("matching " + quoteCut(pattern.Text, maxPattern))
	}
	add(r.choices(v))
	add(r.examples(v))
	if v.Keyword("deprecated").IsTrue() {
		add("deprecated")
	}
	return facts
}

// number is the text of a keyword whose value is a number, "" without one.
func number(v *view, keyword string) string {
	if n := v.Keyword(keyword); n.Is(strictjson.Number) {
		return cut.Marked(n.Text, maxLiteral, cutMark)
	}
	return ""
}

// span words the bounds of a number.
func span(v *view) string {
	low, high := number(v, "minimum"), number(v, "maximum")
	above, below := number(v, "exclusiveMinimum"), number(v, "exclusiveMaximum")
	if v.Keyword("exclusiveMinimum").IsTrue() { // as draft-04 writes it
		low, above = "", low
	}
	if v.Keyword("exclusiveMaximum").IsTrue() {
		high, below = "", high
	}
	if low != "" && high != "" && above == "" && below == "" {
		return low + " to " + high
	}
	var parts []string
	for _, bound := range []struct{ words, number string }{
		{"at least ", low}, {"more than ", above}, {"at most ", high}, {"less than ", below},
	} {
		if bound.number != "" {
			parts = append(parts, bound.words+bound.number)
		}
	}
	return strings.Join(parts, ", ")
}

// counted words the bounds of a count, such as minLength and maxLength.
func counted(v *view, of, one, many string) string {
	low, high := number(v, "min"+of), number(v, "max"+of)
	if low == "0" {
		low = ""
	}
	name := func(n string) string {
		if n == "1" {
			return n + " " + one
		}
		return n + " " + many
	}
	switch {
	case low == "" && high == "":
		return ""
	case low == high:
		return "exactly " + name(low)
	case low == "":
		return "at most " + name(high)
	case high == "":
		return "at least " + name(low)
	}
	return low + " to " + name(high)
}

// choices lists the values of an enum that the type does not show all of.
func (r *renderer) choices(v *view) string {
	size := 0
	var all []string
	for _, n := range v.Values {
		text := r.literal(n, 0)
		size += len(text) + len(" | ")
		if all = append(all, text); r.Spent() || size > maxFacts {
			break
		}
	}
	if size <= maxValues {
		return ""
	}
	return "one of " + strings.Join(all, ", ")
}

func (r *renderer) examples(v *view) string {
	values := v.Keyword("examples").List()
	if one := v.Keyword("example"); len(values) == 0 && one != nil {
		values = []*node{one}
	}
	var shown []string
	for _, n := range values[:min(len(values), examples)] {
		text := r.literal(n, 0)
		if n.Is(strictjson.String) {
			text = quoteCut(n.Text, maxExample)
		}
		shown = append(shown, text)
	}
	if len(shown) == 0 {
		return ""
	}
	return "e.g. " + strings.Join(shown, ", ")
}

// outputNotes says what the members of a result are for.
func outputNotes(output []byte) []string {
	if len(output) == 0 {
		return nil
	}
	d, err := schemaview.ParseOutput(output)
	if err != nil {
		return nil
	}
	r := newRenderer(d)
	v, _ := r.unwrapped(d.Root)
	if len(v.Properties) > 0 {
		return r.notes(v, maxReturnNotes)
	}
	left := maxReturnNotes
	return (&nesting{r: r, view: v}).list(&left)
}

// arguments shows the parameters in a line, in at most max bytes: all of them with
// their types where that fits, else as many with short types as leave room for the names
// of the others, and in the end how many more there are.
func (r *renderer) arguments(max int) string {
	const maxType = 40 // bytes of a parameter with its type, where not all fit
	v := r.root()
	if text := r.line(v, max); !strings.HasSuffix(text, " more") {
		return strings.TrimPrefix(text, "none")
	}
	names, left := make([]string, len(v.Properties)), max
	for i, p := range v.Properties {
		names[i] = label(p.Name)
		if !p.Required {
			names[i] += "?"
		}
		left -= len(names[i]) + len(", ")
	}
	for i := 0; i < len(names) && left > 0; i++ {
		typed := r.line(&view{Properties: v.Properties[i : i+1]}, maxType)
		if more := len(typed) - len(names[i]); typed != "none" && !strings.HasSuffix(typed, " more") && more <= left {
			names[i], left = typed, left-more
		}
	}
	var b strings.Builder
	for i, name := range names {
		more := fmt.Sprintf("... %d more", len(names)-i)
		last := i == len(names)-1 && b.Len()+len(name) <= max
		if !last && b.Len()+len(name)+len(", ")+len(more) > max {
			return b.String() + more
		}
		b.WriteString(name + ", ")
	}
	return strings.TrimSuffix(b.String(), ", ")
}
