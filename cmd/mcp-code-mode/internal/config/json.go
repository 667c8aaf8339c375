package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// bounds of what a config file may be. The format itself needs 5 levels.
var bounds = strictjson.Bounds{Bytes: 1 << 20, Depth: 16}

// A node is one JSON value of a file.
type node = *strictjson.Node

// syntax says what is wrong with the text as JSON, with its place in the file, its
// entry where it is a repeated key and, for the mistakes that people make by
// hand, a next step.
func (r *reader) syntax(err error) error {
	var se *strictjson.Error
	if !errors.As(err, &se) {
		return &Error{File: r.name, Problem: err.Error()}
	}
	e := &Error{File: r.name}
	switch se.Problem {
	case strictjson.ProblemSize:
		e.Problem = fmt.Sprintf("larger than %d bytes", bounds.Bytes)
		return e
	case strictjson.ProblemDuplicate:
		r.repeated(e, se)
	case strictjson.ProblemUTF8:
		e.Problem = "not UTF-8 text"
	case strictjson.ProblemDepth:
		e.Problem = fmt.Sprintf("nested more than %d levels deep", bounds.Depth)
	case strictjson.ProblemSyntax:
		e.Problem, e.Hint = "not JSON: "+se.Detail, r.slip(se.Offset)
	default:
		e.Problem = "not JSON: " + string(se.Problem)
	}
	if len(bytes.TrimSpace(r.data)) == 0 {
		e.Problem, se.Offset = "empty", 0
	}
	e.Line, e.Column = position(r.data, se.Offset)
	return e
}

// repeated says which key is there twice.
func (r *reader) repeated(e *Error, se *strictjson.Error) {
	line, _ := position(r.data, se.First)
	e.Problem, e.Hint = fmt.Sprintf("is there twice, first on line %d", line), "keep one of the two"
	path := strings.Split(se.Path, "/")[1:]
	for i, key := range path {
		path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
	}
	if len(path) >= 2 && path[0] == "mcpServers" {
		e.Entry, path = path[1], path[2:]
	}
	e.Key = strings.Join(path, ".")
}

// slip is the next step where the text at an offset shows what was meant.
func (r *reader) slip(offset int) string {
	rest := r.data[offset:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")), bytes.HasPrefix(rest, []byte("#")):
		return "JSON has no comments; remove them"
	case bytes.HasPrefix(rest, []byte(",")):
		rest = bytes.TrimSpace(rest[1:])
		if bytes.HasPrefix(rest, []byte("}")) || bytes.HasPrefix(rest, []byte("]")) {
			return "remove the comma"
		}
	}
	return ""
}

// position turns an offset into a line and a column, both from 1, the column in
// characters.
func position(data []byte, offset int) (line, column int) {
	before := data[:min(offset, len(data))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// clip shortens a word from a file for a message.
func clip(s string) string {
	const most = 64 // characters
	return cut.Characters(s, most)
}
