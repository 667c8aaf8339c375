package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fold returns the same text for all keys that are equal under
// strings.EqualFold, and only for those: each character becomes the first of
// those it folds with, but that a letter of ASCII becomes lower case.
func fold(key string) string {
	if isFolded(key) {
		return key
	}
	var b strings.Builder
	b.Grow(len(key))
	for _, r := range key {
		b.WriteRune(foldRune(r))
	}
	return b.String()
}

// isFolded reports whether key is plain ASCII without upper case, as most are.
func isFolded(key string) bool {
	for i := range len(key) {
		if c := key[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

func foldRune(r rune) rune {
	least := r
	if r >= utf8.RuneSelf {
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
	}
	if 'A' <= least && least <= 'Z' {
		return least + 'a' - 'A'
	}
	return least
}

// foldNames lists the names of properties by what they fold to, of several that
// are equal the first.
func foldNames(properties map[string]*node) map[string]string {
	if len(properties) == 0 {
		return nil
	}
	names := make(map[string]string, len(properties))
	for name := range properties {
		folded := fold(name)
		if other, ok := names[folded]; !ok || name < other {
			names[folded] = name
		}
	}
	return names
}

// checkFolds finds keys that a decoder which ignores case takes for others. It
// looks at each key once for each schema that applies to its object, as the
// validator does, so that what bounds the validator's work bounds its own.
func (s *Schema) checkFolds(args map[string]any, found *findings) {
	f := folds{found: found}
	f.nodes = append(f.nodes, s.root)
	f.value(args, 0)
}

// folds walks through arguments and the schemas that apply to them.
type folds struct {
	found *findings
	path  []string
	nodes []*node       // a stack; on top those of the value that is looked at
	seen  map[*node]int // the place where a schema was last found to apply
	place int           // counts the places
	keys  []foldedKey   // those of the object that is looked at
}

type foldedKey struct{ folded, key string }

// value looks at v, to which the nodes from that one on apply. It takes them off
// the stack.
func (f *folds) value(v any, from int) {
	switch v := v.(type) {
	case []any:
		f.expand(v, from)
		f.array(v, from)
	case map[string]any:
		f.expand(v, from)
		f.object(v, from)
	}
	f.nodes = f.nodes[:from]
}

// expand adds the schemas that those from that one on apply in place, and takes
// out those that do not apply to v at all.
func (f *folds) expand(v any, from int) {
	is, kept := typeOf(v), from
	if len(f.nodes) == from+1 && f.nodes[from].inPlace == nil { // as nearly always
		if n := f.nodes[from]; n.types != 0 && n.types&is == 0 {
			f.nodes = f.nodes[:from]
		}
		return
	}
	if f.place++; f.seen == nil {
		f.seen = map[*node]int{}
	}
	for i := from; i < len(f.nodes); i++ {
		n := f.nodes[i]
		if f.seen[n] == f.place || n.types != 0 && n.types&is == 0 {
			continue
		}
		f.seen[n] = f.place
		f.nodes = append(f.nodes, n.inPlace...)
		f.nodes[kept] = n // kept <= i: what is overwritten has been looked at
		kept++
	}
	f.nodes = f.nodes[:kept]
}

func (f *folds) array(array []any, from int) {
	to := len(f.nodes)
	for i, e := range array {
		if t := typeOf(e); t != typeArray && t != typeObject {
			continue
		}
		for _, n := range f.nodes[from:to] {
			if i < len(n.tuple) {
				f.nodes = append(f.nodes, n.tuple[i])
			}
			f.nodes = append(f.nodes, n.elements...)
		}
		f.down(strconv.Itoa(i), e, to)
	}
}

func (f *folds) object(object map[string]any, from int) {
	f.checkKeys(object, f.nodes[from:])
	to := len(f.nodes)
	for key, e := range object {
		if t := typeOf(e); t != typeArray && t != typeObject {
			continue
		}
		for _, n := range f.nodes[from:to] {
			f.member(n, key)
		}
		f.down(key, e, to)
	}
}

// member adds the schemas that n applies to the member of that name.
func (f *folds) member(n *node, key string) {
	property := n.properties[key]
	if property != nil {
		f.nodes = append(f.nodes, property)
	}
	named := property != nil
	for _, p := range n.patterns {
		if p.pattern.MatchString(key) {
			f.nodes = append(f.nodes, p.node)
			named = true
		}
	}
	if !named {
		f.nodes = append(f.nodes, n.additional...)
	}
}

func (f *folds) down(token string, v any, from int) {
	f.path = append(f.path, token)
	f.value(v, from)
	f.path = f.path[:len(f.path)-1]
}

// checkKeys looks at the keys of one object, which nodes describe.
func (f *folds) checkKeys(object map[string]any, nodes []*node) {
	if len(object) < 2 && !slices.ContainsFunc(nodes, func(n *node) bool { return n.properties != nil }) {
		return
	}
	f.keys = f.keys[:0]
	for key := range object {
		f.keys = append(f.keys, foldedKey{fold(key), key})
	}
	slices.SortFunc(f.keys, func(a, b foldedKey) int {
		return cmp.Or(strings.Compare(a.folded, b.folded), strings.Compare(a.key, b.key))
	})
	told := 0
	for i, k := range f.keys {
		var message string
		switch {
		case i > 0 && f.keys[i-1].folded == k.folded:
			message = "keys " + quote(f.keys[i-1].key) + " and " + quote(k.key) + " differ only in case"
		case i+1 < len(f.keys) && f.keys[i+1].folded == k.folded:
			continue // is told with the next one
		default:
			name := k.meant(nodes)
			if name == "" || len(f.path) == 0 && f.found.top.refuses(k.key) {
				continue
			}
			message = "key " + quote(k.key) + " differs from " + quote(name) + " only in case"
		}
		f.found.add(f.path, message)
		if told++; told == MaxViolations {
			return
		}
	}
}

// meant is the property that nodes name and k is taken for, "" if there is none
// or k is named itself.
func (k foldedKey) meant(nodes []*node) string {
	var name string
	for _, n := range nodes {
		if n.properties[k.key] != nil {
			return ""
		}
		if other, ok := n.folded[k.folded]; ok && (name == "" || other < name) {
			name = other
		}
	}
	return name
}
