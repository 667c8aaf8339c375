package schema

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// MaxViolations is how many violations are told of one call; the rest would
// not be read.
const MaxViolations = 8

// Violation is one place where arguments break their schema. Message is text of
// this package and names from the schema and the arguments, at most 300 bytes;
// it never holds a value of the arguments.
type Violation struct {
	Path    string `json:"path"`    // JSON pointer into the arguments, at most 256 bytes
	Message string `json:"message"` // one line
}

// Violations returns where args break the schema, nil when nowhere: at most
// MaxViolations, ordered by path and message, so the same arguments always get
// the same answer. Args is a JSON value with numbers as json.Number. Arguments
// on the top level that the schema does not name are violations unless it says
// what others may look like; so are, at any depth, keys that some decoders would
// take for each other.
func (s *Schema) Violations(args any) []Violation {
	found := &findings{}
	object, ok := args.(map[string]any)
	switch {
	case !ok:
		found.add(nil, "expected an object of arguments, got "+kindOf(args))
	case !measureArgs(args, 1):
		found.add(nil, "the arguments are nested too deep or hold a number that is out of range")
	case !s.affordable(args):
		found.add(nil, "the arguments are too large to be checked against the tool's schema")
	default:
		found.top = s.top.pass(object)
		found.top.check(found)
		s.checkFolds(object, found)
		s.validate(object, found)
	}
	return found.list
}

func (s *Schema) validate(args map[string]any, found *findings) {
	const unclear = "the arguments can not be checked against the tool's schema"
	defer func() {
		if recover() != nil { // what can not be checked is not valid
			found.add(nil, unclear)
		}
	}()
	var invalid *jsonschema.ValidationError
	if err := s.compiled.Validate(args); errors.As(err, &invalid) {
		found.explain(invalid)
		if len(found.list) == 0 {
			found.add(nil, unclear)
		}
	} else if err != nil {
		found.add(nil, unclear)
	}
}

func kindOf(v any) string {
	switch typeOf(v) {
	case typeNull:
		return "null"
	case typeBoolean:
		return "boolean"
	case typeNumber:
		return "number"
	case typeString:
		return "string"
	case typeArray:
		return "array"
	case typeObject:
		return "object"
	}
	return "something else"
}

// findings collects violations: the first MaxViolations in order, each once.
type findings struct {
	list []Violation
	top  *passed // nil: what is checked are not arguments
}

// unknown words that an object has a member it must not have.
func (f *findings) unknown(path []string, name string) string {
	if f.top != nil && len(path) == 0 {
		return f.top.refusal(name)
	}
	return "unknown property " + quote(name)
}

func (f *findings) add(path []string, message string) {
	f.insert(Violation{Path: pointer(path), Message: shortened(message, maxMessage)})
}

func (f *findings) merge(other *findings) {
	for _, v := range other.list {
		f.insert(v)
	}
}

func (f *findings) insert(v Violation) {
	i, known := slices.BinarySearchFunc(f.list, v, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Message, b.Message))
	})
	if known || i == MaxViolations {
		return
	}
	f.list = slices.Insert(f.list, i, v)
	f.list = f.list[:min(len(f.list), MaxViolations)]
}
