package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// reference is how other programs write "put a variable's value here". Nothing
// is expanded here, so in a command or a variable it can only be a mistake: the
// server would get the text itself.
var reference = regexp.MustCompile(`\$\{[^}]*\}`)

// text reads a string that will be handed to the operating system.
func (r *reader) text(entry, key string, n node) (string, error) {
	if n.Kind != strictjson.String {
		hint := ""
		if n.Kind != strictjson.Array && n.Kind != strictjson.Null && key != "command" {
			hint = "put it in quotes"
		}
		return "", r.errorf(n.Offset, entry, key, hint, "is %s, want a string", shown(n))
	}
	if strings.ContainsRune(n.Text, 0) {
		return "", r.errorf(n.Offset, entry, key, "", "holds a NUL character")
	}
	return n.Text, nil
}

func (r *reader) command(entry string, n node) (string, error) {
	s, err := r.text(entry, "command", n)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(s) == "" {
		return "", r.errorf(n.Offset, entry, "command", "", "is empty")
	}
	if ref := reference.FindString(s); ref != "" {
		return "", r.errorf(n.Offset, entry, "command", "write the path itself", "holds %s, and nothing is expanded here", clip(ref))
	}
	return s, nil
}

func (r *reader) args(entry string, n node) ([]string, error) {
	if n.Kind != strictjson.Array {
		return nil, r.errorf(n.Offset, entry, "args", "", "is %s, want a list of strings", shown(n))
	}
	args := make([]string, 0, len(n.Elements))
	for i, a := range n.Elements {
		key := fmt.Sprintf("args[%d]", i)
		s, err := r.text(entry, key, a)
		if err != nil {
			return nil, err
		}
		// A shell may be meant to expand it, so this is no error.
		if ref := reference.FindString(s); ref != "" {
			line, column := position(r.data, a.Offset)
			r.warn = append(r.warn, fmt.Sprintf("%s:%d:%d: server %q: key %q holds %s, which is passed on as it stands: nothing is expanded here",
				r.name, line, column, entry, key, clip(ref)))
		}
		args = append(args, s)
	}
	return args, nil
}

func (r *reader) env(entry string, n node) ([]string, error) {
	if n.Kind != strictjson.Object {
		return nil, r.errorf(n.Offset, entry, "env", `the form is "env": {"NAME": "value"}`, "is %s, want an object", kind(n))
	}
	env := make([]string, 0, len(n.Members))
	for _, m := range n.Members {
		key := "env." + m.Key
		if m.Key == "" || strings.ContainsAny(m.Key, "=\x00") {
			return nil, r.errorf(m.Offset, entry, key, "", "is not the name of a variable")
		}
		s, err := r.text(entry, key, m.Value)
		if err != nil {
			return nil, err
		}
		if ref := reference.FindString(s); ref != "" {
			return nil, r.errorf(m.Value.Offset, entry, key, "write the value itself", "holds %s, and nothing is expanded here", clip(ref))
		}
		env = append(env, m.Key+"="+s)
	}
	return env, nil
}

// tools reads a list of raw tool names.
func (r *reader) tools(entry, key string, n node) ([]string, error) {
	want := "a list of tool names"
	if key == "private" {
		want = "true, false or a list of tool names"
	}
	if n.Kind != strictjson.Array {
		hint := ""
		if n.Kind == strictjson.String {
			hint = fmt.Sprintf("write [%q]", clip(n.Text))
		}
		return nil, r.errorf(n.Offset, entry, key, hint, "is %s, want %s", shown(n), want)
	}
	names := make([]string, 0, len(n.Elements))
	for i, t := range n.Elements {
		if t.Kind != strictjson.String || t.Text == "" {
			return nil, r.errorf(t.Offset, entry, fmt.Sprintf("%s[%d]", key, i), "", "is %s, want the name of a tool", shown(t))
		}
		if !slices.Contains(names, t.Text) {
			names = append(names, t.Text)
		}
	}
	return names, nil
}

func (r *reader) rules(entry string, n node) (map[string][]string, error) {
	const form = `the form is "rules": {"TOOL": ["size(args.title) <= 200"]}`
	if n.Kind != strictjson.Object {
		return nil, r.errorf(n.Offset, entry, "rules", form, "is %s, want an object", kind(n))
	}
	rules := make(map[string][]string, len(n.Members))
	for _, m := range n.Members {
		key := "rules." + m.Key
		if m.Value.Kind != strictjson.Array {
			return nil, r.errorf(m.Value.Offset, entry, key, form, "is %s, want a list of CEL expressions", kind(m.Value))
		}
		exprs := make([]string, 0, len(m.Value.Elements))
		for i, e := range m.Value.Elements {
			if e.Kind != strictjson.String || strings.TrimSpace(e.Text) == "" {
				return nil, r.errorf(e.Offset, entry, fmt.Sprintf("%s[%d]", key, i), form, "is %s, want a CEL expression", shown(e))
			}
			exprs = append(exprs, e.Text)
		}
		rules[m.Key] = exprs
	}
	return rules, nil
}
