package stub

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Names gives every tool its Python name, in the order of tools: the tool's own
// name, or "server__tool" with prefix. Characters that are not ASCII letters,
// digits or "_" become "_" (Python would normalise other letters, so two
// spellings of a name could meet), a leading digit gets a leading "_", and a
// reserved name (see Reserved) a trailing one. Names are at most MaxName bytes.
//
// Two tools of one server that meet are told apart by "_2", "_3", ... and a
// warning: the one whose raw name needed no change keeps it, the others follow
// in the order of their raw names, whatever the order of tools. Two tools of
// different servers that meet are a *ClashError, and there is no other error.
func Names(tools []Tool, prefix bool) (names, warnings []string, err error) {
	names = make([]string, len(tools))
	groups := map[string][]int{}
	var servers []string
	for i, t := range tools {
		if groups[t.Server] == nil {
			servers = append(servers, t.Server)
		}
		groups[t.Server] = append(groups[t.Server], i)
	}
	slices.Sort(servers)
	for _, server := range servers {
		warnings = append(warnings, nameServer(tools, groups[server], prefix, names)...)
	}
	owner := make(map[string]int, len(tools))
	for i, name := range names {
		if j, taken := owner[name]; taken {
			return nil, nil, &ClashError{First: tools[j], Second: tools[i], Name: name}
		}
		owner[name] = i
	}
	return names, warnings, nil
}

// ClashError says that tools of two servers would have the same Python name.
type ClashError struct {
	First, Second Tool   // in the order of the tools
	Name          string // in Python
}

func (e *ClashError) Error() string {
	return fmt.Sprintf("tools %s and %s are both %q in Python", e.First.id(), e.Second.id(), e.Name)
}

// nameServer names the tools of one server, which are tools[i] for i in group.
func nameServer(tools []Tool, group []int, prefix bool, names []string) (warnings []string) {
	type wish struct {
		tool  int
		base  string
		exact bool // the raw name is the Python name
	}
	wishes := make([]wish, len(group))
	wanted := make(map[string]bool, len(group))
	for k, i := range group {
		raw := tools[i].Name
		if prefix {
			raw = tools[i].Server + "__" + raw
		}
		base := identifier(raw)
		wishes[k] = wish{i, base, base == raw}
		wanted[base] = true
	}
	slices.SortStableFunc(wishes, func(a, b wish) int {
		if a.exact != b.exact {
			if a.exact {
				return -1
			}
			return 1
		}
		return strings.Compare(tools[a.tool].Name, tools[b.tool].Name)
	})
	owner := make(map[string]int, len(group))
	next := map[string]int{}
	for _, w := range wishes {
		name := w.base
		if first, taken := owner[name]; taken {
			for n := max(2, next[w.base]); ; n++ {
				suffix := "_" + strconv.Itoa(n)
				name = w.base[:min(len(w.base), MaxName-len(suffix))] + suffix
				if _, taken := owner[name]; !taken && !wanted[name] && !Reserved(name) {
					next[w.base] = n + 1
					break
				}
			}
			warnings = append(warnings, fmt.Sprintf("tool %s is %q in Python: %q is tool %s",
				tools[w.tool].id(), name, w.base, tools[first].id()))
		}
		owner[name] = w.tool
		names[w.tool] = name
	}
	return warnings
}

// identifier makes a Python name of a raw one.
func identifier(raw string) string {
	var b strings.Builder
	for _, r := range raw {
		if b.Len() == MaxName-2 { // room for one "_" on either side
			break
		}
		if r > 0x7f || !isIdentifierByte(byte(r)) {
			r = '_'
		}
		b.WriteRune(r)
	}
	name := b.String()
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	if Reserved(name) {
		name += "_"
	}
	return name
}

func isIdentifierByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// isIdentifier reports whether s can be a Python name as far as its characters
// go. Only ASCII names can.
func isIdentifier(s string) bool {
	for i := range len(s) {
		if !isIdentifierByte(s[i]) {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}
