package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// reference is how other programs write "put a variable's value here". Nothing
// is expanded here, so in a command or a variable it can only be a mistake: the
// server would get the text itself.
var reference = regexp.MustCompile(`\$\{[^}]*\}`)

// text reads a string that will be handed to the operating system.
func (r *reader) text(entry, key string, n node) (string, error) {
	s, ok := n.value.(string)
	if !ok {
		hint := ""
		if _, list := n.value.([]node); !list && n.value != nil && key != "command" {
			hint = "put it in quotes"
		}
		return "", r.errorf(n.offset, entry, key, hint, "is %s, want a string", shown(n))
	}
	if strings.ContainsRune(s, 0) {
		return "", r.errorf(n.offset, entry, key, "", "holds a NUL character")
	}
	return s, nil
}

func (r *reader) command(entry string, n node) (string, error) {
	s, err := r.text(entry, "command", n)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(s) == "" {
		return "", r.errorf(n.offset, entry, "command", "", "is empty")
	}
	if ref := reference.FindString(s); ref != "" {
		return "", r.errorf(n.offset, entry, "command", "write the path itself", "holds %s, and nothing is expanded here", clip(ref))
	}
	return s, nil
}

func (r *reader) args(entry string, n node) ([]string, error) {
	list, ok := n.value.([]node)
	if !ok {
		return nil, r.errorf(n.offset, entry, "args", "", "is %s, want a list of strings", shown(n))
	}
	args := make([]string, 0, len(list))
	for i, a := range list {
		key := fmt.Sprintf("args[%d]", i)
		s, err := r.text(entry, key, a)
		if err != nil {
			return nil, err
		}
		// A shell may be meant to expand it, so this is no error.
		if ref := reference.FindString(s); ref != "" {
			line, column := position(r.data, a.offset)
			r.warn = append(r.warn, fmt.Sprintf("%s:%d:%d: server %q: key %q holds %s, which is passed on as it stands: nothing is expanded here",
				r.name, line, column, entry, key, clip(ref)))
		}
		args = append(args, s)
	}
	return args, nil
}

func (r *reader) env(entry string, n node) ([]string, error) {
	o, ok := n.value.(object)
	if !ok {
		return nil, r.errorf(n.offset, entry, "env", `the form is "env": {"NAME": "value"}`, "is %s, want an object", kind(n))
	}
	env := make([]string, 0, len(o))
	for _, m := range o {
		key := "env." + m.key
		if m.key == "" || strings.ContainsAny(m.key, "=\x00") {
			return nil, r.errorf(m.offset, entry, key, "", "is not the name of a variable")
		}
		s, err := r.text(entry, key, m.node)
		if err != nil {
			return nil, err
		}
		if ref := reference.FindString(s); ref != "" {
			return nil, r.errorf(m.node.offset, entry, key, "write the value itself", "holds %s, and nothing is expanded here", clip(ref))
		}
		env = append(env, m.key+"="+s)
	}
	return env, nil
}

// tools reads a list of raw tool names.
func (r *reader) tools(entry, key string, n node) ([]string, error) {
	want := "a list of tool names"
	if key == "private" {
		want = "true, false or a list of tool names"
	}
	list, ok := n.value.([]node)
	if !ok {
		hint := ""
		if s, one := n.value.(string); one {
			hint = fmt.Sprintf("write [%q]", clip(s))
		}
		return nil, r.errorf(n.offset, entry, key, hint, "is %s, want %s", shown(n), want)
	}
	names := make([]string, 0, len(list))
	for i, t := range list {
		s, ok := t.value.(string)
		if !ok || s == "" {
			return nil, r.errorf(t.offset, entry, fmt.Sprintf("%s[%d]", key, i), "", "is %s, want the name of a tool", shown(t))
		}
		if !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names, nil
}

func (r *reader) rules(entry string, n node) (map[string][]string, error) {
	const form = `the form is "rules": {"TOOL": ["size(args.title) <= 200"]}`
	o, ok := n.value.(object)
	if !ok {
		return nil, r.errorf(n.offset, entry, "rules", form, "is %s, want an object", kind(n))
	}
	rules := make(map[string][]string, len(o))
	for _, m := range o {
		key := "rules." + m.key
		list, ok := m.node.value.([]node)
		if !ok {
			return nil, r.errorf(m.node.offset, entry, key, form, "is %s, want a list of CEL expressions", kind(m.node))
		}
		exprs := make([]string, 0, len(list))
		for i, e := range list {
			s, ok := e.value.(string)
			if !ok || strings.TrimSpace(s) == "" {
				return nil, r.errorf(e.offset, entry, fmt.Sprintf("%s[%d]", key, i), form, "is %s, want a CEL expression", shown(e))
			}
			exprs = append(exprs, s)
		}
		rules[m.key] = exprs
	}
	return rules, nil
}
