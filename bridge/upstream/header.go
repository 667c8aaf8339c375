package upstream

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// MCP 2026-07-28 over HTTP lets a tool's input schema name parameters that the
// client must repeat in a header of the request, "x-mcp-header", so that proxies can
// route by them. A server refuses calls that lack one. This file finds those
// parameters and makes the headers.

// headerPrefix comes before the name that a schema gives.
const headerPrefix = "Mcp-Param-"

// mirrored is a parameter that also goes into a header.
type mirrored struct {
	path   []string // of property names
	header string
}

// fieldName is an HTTP field name (RFC 9110, token).
var fieldName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// mirroredIn returns the mirrored parameters of an input schema. Clients are to
// leave out a tool whose annotations are not valid.
func mirroredIn(schema json.RawMessage) (found []mirrored, err error) {
	seen := map[string]bool{}
	var walk func(schema json.RawMessage, path []string) error
	walk = func(schema json.RawMessage, path []string) error {
		v, _ := fields(schema, "properties")
		if !isObject(v[0]) {
			return nil // for others to judge
		}
		err := members(v[0], func(key string, prop []byte) error {
			if !isObject(prop) {
				return nil
			}
			at := slices.Concat(path, []string{key})
			v, _ := fields(prop, "x-mcp-header", "type")
			if v[0] != nil {
				header, _ := text(v[0])
				kind, _ := text(v[1])
				name := strings.ToLower(header)
				if !fieldName.MatchString(header) || seen[name] || kind != "string" && kind != "integer" && kind != "boolean" {
					return fmt.Errorf("its x-mcp-header %q is not valid", plain(string(v[0]), 40))
				}
				seen[name] = true
				found = append(found, mirrored{at, header})
			}
			return walk(prop, at)
		})
		if errors.Is(err, errSyntax) {
			return nil
		}
		return err
	}
	return found, walk(schema, nil)
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
