package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/cmd/mcp-code-mode/internal/config"
)

func TestParseKeepsEverythingInTheOrderOfTheFile(t *testing.T) {
	const text = `{"mcpServers": {
	  "notes": {"type": "stdio", "command": "notes-server", "args": ["--ro", ""], "env": {"Z": "1", "A": "x=\u00e9"},
	            "allow": ["search", "search", "read"], "private": true},
	  "Tracker_2-b": {"command": "/opt/tracker", "allow": [], "private": ["create_issue"],
	            "rules": {"create_issue": ["size(args.title) <= 200", "args.n > 1"], "find": []}},
	  "a": {"command": "a", "private": false, "limits": {"result": "4MiB", "timeout": "120s",
	            "tools": {"q": {"timeout": 600, "timeout_restarts_on_progress": true}, "r": {"result": 2048}}}}}}`
	want := &config.File{Servers: []config.Server{
		{
			Name: "notes", Command: "notes-server", Args: []string{"--ro", ""}, Env: []string{"Z=1", "A=x=é"},
			Allow: []string{"search", "read"}, PrivateAll: true,
		},
		{
			Name: "Tracker_2-b", Command: "/opt/tracker", Allow: []string{}, Private: []string{"create_issue"},
			Rules: map[string][]string{"create_issue": {"size(args.title) <= 200", "args.n > 1"}, "find": {}},
		},
		{
			Name: "a", Command: "a", Limits: config.Limits{Result: 4 << 20, Timeout: 2 * time.Minute},
			ToolLimits: map[string]config.Limits{"q": {Timeout: 10 * time.Minute, Restart: true}, "r": {Result: 2 << 10}},
		},
	}}
	for name, text := range map[string]string{"plain": text, "with a byte order mark": "\ufeff" + text} {
		got, err := config.Parse("c.json", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// entry wraps the keys of a server called notes.
func entry(keys string) string { return `{"mcpServers": {"notes": {"command": "n", ` + keys + `}}}` }

func TestErrorsNameFileEntryAndKey(t *testing.T) {
	tests := []struct {
		name, text string
		want       string // the message; then, after a newline, the hint
	}{
		{"misspelt key", entry(`"privat": true`), `c.json:1:43: server "notes": key "privat" is unknown
did you mean "private"?`},
		{"key in the wrong case", entry(`"Allow": []`), `c.json:1:43: server "notes": key "Allow" is unknown
did you mean "allow"?`},
		{"key of another program", entry(`"disabled": false`), `c.json:1:43: server "notes": key "disabled" is unknown
there is no such switch; to leave a server out, take its entry out of the file`},
		{"key like no other", entry(`"zzz": 1`), `c.json:1:43: server "notes": key "zzz" is unknown
the keys of a server are command, args, env, type, allow, private, rules, limits`},
		{"repeated key", "{\"mcpServers\": {\n \"notes\": {\"command\": \"n\",\n  \"allow\": [],\n  \"allow\": [\"x\"]}}}", `c.json:4:3: server "notes": key "allow" is there twice, first on line 3
keep one of the two`},
		{"repeated server", "{\"mcpServers\": {\n \"notes\": {\"command\": \"n\"},\n \"notes\": {\"command\": \"m\"}}}", `c.json:3:2: server "notes" is there twice, first on line 2
keep one of the two`},
		{"repeated top-level key", `{"mcpServers": {}, "mcpServers": {}}`, `c.json:1:20: key "mcpServers" is there twice, first on line 1
keep one of the two`},
		{"repeated variable", entry(`"env": {"K": "a", "K": "b"}`), `c.json:1:61: server "notes": key "env.K" is there twice, first on line 1
keep one of the two`},
		{"repeated rule", entry(`"rules": {"t": ["true"], "t": []}`), `c.json:1:68: server "notes": key "rules.t" is there twice, first on line 1
keep one of the two`},
		{"a key repeated through an escape", entry(`"allow": [], "\u0061llow": []`), `c.json:1:56: server "notes": key "allow" is there twice, first on line 1
keep one of the two`},
		{"name with a space", `{"mcpServers": {"my notes": {"command": "n"}}}`, `c.json:1:17: "my notes" is not a server name: 1 to 64 letters, digits, "_" and "-"`},
		{"name with a slash", `{"mcpServers": {"a/b": {"command": "n"}}}`, `c.json:1:17: "a/b" is not a server name: 1 to 64 letters, digits, "_" and "-"`},
		{"letters beyond ASCII", `{"mcpServers": {"é": {"command": "n"}}}`, `c.json:1:17: "é" is not a server name: 1 to 64 letters, digits, "_" and "-"`},
		{"empty name", `{"mcpServers": {"": {"command": "n"}}}`, `c.json:1:17: "" is not a server name: 1 to 64 letters, digits, "_" and "-"`},
		{"server not an object", `{"mcpServers": {"notes": "notes-server"}}`, `c.json:1:26: server "notes" is a string, want an object with a "command"`},
		{"no command", `{"mcpServers": {"notes": {"args": []}}}`, `c.json:1:17: server "notes": key "command" is missing`},
		{"a URL", `{"mcpServers": {"notes": {"url": "http://x"}}}`, `c.json:1:27: server "notes": key "url" is unknown
only servers started by a command are supported; give a command that speaks stdio and connects to the URL`},
		{"command empty", `{"mcpServers": {"notes": {"command": " "}}}`, `c.json:1:38: server "notes": key "command" is empty`},
		{"command a list", `{"mcpServers": {"notes": {"command": ["n"]}}}`, `c.json:1:38: server "notes": key "command" is a list, want a string`},
		{"command with a reference", `{"mcpServers": {"notes": {"command": "${HOME}/n"}}}`, `c.json:1:38: server "notes": key "command" holds ${HOME}, and nothing is expanded here
write the path itself`},
		{"type", entry(`"type": "http"`), `c.json:1:51: server "notes": key "type" is "http", want "stdio"
only servers started by a command are supported; give a command that speaks stdio and connects to the URL`},
		{"args a string", entry(`"args": "--ro"`), `c.json:1:51: server "notes": key "args" is "--ro", want a list of strings`},
		{"args with a number", entry(`"args": ["--port", 80]`), `c.json:1:62: server "notes": key "args[1]" is 80, want a string
put it in quotes`},
		{"args with a NUL", entry(`"args": ["a\u0000b"]`), `c.json:1:52: server "notes": key "args[0]" holds a NUL character`},
		{"env a list", entry(`"env": ["K=v"]`), `c.json:1:50: server "notes": key "env" is a list, want an object
the form is "env": {"NAME": "value"}`},
		{"env with true", entry(`"env": {"K": true}`), `c.json:1:56: server "notes": key "env.K" is true, want a string
put it in quotes`},
		{"env with a bad name", entry(`"env": {"A=B": "v"}`), `c.json:1:51: server "notes": key "env.A=B" is not the name of a variable`},
		{"env with a reference", entry(`"env": {"K": "${TOKEN}"}`), `c.json:1:56: server "notes": key "env.K" holds ${TOKEN}, and nothing is expanded here
write the value itself`},
		{"allow a string", entry(`"allow": "search"`), `c.json:1:52: server "notes": key "allow" is "search", want a list of tool names
write ["search"]`},
		{"allow null", entry(`"allow": null`), `c.json:1:52: server "notes": key "allow" is null, want a list of tool names`},
		{"allow with an empty name", entry(`"allow": [""]`), `c.json:1:53: server "notes": key "allow[0]" is "", want the name of a tool`},
		{"private a string", entry(`"private": "yes"`), `c.json:1:54: server "notes": key "private" is "yes", want true, false or a list of tool names
write ["yes"]`},
		{"private null", entry(`"private": null`), `c.json:1:54: server "notes": key "private" is null, want true, false or a list of tool names`},
		{"rules a list", entry(`"rules": ["true"]`), `c.json:1:52: server "notes": key "rules" is a list, want an object
the form is "rules": {"TOOL": ["size(args.title) <= 200"]}`},
		{"a rule not in a list", entry(`"rules": {"t": "true"}`), `c.json:1:58: server "notes": key "rules.t" is a string, want a list of CEL expressions
the form is "rules": {"TOOL": ["size(args.title) <= 200"]}`},
		{"an empty rule", entry(`"rules": {"t": [""]}`), `c.json:1:59: server "notes": key "rules.t[0]" is "", want a CEL expression
the form is "rules": {"TOOL": ["size(args.title) <= 200"]}`},
		{"limits a number", entry(`"limits": 5`), `c.json:1:53: server "notes": key "limits" is 5, want an object
the form is "limits": {"result": "4MiB", "timeout": "120s", "tools": {"TOOL": {"timeout": "10m"}}}`},
		{"a misspelt limit", entry(`"limits": {"results": "1MiB"}`), `c.json:1:54: server "notes": key "limits.results" is unknown
did you mean "result"?`},
		{"a limit of a tool in a tool", entry(`"limits": {"tools": {"q": {"tools": {}}}}`), `c.json:1:70: server "notes": key "limits.tools.q.tools" is unknown
the keys of limits are result, timeout, timeout_restarts_on_progress`},
		{"a size that is too large", entry(`"limits": {"result": "65MiB"}`), `c.json:1:64: server "notes": key "limits.result" is "65MiB", want a size from 1KiB to 64MiB, such as "4MiB"`},
		{"a size that is none", entry(`"limits": {"tools": {"q": {"result": null}}}`), `c.json:1:80: server "notes": key "limits.tools.q.result" is null, want a size from 1KiB to 64MiB, such as "4MiB"`},
		{"a time that is too long", entry(`"limits": {"timeout": "61m"}`), `c.json:1:65: server "notes": key "limits.timeout" is "61m", want a time from 0.1s to 1h, such as "120s"`},
		{"a time in another unit", entry(`"limits": {"timeout": 60000}`), `c.json:1:65: server "notes": key "limits.timeout" is 60000, want a time from 0.1s to 1h, such as "120s"`},
		{"restarts a word", entry(`"limits": {"timeout_restarts_on_progress": "yes"}`), `c.json:1:86: server "notes": key "limits.timeout_restarts_on_progress" is "yes", want true or false`},
		{"tools a list", entry(`"limits": {"tools": ["q"]}`), `c.json:1:63: server "notes": key "limits.tools" is a list, want an object
the form is "limits": {"result": "4MiB", "timeout": "120s", "tools": {"TOOL": {"timeout": "10m"}}}`},
		{"the timeout of other programs", entry(`"timeout": 60`), `c.json:1:43: server "notes": key "timeout" is unknown
write "limits": {"timeout": "60s"}`},
		{"VS Code's top level", `{"servers": {"notes": {"command": "n"}}}`, `c.json:1:2: key "servers" is unknown
did you mean "mcpServers"?`},
		{"misspelt top level", `{"mcpservers": {"notes": {"command": "n"}}}`, `c.json:1:2: key "mcpservers" is unknown
did you mean "mcpServers"?`},
		{"servers at the top level", `{"notes": {"command": "n"}}`, `c.json:1:2: key "notes" is unknown
put the servers inside of "mcpServers": {"mcpServers": {"NAME": {"command": …}}}`},
		{"another program's whole file", `{"globalShortcut": "", "mcpServers": {}}`, `c.json:1:2: key "globalShortcut" is unknown
the only key is "mcpServers"; copy that part of a client's file into a file of its own`},
		{"nothing at all", `{}`, `c.json:1:1: key "mcpServers" is missing
the shape is {"mcpServers": {"NAME": {"command": …}}}`},
		{"no server", `{"mcpServers": {}}`, `c.json:1:16: key "mcpServers" names no server
the shape is {"mcpServers": {"NAME": {"command": …}}}`},
		{"a list of servers", `{"mcpServers": []}`, `c.json:1:16: key "mcpServers" is a list, want an object
the shape is {"mcpServers": {"NAME": {"command": …}}}`},
		{"not an object", `[]`, `c.json:1:1: the file is a list, want an object
the shape is {"mcpServers": {"NAME": {"command": …}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantError(t, tt.text, tt.want) })
	}
}

func TestWhatIsNotJSONIsPlacedInTheFile(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", " \n", "c.json:1:1: empty"},
		{"comment", "{\n  // servers\n}", "c.json:2:3: not JSON: invalid character '/' at start of value\nJSON has no comments; remove them"},
		{"trailing comma", "{\"mcpServers\": {},\n}", "c.json:1:18: not JSON: invalid character ',' at start of value\nremove the comma"},
		{"cut off", `{"mcpServers": {`, "c.json:1:17: not JSON: ends too early"},
		{"text after it", `{"mcpServers": {}} x`, "c.json:1:20: not JSON: more than one value"},
		{"Latin-1", "{\"mcpServers\": {\"\xe9\": {}}}", "c.json:1:18: not UTF-8 text"},
		{"lone surrogate", entry(`"args": ["\ud800"]`), "c.json:1:53: not JSON: an escape that is no character"},
		{"deep", strings.Repeat("[", 20) + strings.Repeat("]", 20), "c.json:1:17: nested more than 16 levels deep"},
		{"column counted in characters", `{"mcpServers": {"notes": {"command": "éé", "x": 1}}}`, `c.json:1:44: server "notes": key "x" is unknown
the keys of a server are command, args, env, type, allow, private, rules, limits`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantError(t, tt.text, tt.want) })
	}
}

func wantError(t *testing.T, text, want string) {
	t.Helper()
	_, err := config.Parse("c.json", []byte(text))
	var ce *config.Error
	if !errors.As(err, &ce) {
		t.Fatalf("Parse = %v, want a *config.Error", err)
	}
	got := strings.TrimSuffix(ce.Error()+"\n"+ce.Hint, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAReplacementCharacterInTheFileIsText(t *testing.T) {
	f, err := config.Parse("c.json", []byte(entry(`"args": ["�", "\ufffd", "\uFFFD"]`)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"�", "�", "�"}, f.Servers[0].Args); diff != "" {
		t.Error(diff)
	}
}

func TestAReferenceInAnArgumentIsPassedOnWithAWarning(t *testing.T) {
	f, err := config.Parse("c.json", []byte(entry(`"args": ["-c", "exec n ${HOME}"]`)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`c.json:1:58: server "notes": key "args[1]" holds ${HOME}, which is passed on as it stands: nothing is expanded here`}
	if diff := cmp.Diff(want, f.Warnings); diff != "" {
		t.Error(diff)
	}
}

func TestReadIsBoundedAndNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big.json")
	if err := os.WriteFile(big, []byte(strings.Repeat(" ", 1<<20+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		big:                         big + ": larger than 1048576 bytes",
		filepath.Join(dir, "none"):  filepath.Join(dir, "none") + ": no such file or directory",
		dir:                         dir + ": is a directory",
		filepath.Join(big, "below"): filepath.Join(big, "below") + ": not a directory",
	} {
		_, err := config.Read(path)
		if err == nil || err.Error() != want {
			t.Errorf("Read(%q) = %v, want %s", path, err, want)
		}
	}
}
