package config

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/nearest"
)

// The keys of a server, in the order they are best explained.
var serverKeys = []string{"command", "args", "env", "type", "allow", "private", "rules"}

// elsewhere are keys that other programs' files have for a server, with what to
// do about them here. Keys are in lower case.
var elsewhere = map[string]string{
	"url":           "only servers started by a command are supported; give a command that speaks stdio and connects to the URL",
	"serverurl":     "only servers started by a command are supported; give a command that speaks stdio and connects to the URL",
	"httpurl":       "only servers started by a command are supported; give a command that speaks stdio and connects to the URL",
	"headers":       "only servers started by a command are supported; give a command that speaks stdio and sends the headers",
	"transport":     `the key is "type", and the only type is "stdio"`,
	"disabled":      "there is no such switch; to leave a server out, take its entry out of the file",
	"enabled":       "there is no such switch; every server in the file is used",
	"cwd":           `start the server through a shell: "command": "sh", "args": ["-c", "cd DIR && exec SERVER"]`,
	"envfile":       `write the variables under "env"`,
	"timeout":       "there is no such key; every call is given 30 seconds",
	"alwaysallow":   `that key says which calls a client need not ask about; which tools may be called at all is "allow"`,
	"autoapprove":   `that key says which calls a client need not ask about; which tools may be called at all is "allow"`,
	"disabledtools": `list the tools that may be called under "allow"; all others are refused`,
}

var serverName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// A reader turns the JSON of one file into servers.
type reader struct {
	name string
	data []byte
	warn []string
}

// errorf is an *Error about key of entry at an offset into the file.
func (r *reader) errorf(offset int, entry, key, hint, format string, args ...any) error {
	e := &Error{File: r.name, Entry: entry, Key: key, Hint: hint, Problem: fmt.Sprintf(format, args...)}
	e.Line, e.Column = position(r.data, offset)
	return e
}

func (r *reader) file(top node) (*File, error) {
	const shape = `the shape is {"mcpServers": {"NAME": {"command": …}}}`
	o, ok := top.value.(object)
	if !ok {
		return nil, r.errorf(top.offset, "", "", shape, "the file is %s, want an object", kind(top))
	}
	for _, m := range o {
		if m.key != "mcpServers" {
			return nil, r.errorf(m.offset, "", m.key, topHint(m), "is unknown")
		}
	}
	servers, ok := o.get("mcpServers")
	if !ok {
		return nil, r.errorf(top.offset, "", "mcpServers", shape, "is missing")
	}
	entries, ok := servers.value.(object)
	if !ok {
		return nil, r.errorf(servers.offset, "", "mcpServers", shape, "is %s, want an object", kind(servers))
	}
	if len(entries) == 0 {
		return nil, r.errorf(servers.offset, "", "mcpServers", shape, "names no server")
	}
	f := &File{}
	for _, m := range entries {
		s, err := r.server(m)
		if err != nil {
			return nil, err
		}
		f.Servers = append(f.Servers, s)
	}
	f.Warnings = r.warn
	return f, nil
}

// topHint says what to do about an unknown key beside "mcpServers".
func topHint(m member) string {
	if o, ok := m.node.value.(object); ok {
		if _, ok := o.get("command"); ok {
			return `put the servers inside of "mcpServers": {"mcpServers": {"NAME": {"command": …}}}`
		}
	}
	if m.key == "servers" || nearest.Of(m.key, []string{"mcpServers"}) != "" {
		return `did you mean "mcpServers"?`
	}
	return `the only key is "mcpServers"; copy that part of a client's file into a file of its own`
}

func (r *reader) server(m member) (Server, error) {
	s := Server{Name: m.key}
	if !serverName.MatchString(m.key) {
		return s, r.errorf(m.offset, "", "", "", "%q is not a server name: 1 to 64 letters, digits, \"_\" and \"-\"", clip(m.key))
	}
	o, ok := m.node.value.(object)
	if !ok {
		return s, r.errorf(m.node.offset, s.Name, "", "", "is %s, want an object with a \"command\"", kind(m.node))
	}
	for _, k := range o {
		if !slices.Contains(serverKeys, k.key) {
			return s, r.errorf(k.offset, s.Name, k.key, keyHint(k.key), "is unknown")
		}
	}
	command, ok := o.get("command")
	if !ok {
		return s, r.errorf(m.offset, s.Name, "command", "", "is missing")
	}
	var err error
	if s.Command, err = r.command(s.Name, command); err != nil {
		return s, err
	}
	for _, k := range o {
		if err := r.key(&s, k); err != nil {
			return s, err
		}
	}
	return s, nil
}

// keyHint says what to do about an unknown key of a server.
func keyHint(key string) string {
	if hint, ok := elsewhere[strings.ToLower(key)]; ok {
		return hint
	}
	if near := nearest.Of(key, serverKeys); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "the keys of a server are " + strings.Join(serverKeys, ", ")
}

// key reads one of serverKeys but "command" into s.
func (r *reader) key(s *Server, k member) (err error) {
	switch k.key {
	case "args":
		s.Args, err = r.args(s.Name, k.node)
	case "env":
		s.Env, err = r.env(s.Name, k.node)
	case "type":
		if t, ok := k.node.value.(string); !ok || t != "stdio" {
			err = r.errorf(k.node.offset, s.Name, "type", elsewhere["url"], "is %s, want \"stdio\"", shown(k.node))
		}
	case "allow":
		s.Allow, err = r.tools(s.Name, "allow", k.node)
	case "private":
		if all, ok := k.node.value.(bool); ok {
			s.PrivateAll = all
			return nil
		}
		s.Private, err = r.tools(s.Name, "private", k.node)
	case "rules":
		s.Rules, err = r.rules(s.Name, k.node)
	}
	return err
}

// kind names what a JSON value is, for "is …, want …".
func kind(n node) string {
	switch n.value.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case []node:
		return "a list"
	}
	return "an object"
}

// shown is kind, with the value itself where it is a short scalar.
func shown(n node) string {
	switch v := n.value.(type) {
	case bool, json.Number:
		return fmt.Sprint(v)
	case string:
		return fmt.Sprintf("%q", clip(v))
	}
	return kind(n)
}
