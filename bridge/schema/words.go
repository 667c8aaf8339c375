package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

// Bounds of what is said, in bytes but for maxLiterals.
const (
	maxMessage  = 300
	maxPath     = 256
	maxName     = 64 // a name or literal inside a message
	maxLiterals = 24 // values of an enum
)

// word says what is wrong with one value, without saying the value.
func word(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "expected " + strings.Join(k.Want, " or ") + ", got " + k.Got
	case *kind.Enum:
		return "expected one of " + literals(k.Want)
	case *kind.Const:
		return "expected " + literal(k.Want)
	case *kind.Pattern:
		return "does not match the pattern " + quote(k.Want)
	case *kind.Format: // of a schema, never of arguments
		return fmt.Sprintf("is not a usable %s: %v", k.Want, k.Err)
	case *kind.FalseSchema:
		return "is not allowed"
	case *kind.Not:
		return "has a form that is not allowed"
	case *kind.PropertyNames:
		return "the name " + quote(k.Property) + " is not allowed"
	case *kind.Dependency:
		return missingWith(k.Prop, k.Missing)
	case *kind.DependentRequired:
		return missingWith(k.Prop, k.Missing)
	}
	if text := wordArray(k); text != "" {
		return text
	}
	if text := wordNumber(k); text != "" {
		return text
	}
	return "is not valid"
}

func missingWith(with string, missing []string) string {
	return "missing " + quoteAll(missing) + ", required with " + quote(with)
}

// wordArray words what is said about lengths, "" for anything else.
func wordArray(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinLength:
		return fmt.Sprintf("expected at least %d characters, got %d", k.Want, k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("expected at most %d characters, got %d", k.Want, k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("expected at least %d elements, got %d", k.Want, k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("expected at most %d elements, got %d", k.Want, k.Got)
	case *kind.MinProperties:
		return fmt.Sprintf("expected at least %d properties, got %d", k.Want, k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("expected at most %d properties, got %d", k.Want, k.Got)
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %d elements too many", k.Count)
	case *kind.UniqueItems:
		return fmt.Sprintf("elements %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "no element has the form that one must have"
	case *kind.MinContains:
		return fmt.Sprintf("expected at least %d elements of a certain form, got %d", k.Want, len(k.Got))
	case *kind.MaxContains:
		return fmt.Sprintf("expected at most %d elements of a certain form, got %d", k.Want, len(k.Got))
	}
	return ""
}

// wordNumber words what is said about numbers, "" for anything else.
func wordNumber(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return "expected at least " + number(k.Want)
	case *kind.Maximum:
		return "expected at most " + number(k.Want)
	case *kind.ExclusiveMinimum:
		return "expected more than " + number(k.Want)
	case *kind.ExclusiveMaximum:
		return "expected less than " + number(k.Want)
	case *kind.MultipleOf:
		return "expected a multiple of " + number(k.Want)
	}
	return ""
}

// number writes n exactly where that is short.
func number(n *big.Rat) string {
	if n.IsInt() && n.Num().BitLen() <= maxName {
		return n.Num().String()
	}
	f, _ := n.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func literals(values []any) string {
	texts := make([]string, 0, maxLiterals+1)
	for i, v := range values {
		if i == maxLiterals {
			texts = append(texts, "...")
			break
		}
		texts = append(texts, literal(v))
	}
	return strings.Join(texts, ", ")
}

// literal writes a value of the schema as JSON, bounded.
func literal(v any) string {
	if s, ok := v.(string); ok {
		return quote(s)
	}
	switch v.(type) {
	case []any:
		return "a certain array"
	case map[string]any:
		return "a certain object"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "something else"
	}
	return shortened(string(text), maxName)
}

// quote writes a name in double quotes, cut, with nothing unprintable in it.
func quote(s string) string { return strconv.Quote(shortened(s, maxName)) }

// quoteAll quotes as many names as fit into a message.
func quoteAll(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(name))
		if b.Len() > maxMessage {
			break
		}
	}
	return b.String()
}

// pointer is path as a JSON pointer, bounded.
func pointer(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(pointerEscapes.Replace(shortened(token, maxPath)))
		if b.Len() > maxPath {
			break
		}
	}
	return shortened(b.String(), maxPath)
}

// shortened returns s, or as much of it as fits into size bytes with "..." behind it.
func shortened(s string, size int) string { return cut.Marked(s, size, "...") }

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")
