package celrule

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// explain says in plain words what CEL found wrong with a rule, one line for each error. Of the parser's
// errors only the first is used: the others follow from it.
func (s *shapes) explain(issues *cel.Issues) error {
	var lines []string
	for _, e := range issues.Errors() {
		message, isSyntax := explainSyntax(strings.TrimSpace(e.Message))
		if !isSyntax {
			message = exnamedTypes(message)
		}
		lines = append(lines, position(e.Location)+": "+message)
		if isSyntax {
			break
		}
	}
	if s.missed != nil {
		names := slices.Clone(s.missed)
		slices.Sort(names)
		if len(names) > 20 {
			names = append(names[:20], "…")
		}
		lines = append(lines, "there are the fields: "+strings.Join(names, ", "))
	}
	return errors.New(strings.Join(lines, "; "))
}

// position counts characters from 1, and lines where there is more than one.
func position(at common.Location) string {
	if at.Line() > 1 {
		return fmt.Sprintf("at line %d, character %d", at.Line(), at.Column()+1)
	}
	return fmt.Sprintf("at character %d", max(at.Column(), 0)+1)
}

// The forms in which the parser says that something is in the wrong place.
var (
	unexpected = regexp.MustCompile(`^Syntax error: (?:mismatched input|extraneous input|no viable alternative at input|missing .* at) '(.*?)'(?: expecting .*)?$`)
	reserved   = regexp.MustCompile(`^\.[a-z]+$`)
	unreadable = regexp.MustCompile(`^Syntax error: token recognition error at: '(.*)'$`)
)

// instead gives the CEL form for constructs of other languages.
var instead = map[string]string{
	"=": "==", "and": "&&", "AND": "&&", "&": "&&", "or": "||", "OR": "||", "|": "||", "not": "!", "NOT": "!", "===": "==", "<>": "!=", "=>": ">=",
}

func explainSyntax(message string) (explained string, isSyntax bool) {
	rest, isSyntax := strings.CutPrefix(message, "Syntax error: ")
	if !isSyntax {
		return message, false
	}
	token := ""
	if m := unexpected.FindStringSubmatch(message); m != nil {
		token = m[1]
	} else if m := unreadable.FindStringSubmatch(message); m != nil {
		token = m[1]
	} else {
		return rest, true
	}
	word := strings.TrimSpace(token)
	switch other := instead[word]; {
	case word == "<EOF>":
		return "the rule ends too early: a value or a closing bracket is missing", true
	case other != "":
		return fmt.Sprintf("%q is not CEL: write %s", word, other), true
	case reserved.MatchString(word):
		return fmt.Sprintf("%q is a word of CEL's own: write [%q]", word[1:], word[1:]), true
	case strings.HasPrefix(word, `"`) || strings.HasPrefix(word, "'"):
		return "a string begins here that does not end, or has an escape that CEL does not have", true
	}
	return fmt.Sprintf("%q can not stand here", word), true
}

var (
	noOverload = regexp.MustCompile(`^found no matching overload for '(.+)' applied to '(.+)'$`)
	objectName = regexp.MustCompile(`\$object[.0-9a-f]*`)
	noRange    = regexp.MustCompile(`^expression of type '(.+)' cannot be range of a comprehension`)
	nullable   = regexp.MustCompile(`wrapper\((\w+)\)`)
)

func exnamedTypes(message string) string {
	message = strings.TrimSuffix(message, " (in container '')")
	if m := noOverload.FindStringSubmatch(message); m != nil {
		message = explainOverload(m[1], m[2])
	} else if m := noRange.FindStringSubmatch(message); m != nil {
		message = fmt.Sprintf(wantsList, m[1])
	}
	return namedTypes(message)
}

func explainOverload(function, applied string) string {
	if operator, ok := operators.FindReverse(function); ok {
		function = cmp.Or(operator, "? :")
	}
	hint := ""
	if strings.Contains(applied, "double") && strings.Contains(applied, "int") {
		hint = ": a double is written 5.0, or made by double(x)"
	}
	return fmt.Sprintf("%s does not take %s%s", function, applied, hint)
}

// namedTypes replaces type names that only CEL uses.
func namedTypes(text string) string {
	return nullable.ReplaceAllString(objectName.ReplaceAllString(text, "object"), "$1 or null")
}

func typeName(t *types.Type) string { return namedTypes(t.String()) }
