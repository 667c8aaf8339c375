// Package stub turns what a wrapped server says about its tools into the Python
// text a model reads: a name, a stub, a one-line summary.
//
// Everything here is a pure function of its input: the same tools give the same
// bytes on every start. The input is hostile. Whatever a server writes into a
// name, a description or a schema ends up inside a Python identifier or a Python
// docstring and cannot leave it. None of it can be taken for a mark of ours. The time
// and the size of a stub are bounded by the constants of this package.
package stub

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
	"github.com/mcp-code-mode/mcp-code-mode/internal/schemaview"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// Bounds of one stub, in bytes of the rendered text. MaxStub holds because the
// parts below it, the name and the fixed text add up to less.
const (
	MaxStub        = 32 << 10
	MaxDescription = 8 << 10  // the tool's description
	MaxBrief       = 4 << 10  // a stub without texts
	MaxSummary     = 240      // a summary line
	MaxName        = 128      // a Python name
	MaxSchema      = 1 << 20  // a schema that is read at all
	MaxLevels      = 5        // nesting of the types shown
	maxParams      = 6 << 10  // the params: line
	maxNotes       = 12 << 10 // what the parameters' schemas say, together
	maxNote        = 1 << 10  // one description in a schema
	maxReturns     = 3 << 9   // the returns: line
	maxReturnNotes = 3 << 10  // what the output schema says
	maxBriefParams = 1 << 10  // the params: line of a stub without texts
	maxParamLine   = 160      // one parameter, as errors show it
	maxLabel       = 64       // a parameter's name, in characters
	cutMark        = " [...]" // ends a text that was cut
	privateMark    = "[private]"
)

// Tool is what a server says about one tool. Server and Name are raw, as they
// make up the tool id.
type Tool struct {
	Server      string          // name of the server in the configuration
	Name        string          // as the server spells it
	Description string          // the server's own; may be empty, long and hostile
	Input       json.RawMessage // JSON Schema of the arguments; required
	Output      json.RawMessage // JSON Schema of the structured result, or nil
	Private     bool            // shown by [private]
}

// id is the tool id, quoted and bounded for messages.
func (t Tool) id() string {
	const most = 200 // bytes; a name can be as long as its server likes
	id := t.Server + "/" + t.Name
	if len(id) > most {
		id = cut.Head(id, most) + cutMark
	}
	return fmt.Sprintf("%q", id)
}

// Render returns the stub of t under the Python name it was given by Names. The
// text has no newline at its end and is at most MaxStub bytes. An input schema
// that is not a usable object schema is an error; an output schema that is not
// usable is left out.
func Render(t Tool, name string) (string, error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	input, err := parseObject(t.Input)
	if err != nil {
		return "", fmt.Errorf("reading the input schema: %w", err)
	}
	return fullStub(t, name, input), nil
}

// All is everything that is shown of one tool.
type All struct {
	Stub    string     // of Render
	Brief   string     // of Brief
	Summary string     // of Summary
	Facts   wire.Facts // of Facts
}

// RenderAll is Render, Brief, Summary and Facts, and reads the input schema once.
func RenderAll(t Tool, name string) (All, error) {
	if err := checkName(name); err != nil {
		return All{}, err
	}
	input, err := parseObject(t.Input)
	if err != nil {
		return All{}, fmt.Errorf("reading the input schema: %w", err)
	}
	return All{Stub: fullStub(t, name, input), Brief: brief(t, name, input), Summary: summary(t, name, input), Facts: facts(t, input)}, nil
}

func fullStub(t Tool, name string, input *schemaview.Document) string {
	r := newRenderer(input)
	params, notes := r.params(), r.notes(r.root(), maxNotes)

	var b strings.Builder
	annotation, returns := returns(t.Output)
	b.WriteString(header(name, annotation))
	b.WriteString(indent + quotes + "\n")
	if text := describe(t); text != "" {
		b.WriteString(docstring(text, MaxDescription) + "\n\n")
	}
	b.WriteString(indent + "params: " + params + "\n")
	for _, note := range notes {
		b.WriteString(indent + note + "\n")
	}
	if returns != "" {
		b.WriteString(indent + "returns: " + returns + "\n")
	}
	for _, note := range outputNotes(t.Output) {
		b.WriteString(indent + note + "\n")
	}
	b.WriteString(indent + quotes)
	return b.String()
}

func checkName(name string) error {
	if !isIdentifier(name) || len(name) > MaxName || isKeyword(name) {
		return fmt.Errorf("rendering a stub: %q is not a Python name", cut.Head(name, maxLabel))
	}
	return nil
}

// Check reports whether t can be rendered: its input schema is a usable object schema.
func Check(t Tool) error {
	if _, err := parseObject(t.Input); err != nil {
		return fmt.Errorf("reading the input schema: %w", err)
	}
	return nil
}

// header is the first line of a stub.
func header(name, annotation string) string {
	return "async def " + name + "(params: dict) -> " + annotation + ":\n"
}

// describe is the description with the private mark in front.
func describe(t Tool) string {
	text := Foreign(cleanText(t.Description))
	if !t.Private {
		return text
	}
	return strings.TrimRight(privateMark+" "+text, " ")
}

// returns is the Python type of a result and what is in it, "" when that says no more.
func returns(output json.RawMessage) (annotation, inside string) {
	const text = "str" // of results of which nothing is known
	if len(output) == 0 {
		return text, ""
	}
	d, err := schemaview.ParseOutput(output)
	if err != nil {
		return text, ""
	}
	r := newRenderer(d)
	v, field := r.unwrapped(d.Root)
	annotation = r.annotation(v)
	inside = r.returns(v)
	if !sameUnion(inside, annotation) {
		return annotation, inside
	}
	if field == "" || field == wrapper || field == "content" || field == "text" {
		return annotation, ""
	}
	return annotation, escape(label(field)) // says what the text is
}

func sameUnion(a, b string) bool {
	const or = " | "
	one, other := strings.Split(a, or), strings.Split(b, or)
	slices.Sort(one)
	slices.Sort(other)
	return slices.Equal(one, other)
}

// parseObject reads the schema of a tool's arguments, which MCP wants to be an
// object schema. A schema that says nothing of its type is taken as one.
func parseObject(raw json.RawMessage) (*schemaview.Document, error) {
	d, err := schemaview.ParseInput(raw)
	if err != nil {
		return nil, err
	}
	if types := d.Reader().Root().Types; types != nil && !slices.Contains(types, "object") {
		return nil, fmt.Errorf("it describes %s, not an object", strings.Join(types, " or "))
	}
	return d, nil
}
