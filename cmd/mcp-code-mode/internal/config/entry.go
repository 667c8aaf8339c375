package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/nearest"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// The keys of a server, in the order they are best explained.
var serverKeys = []string{"command", "args", "env", "type", "allow", "private", "rules", "limits"}

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
	"timeout":       `write "limits": {"timeout": "60s"}`,
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
	if top.Kind != strictjson.Object {
		return nil, r.errorf(top.Offset, "", "", shape, "the file is %s, want an object", kind(top))
	}
	for _, m := range top.Members {
		if m.Key != "mcpServers" {
			return nil, r.errorf(m.Offset, "", m.Key, topHint(m), "is unknown")
		}
	}
	servers := top.Get("mcpServers")
	if servers == nil {
		return nil, r.errorf(top.Offset, "", "mcpServers", shape, "is missing")
	}
	if servers.Kind != strictjson.Object {
		return nil, r.errorf(servers.Offset, "", "mcpServers", shape, "is %s, want an object", kind(servers))
	}
	if len(servers.Members) == 0 {
		return nil, r.errorf(servers.Offset, "", "mcpServers", shape, "names no server")
	}
	f := &File{}
	for _, m := range servers.Members {
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
func topHint(m strictjson.Member) string {
	if m.Value.Get("command") != nil {
		return `put the servers inside of "mcpServers": {"mcpServers": {"NAME": {"command": …}}}`
	}
	if m.Key == "servers" || nearest.Of(m.Key, []string{"mcpServers"}) != "" {
		return `did you mean "mcpServers"?`
	}
	return `the only key is "mcpServers"; copy that part of a client's file into a file of its own`
}

func (r *reader) server(m strictjson.Member) (Server, error) {
	s := Server{Name: m.Key}
	if !serverName.MatchString(m.Key) {
		return s, r.errorf(m.Offset, "", "", "", "%q is not a server name: 1 to 64 letters, digits, \"_\" and \"-\"", clip(m.Key))
	}
	if m.Value.Kind != strictjson.Object {
		return s, r.errorf(m.Value.Offset, s.Name, "", "", "is %s, want an object with a \"command\"", kind(m.Value))
	}
	for _, k := range m.Value.Members {
		if !slices.Contains(serverKeys, k.Key) {
			return s, r.errorf(k.Offset, s.Name, k.Key, keyHint(k.Key), "is unknown")
		}
	}
	command := m.Value.Get("command")
	if command == nil {
		return s, r.errorf(m.Offset, s.Name, "command", "", "is missing")
	}
	var err error
	if s.Command, err = r.command(s.Name, command); err != nil {
		return s, err
	}
	for _, k := range m.Value.Members {
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
func (r *reader) key(s *Server, k strictjson.Member) (err error) {
	switch k.Key {
	case "args":
		s.Args, err = r.args(s.Name, k.Value)
	case "env":
		s.Env, err = r.env(s.Name, k.Value)
	case "type":
		if k.Value.Kind != strictjson.String || k.Value.Text != "stdio" {
			err = r.errorf(k.Value.Offset, s.Name, "type", elsewhere["url"], "is %s, want \"stdio\"", shown(k.Value))
		}
	case "allow":
		s.Allow, err = r.tools(s.Name, "allow", k.Value)
	case "private":
		if k.Value.Kind == strictjson.Truth {
			s.PrivateAll = k.Value.IsTrue()
			return nil
		}
		s.Private, err = r.tools(s.Name, "private", k.Value)
	case "rules":
		s.Rules, err = r.rules(s.Name, k.Value)
	case "limits":
		err = r.limits(s, k.Value)
	}
	return err
}

// kinds names what a JSON value is, for "is …, want …".
var kinds = map[strictjson.Kind]string{
	strictjson.Null: "null", strictjson.Truth: "true or false", strictjson.String: "a string", strictjson.Number: "a number",
	strictjson.Array: "a list", strictjson.Object: "an object",
}

func kind(n node) string { return kinds[n.Kind] }

// shown is kind, with the value itself where it is a short scalar.
func shown(n node) string {
	switch n.Kind {
	case strictjson.Truth, strictjson.Number:
		return n.Text
	case strictjson.String:
		return fmt.Sprintf("%q", clip(n.Text))
	}
	return kind(n)
}
