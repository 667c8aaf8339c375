package upstream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

const (
	maxPages     = 100      // of one tools/list
	maxTools     = 10_000   // of one server
	maxListBytes = 32 << 20 // of all pages together
	maxCursor    = 64 << 10

	maxTool        = 1 << 20 // bytes of one definition
	maxName        = 256     // bytes
	maxDescription = 64 << 10
	maxTitle       = 1 << 10
	maxAnnotations = 32
	maxWarnings    = 200
)

// Tool is one tool as its server defines it. The texts are untrusted: valid UTF-8
// of bounded length, nothing more.
type Tool struct {
	// Name is the server's own, raw: 1 to 256 bytes, printable, unique in its server.
	Name string
	// Title is at most 1 KiB, Description at most 64 KiB; both may be empty.
	Title, Description string
	// InputSchema is a JSON object nested at most 128 levels, as it was sent.
	// OutputSchema is the same, or nil.
	InputSchema, OutputSchema json.RawMessage
	// Annotations are the boolean hints. They are only claims of the server.
	Annotations map[string]bool
	// SHA256 identifies the definition, in hex: all its members but _meta and icons,
	// regardless of their order.
	SHA256 string
}

// listing collects the pages of a tools/list.
type listing struct {
	tools    []Tool
	names    map[string]bool
	warnings []string
	bytes    int
	full     bool
}

func (l *listing) warn(format string, args ...any) {
	switch {
	case len(l.warnings) < maxWarnings:
		l.warnings = append(l.warnings, fmt.Sprintf(format, args...))
	case len(l.warnings) == maxWarnings:
		l.warnings = append(l.warnings, "more warnings were dropped")
	}
}

// list asks for every page of tools/list. An error of the server costs as little as
// possible: one tool, or the pages that follow.
func (p *peer) list(ctx context.Context) (*listing, error) {
	l := &listing{names: map[string]bool{}}
	var cursor json.RawMessage
	seen := map[string]bool{}
	for range maxPages {
		var args [][]byte
		if cursor != nil {
			args = [][]byte{[]byte("cursor"), cursor}
		}
		raw, err := p.request(ctx, "tools/list", params(p.meta, args...))
		var refusal *RPCError
		if errors.As(err, &refusal) && (refusal.Code == refusalCode || cursor != nil) {
			// A server without tools does not know the method.
			l.warn("listing tools: %v", refusal)
			return l, nil
		}
		if err != nil {
			return nil, fmt.Errorf("listing tools: %w", err)
		}
		if cursor, err = l.page(raw); err != nil {
			return nil, fmt.Errorf("listing tools: %w", err)
		}
		if cursor == nil || l.full {
			return l, nil
		}
		if seen[string(cursor)] {
			l.warn("listing tools: a page repeats the cursor of an earlier one; the list ends there")
			return l, nil
		}
		seen[string(cursor)] = true
	}
	l.warn("listing tools: more than %d pages; the rest is ignored", maxPages)
	return l, nil
}

// page adds one page's tools and returns the cursor of the next page, nil if this
// is the last.
func (l *listing) page(raw json.RawMessage) (next json.RawMessage, err error) {
	v, err := fields(raw, "tools", "nextCursor")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadAnswer, err)
	}
	if l.bytes += len(raw); l.bytes > maxListBytes {
		l.full = true
		l.warn("listing tools: more than %d MiB; the rest is ignored", maxListBytes>>20)
		return nil, nil
	}
	if v[0] != nil {
		err := elements(v[0], func(def []byte) error {
			l.add(def)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%w: tools is not an array", ErrBadAnswer)
		}
	}
	switch cursor, ok := text(v[1]); {
	case v[1] == nil || ok && cursor == "":
		return nil, nil
	case !ok || len(cursor) > maxCursor:
		l.warn("listing tools: a cursor is not a string of at most %d KiB; the list ends there", maxCursor>>10)
		return nil, nil
	}
	return v[1], nil
}

