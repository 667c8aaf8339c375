// Package config reads the file that says which MCP servers to wrap and which
// of their tools may be used how: the "mcpServers" shape that MCP clients have,
// plus "allow", "private", "rules" and "limits" per server.
//
// Reading is strict, because a key that is silently ignored is a rule that is
// silently not enforced: keys are case-sensitive, unknown and repeated ones are
// errors, and nothing is expanded or guessed.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// File is what a config file says.
type File struct {
	Servers  []Server // in the order of the file; at least one
	Warnings []string // what is allowed but probably not meant
}

// Server is one entry of "mcpServers".
type Server struct {
	Name       string              // letters, digits, "_" and "-"
	Command    string              // as written: a path or a name to look up in PATH
	Args       []string            // as written
	Env        []string            // "NAME=value", in the order of the file
	Allow      []string            // raw tool names; nil: every tool, empty: none
	PrivateAll bool                // "private": true
	Private    []string            // raw tool names
	Rules      map[string][]string // raw tool name -> CEL expressions
	Limits     Limits              // of all its tools
	ToolLimits map[string]Limits   // raw tool name -> its own
}

// Error is one thing wrong with a config file.
type Error struct {
	File         string
	Line, Column int    // from 1; 0: the file as a whole
	Entry        string // the server's name; "" outside of an entry
	Key          string // the key, with what it is inside of: env.TOKEN, args[2]
	Problem      string // says on after the subject
	Hint         string // a next step; may be empty
}

// Error reads "FILE:LINE:COLUMN: server "ENTRY": key "KEY" PROBLEM".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(":")
	if e.Entry != "" {
		fmt.Fprintf(&b, " server %q", clip(e.Entry))
		if e.Key != "" {
			b.WriteString(":")
		}
	}
	if e.Key != "" {
		fmt.Fprintf(&b, " key %q", clip(e.Key))
	}
	b.WriteString(" " + e.Problem)
	return b.String()
}

// Read reads the config file at path, at most 1 MiB of it. What is wrong with
// the file is an *Error.
func Read(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(bounds.Bytes)+1))
	if err != nil {
		return nil, fileError(path, err)
	}
	return Parse(path, data)
}

// fileError says why path could not be read without repeating its name.
func fileError(path string, err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &Error{File: path, Problem: err.Error()}
}

// Parse reads data as the config file called name. What is wrong with it is an
// *Error.
func Parse(name string, data []byte) (*File, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // what some editors put first
	r := &reader{name: name, data: data}
	top, err := strictjson.Parse(data, bounds)
	if err != nil {
		return nil, r.syntax(err)
	}
	return r.file(top)
}
