package schema

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// scan bounds a decoded schema and takes out "format", wherever it can stand in a
// schema: it is not asserted.
func scan(doc map[string]any) error {
	s := scanner{refs: map[string]bool{}}
	return s.value(doc, 1, true)
}

// Compiling takes time that grows with the square of these.
const (
	maxRefs = 500 // different references
	maxIDs  = 200 // places that have a name of their own
)

type scanner struct {
	objects, values, ids int
	refs                 map[string]bool
}

// value bounds v. What is not where a schema can be, like a default, is left as
// it is.
func (s *scanner) value(v any, depth int, schema bool) error {
	if s.values++; s.values > MaxValues {
		return fmt.Errorf("it has more than %d values", MaxValues)
	}
	if depth > MaxDepth {
		return fmt.Errorf("it is nested deeper than %d", MaxDepth)
	}
	switch v := v.(type) {
	case json.Number:
		if !strictjson.Exact(v) { // they are compared as fractions, of the size that is written out
			return fmt.Errorf("the number %s is out of range", shortened(string(v), maxName))
		}
	case []any:
		for _, e := range v {
			if err := s.value(e, depth+1, schema); err != nil {
				return err
			}
		}
	case map[string]any:
		return s.object(v, depth, schema)
	}
	return nil
}

func (s *scanner) object(object map[string]any, depth int, schema bool) error {
	if s.objects++; s.objects > MaxSubschemas {
		return fmt.Errorf("it has more than %d subschemas", MaxSubschemas)
	}
	if schema {
		if err := s.names(object); err != nil {
			return err
		}
		if _, ok := object["format"].(string); ok {
			delete(object, "format")
		}
	}
	for key, v := range object {
		isValue := key == "const" || key == "enum" || key == "default" || key == "examples"
		if err := s.value(v, depth+1, schema && !isValue); err != nil {
			return err
		}
	}
	return nil
}

// names bounds references and what they can be made to.
func (s *scanner) names(object map[string]any) error {
	if ref, ok := object["$ref"].(string); ok {
		s.refs[ref] = true
	}
	for _, key := range []string{"$id", "id", "$anchor", "$dynamicAnchor"} {
		if _, ok := object[key].(string); ok {
			s.ids++
		}
	}
	if len(s.refs) > maxRefs || s.ids > maxIDs {
		return fmt.Errorf("it has more than %d references or %d names", maxRefs, maxIDs)
	}
	return nil
}
