package upstream

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/schemaview"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// MCP 2026-07-28 over HTTP lets a tool's input schema name parameters that the
// client must repeat in a header of the request, "x-mcp-header", so that proxies can
// route by them. A server refuses calls that lack one. This file finds those
// parameters and makes the headers.

const (
	headerKeyword = "x-mcp-header"
	headerPrefix  = "Mcp-Param-" // comes before the name that a schema gives
)

// mirrored is a parameter that also goes into a header.
type mirrored struct {
	path   []string // of property names
	header string
}

// fieldName is an HTTP field name (RFC 9110, token).
var fieldName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// mirroredIn returns the mirrored parameters of an input schema. Clients are to
// leave out a tool whose annotations are not valid.
func mirroredIn(schema json.RawMessage) ([]mirrored, error) {
	if !bytes.Contains(schema, []byte(headerKeyword)) {
		return nil, nil // true of nearly all schemas, and much faster than to walk them
	}
	d, err := schemaview.ParseInput(schema)
	if err != nil {
		return nil, fmt.Errorf("its inputSchema can not be read: %w", err)
	}
	m := mirrors{Reader: d.Reader(), names: map[string]bool{}}
	err = m.walk(m.Root(), nil)
	return m.found, err
}

// mirrors finds the mirrored parameters of one schema.
type mirrors struct {
	*schemaview.Reader
	names map[string]bool // of the headers, in lower case
	trail []*schemaview.Node
	found []mirrored
}

func (m *mirrors) walk(v *schemaview.View, path []string) error {
	mark := len(m.trail)
	m.trail = append(m.trail, v.Trail...)
	defer func() { m.trail = m.trail[:mark] }()
	for _, p := range v.Properties {
		if m.Spent() {
			return errors.New("its schema is too much to be looked at for headers")
		}
		at, property := slices.Concat(path, []string{p.Name}), m.View(m.trail, p.Schemas...)
		if property.Header != nil {
			if err := m.add(property, at); err != nil {
				return err
			}
		}
		if err := m.walk(property, at); err != nil {
			return err
		}
	}
	return nil
}

func (m *mirrors) add(v *schemaview.View, path []string) error {
	header := v.Header.Text
	name := strings.ToLower(header)
	simple := len(v.Types) == 1 && slices.Contains([]string{"string", "integer", "boolean"}, v.Types[0])
	if !v.Header.Is(strictjson.String) || !fieldName.MatchString(header) || m.names[name] || !simple {
		return fmt.Errorf("its x-mcp-header %q is not valid", oneLine(header, 40))
	}
	m.names[name] = true
	m.found = append(m.found, mirrored{path, header})
	return nil
}

// headersOf returns the headers that a call with these arguments needs.
func headersOf(params []mirrored, args json.RawMessage) map[string]string {
	headers := map[string]string{}
	for _, m := range params {
		value := args
		for _, name := range m.path {
			v, _ := fields(value, name)
			value = v[0]
		}
		if s, ok := headerValue(value); ok {
			headers[headerPrefix+m.header] = s
		}
	}
	return headers
}

// headerValue writes a string, integer or boolean as MCP has it in a header: plain
// if that is safe, else in base64.
func headerValue(raw json.RawMessage) (string, bool) {
	s, ok := text(raw)
	if !ok {
		if _, number := integer(raw); !number && string(raw) != "true" && string(raw) != "false" {
			return "", false
		}
		return string(raw), true
	}
	safe := strings.Trim(s, " \t") == s && !strings.HasPrefix(s, "=?base64?") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
	if safe {
		return s, true
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?=", true
}

// headersKey is the context key under which a call's headers reach its request.
type headersKey struct{}

func withHeaders(ctx context.Context, headers map[string]string) context.Context {
	return context.WithValue(ctx, headersKey{}, headers)
}

// mirror finds the mirrored parameters of every tool, and drops the tools whose
// annotations are not valid.
func (l *listing) mirror() map[string][]mirrored {
	all := map[string][]mirrored{}
	kept := l.tools[:0]
	for _, t := range l.tools {
		params, err := mirroredIn(t.InputSchema)
		if err != nil {
			l.warn("tool %q is left out: %v", t.Name, err)
			continue
		}
		if params != nil {
			all[t.Name] = params
		}
		kept = append(kept, t)
	}
	l.tools = kept
	return all
}
