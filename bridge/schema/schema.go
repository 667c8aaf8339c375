// Package schema checks the arguments of a call against the JSON Schema their
// server published, and says in words a model can act on where they break it.
//
// Schemas and arguments are both hostile: the first come from a wrapped server,
// the second from code a model wrote. Validation can not be interrupted, so its
// work is bounded before it starts. Compile refuses a schema that is large,
// deep, reaches outside itself, refers to itself in place, or multiplies by
// combining alternatives; what is left costs a bounded amount at each place of
// the arguments. Recursive schemas can still multiply with the depth of the
// arguments. So Violations first computes an upper bound of the work for these
// arguments, and refuses them without validation if the bound is too large.
//
// Many servers, those written in Go among them, read {"Size": 1} as size: what
// is checked and what is then done must not differ by that. So two keys of one
// object that differ only in case are a violation at any depth, and so is a key
// that a schema does not name and that differs only in case from one it names.
// Case is that of strings.EqualFold, for which "ſize" is "size" too. Data whose
// keys are told apart by case alone can not be passed through a schema.
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-code-mode/mcp-code-mode/internal/schemaview"
)

// Bounds of a schema.
const (
	MaxBytes      = schemaview.MaxBytes // its text
	MaxDepth      = 64                  // nesting of its text
	MaxSubschemas = 5_000               // JSON objects in it
	MaxValues     = 100_000             // JSON values in it
)

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	compiled *jsonschema.Schema
	root     *node
	top      arguments
}

// Compile reads the schema of a tool's arguments. The dialect is what "$schema"
// names, 2020-12 without it (or draft-07 or draft-04, if the schema is valid
// only there). Nothing outside the schema is ever loaded, "format" is not
// asserted, "nullable" is understood. An error means that the schema can not be
// used to check anything, and so that its tool can not be offered.
func Compile(raw json.RawMessage) (*Schema, error) {
	s, err := compile(raw)
	if err != nil {
		return nil, fmt.Errorf("compiling the input schema: %w", err)
	}
	return s, nil
}

func compile(raw json.RawMessage) (*Schema, error) {
	d, err := schemaview.ParseInput(raw)
	if err != nil {
		return nil, err
	}
	doc, _ := d.Value().(map[string]any) // ParseInput takes nothing else
	if err := scan(doc); err != nil {
		return nil, err
	}
	compiled, err := compileDialects(doc)
	if err != nil {
		return nil, err
	}
	root, err := analyse(compiled)
	if err != nil {
		return nil, err
	}
	if root.types != 0 && root.types&typeObject == 0 {
		return nil, errors.New("it does not describe an object")
	}
	return &Schema{compiled: compiled, root: root, top: topLevel(d)}, nil
}

// compileDialects compiles doc as what it says it is. One that does not say is
// 2020-12, as MCP wants, unless it is valid only as something older: many
// generators still write what draft-07 or draft-04 call a tuple or a bound.
func compileDialects(doc map[string]any) (*jsonschema.Schema, error) {
	if name, ok := doc["$schema"].(string); ok && knownDialect(name) {
		return compileAs(doc, jsonschema.Draft2020)
	}
	delete(doc, "$schema")
	var first error
	for _, draft := range []*jsonschema.Draft{jsonschema.Draft2020, jsonschema.Draft7, jsonschema.Draft4} {
		s, err := compileAs(doc, draft)
		if err == nil {
			return s, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func knownDialect(name string) bool {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
	return slices.Contains([]string{
		"json-schema.org/schema", "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema",
		"json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-04/schema",
	}, strings.TrimSuffix(name, "#"))
}

// documentURL names the schema in references. Nothing is ever fetched from it.
const documentURL = "mcp://schema/input"

func compileAs(doc map[string]any, draft *jsonschema.Draft) (_ *jsonschema.Schema, err error) {
	defer func() {
		// A schema the compiler trips over costs its tool, not the process.
		if r := recover(); r != nil {
			err = fmt.Errorf("it can not be compiled: %v", r)
		}
	}()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(refuse{})
	c.UseRegexpEngine(newPatterns().compile)
	if err := c.AddResource(documentURL, doc); err != nil {
		return nil, describeError(err)
	}
	s, err := c.Compile(documentURL)
	if err != nil {
		return nil, describeError(err)
	}
	return s, nil
}

// refuse loads nothing, whatever the address.
type refuse struct{}

func (refuse) Load(string) (any, error) {
	return nil, errors.New("nothing outside the schema is loaded")
}

// describeError words an error of the compiler, bounded.
func describeError(err error) error {
	var invalid *jsonschema.SchemaValidationError
	var at *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &at) {
		found := &findings{}
		found.explain(at)
		if len(found.list) > 0 {
			first := found.list[0]
			return fmt.Errorf("it is not a valid schema: at %q: %s", first.Path, first.Message)
		}
	}
	text := strings.ReplaceAll(err.Error(), documentURL, "")
	return errors.New(shortened(text, maxMessage))
}