// add keeps a tool, or says why not.
func (l *listing) add(def json.RawMessage) {
	if l.full {
		return
	}
	if len(l.tools) == maxTools {
		l.full = true
		l.warn("listing tools: more than %d; the rest is ignored", maxTools)
		return
	}
	t, notes, err := readTool(def)
	label := fmt.Sprintf("tool %q", t.Name)
	if t.Name == "" {
		label = fmt.Sprintf("a tool after %d others", len(l.tools))
	}
	if err == nil && l.names[t.Name] {
		err = errors.New("the name is taken by an earlier tool")
	}
	if err != nil {
		l.warn("%s is left out: %v", label, err)
		return
	}
	for _, note := range notes {
		l.warn("%s: %s", label, note)
	}
	l.names[t.Name] = true
	l.tools = append(l.tools, t)
}

// readTool reads one definition. With an error the tool is left out; a note says that a
// detail is left out. The name is set as soon as it is known to be valid.
func readTool(def json.RawMessage) (t Tool, notes []string, err error) {
	if len(def) > maxTool {
		return t, nil, fmt.Errorf("its definition is over %d MiB", maxTool>>20)
	}
	v, err := fields(def, "name", "title", "description", "inputSchema", "outputSchema", "annotations")
	if err != nil {
		return t, nil, fmt.Errorf("reading its definition: %w", err)
	}
	name, err := readName(v[0])
	if err != nil {
		return t, nil, err
	}
	t.Name = name
	if strictjson.Depth(def) > maxDepth {
		return t, nil, fmt.Errorf("its definition nests more than %d levels", maxDepth)
	}
	if !isObject(v[3]) {
		return t, nil, errors.New("its inputSchema is not an object, so no arguments could be checked")
	}
	t.InputSchema = bytes.Clone(v[3])
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if isObject(v[4]) {
		t.OutputSchema = bytes.Clone(v[4])
	} else if v[4] != nil {
		note("its outputSchema is not an object; ignored")
	}
	t.Title = readText(v[1], "title", maxTitle, note)
	t.Description = readText(v[2], "description", maxDescription, note)
	t.Annotations = readAnnotations(v[5], note)
	t.SHA256, err = fingerprint(def)
	return t, notes, err
}

func readName(raw json.RawMessage) (string, error) {
	name, ok := text(raw)
	switch {
	case !ok:
		return "", errors.New("its name is not a string")
	case name == "":
		return "", errors.New("its name is empty")
	case len(name) > maxName:
		return "", fmt.Errorf("its name %q is over %d bytes", oneLine(name, 40), maxName)
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "", fmt.Errorf("its name %q holds characters that can not be seen", oneLine(name, 40))
	}
	return name, nil
}

// readText reads an optional text of at most size bytes; more is cut off.
func readText(raw json.RawMessage, what string, size int, note func(string, ...any)) string {
	s, ok := text(raw)
	if !ok && raw != nil {
		note("its %s is not a string; ignored", what)
	}
	if len(s) <= size {
		return s
	}
	note("its %s is over %d KiB; cut", what, size>>10)
	return cut.Head(s, size)
}

// readAnnotations keeps the boolean annotations. The title, the only other annotation in
// MCP, is dropped silently.
func readAnnotations(raw json.RawMessage, note func(string, ...any)) map[string]bool {
	if raw == nil {
		return nil
	}
	all := map[string]bool{}
	err := members(raw, func(name string, val []byte) error {
		value := string(val)
		_, twice := all[name]
		switch {
		case value != "true" && value != "false":
			if name != "title" {
				note("its annotation %q is not a boolean; ignored", oneLine(name, 40))
			}
		case twice, len(name) > maxName, len(all) == maxAnnotations:
			return errDuplicate
		default:
			all[name] = value == "true"
		}
		return nil
	})
	if err != nil {
		note("its annotations are not an object of at most %d booleans; ignored", maxAnnotations)
		return nil
	}
	return all
}

// fingerprint hashes a definition in a form that does not depend on the order in
// which a server happens to write members: keys sorted, numbers as written. _meta
// and icons are left out: nothing uses them, and they may change from start to start.
func fingerprint(def json.RawMessage) (string, error) {
	value, err := strictjson.Decode(def, strictjson.Bounds{Bytes: maxTool, Depth: maxDepth, Values: maxTool, Repeats: true})
	if err != nil {
		return "", fmt.Errorf("reading its definition: %w", err)
	}
	v, _ := value.(map[string]any) // readTool has seen that it is one
	delete(v, "_meta")
	delete(v, "icons")
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encoding its definition: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
