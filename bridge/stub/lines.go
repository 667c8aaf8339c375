package stub

import (
	"fmt"
	"strings"
)

// piece is one part of a params: or returns: line. It can be rendered with
// fewer levels when the line is too long.
type piece struct {
	head, tail string
	render     func() string
	text       string // escaped, head and tail included
	levels     int
}

func (r *renderer) draw(p *piece, levels int) {
	text, ok := r.attempt(levels, p.render)
	for !ok && levels > 0 {
		levels--
		text, ok = r.attempt(levels, p.render)
	}
	if !ok {
		text = unknown
	}
	p.levels, p.text = levels, escape(p.head+text+p.tail)
}

// params is the params: line, at most maxParams bytes.
func (r *renderer) params() string { return r.line(r.root(), maxParams) }

// returns is the returns: line, at most maxReturns bytes, "" when the schema
// says nothing that helps.
func (r *renderer) returns(v *view) string {
	if len(v.Properties) > 0 {
		return r.line(v, maxReturns)
	}
	p := &piece{render: func() string { return r.text(v, 0) }}
	pieces := fit(r, []*piece{p}, maxReturns)
	if text := pieces[0].text; text != unknown {
		return text
	}
	return ""
}

// line lists the properties of v. Where they do not all fit, the longest types
// are shown with fewer levels first; then properties are left out and counted.
func (r *renderer) line(v *view, max int) string {
	const shortest = len("a: Any, ")
	r.trail = append(r.trail[:0], v.Trail...)
	var pieces []*piece
	for _, p := range v.Properties[:min(len(v.Properties), max/shortest)] {
		f := r.field(p)
		pieces = append(pieces, &piece{
			head: f.head, tail: f.tail,
			render: func() string { return r.text(f.view, 0) },
		})
	}
	for _, group := range v.Either {
		p := &piece{render: func() string { return join(r.union(group, 0)) }}
		if text, ok := r.attempt(MaxLevels, p.render); text != unknown || !ok {
			pieces = append(pieces, p)
		}
	}
	if other := v.Other(); other != nil && r.undeclared && v.Open == other {
		pieces = append(pieces, &piece{head: "**arguments", render: func() string { return "" }})
	} else if other != nil {
		pieces = append(pieces, &piece{head: "**other: ", render: func() string { return r.typeOf(other, 0) }})
	}
	pieces = fit(r, pieces, max)
	if len(pieces) == 0 {
		return "none"
	}
	texts := make([]string, 0, len(pieces)+1)
	left := len(v.Properties)
	for _, p := range pieces {
		texts = append(texts, p.text)
		left--
	}
	if left > 0 {
		texts = append(texts, fmt.Sprintf("... %d more", left))
	}
	return strings.Join(texts, ", ")
}

// fit renders pieces so that their texts joined by ", " have at most max bytes,
// with room for a count of those it had to drop.
func fit(r *renderer, pieces []*piece, max int) []*piece {
	const separator, count = len(", "), len(", ... 1000000 more")
	size := 0
	for _, p := range pieces {
		r.draw(p, MaxLevels)
		size += len(p.text) + separator
	}
	for size > max {
		var longest *piece
		for _, p := range pieces {
			if p.levels > 0 && (longest == nil || len(p.text) > len(longest.text)) {
				longest = p
			}
		}
		if longest == nil {
			break
		}
		size -= len(longest.text)
		r.draw(longest, longest.levels-1)
		size += len(longest.text)
	}
	if size > max {
		max -= count
	}
	for len(pieces) > 0 && size > max {
		last := len(pieces) - 1
		size -= len(pieces[last].text) + separator
		pieces = pieces[:last]
	}
	return pieces
}
