package config_test

import (
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/mcp-code-mode/mcp-code-mode/cmd/mcp-code-mode/internal/config"
)

// FuzzParse: whatever the bytes, Parse ends in a file with servers or in an
// *Error, and never accepts what encoding/json does not.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"mcpServers": {"a": {"command": "c", "args": ["x"], "env": {"K": "v"}, "allow": [], "private": ["t"], "rules": {"t": ["true"]}}}}`,
		`{"mcpServers": {"a": {"command": "c"}, "a": {"command": "c"}}}`,
		`{"mcpServers": {"a": {"command": "\ud800"}}}`, "\ufeff{}", "{\n//\n}", "[[[[",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := config.Parse("f", data)
		if err != nil {
			var ce *config.Error
			if file != nil || !errors.As(err, &ce) || ce.File != "f" {
				t.Fatalf("Parse = %v, %v", file, err)
			}
			return
		}
		if len(file.Servers) == 0 || !utf8.Valid(data) {
			t.Fatal("accepted a file that names no server or is not text")
		}
		for _, s := range file.Servers {
			if s.Name == "" || s.Command == "" {
				t.Fatalf("accepted %+v", s)
			}
		}
		if data[0] == '{' && !json.Valid(data) {
			t.Fatal("accepted what is not JSON")
		}
	})
}
