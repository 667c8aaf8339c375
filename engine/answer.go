package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

// Bounds on what a policy may answer. A larger answer is an error and not a decision.
const (
	maxDenials = 64
	// MaxMessage is the length of a denial's message in characters; a longer one is cut. It
	// has room for five violations of a schema.
	MaxMessage = 2500
	maxCode    = 64
	maxLabels  = 16
	maxLabel   = 64
)

// tableOrder is the order in which a refusal names its reasons: the most useful first.
// Codes of added policy rules come after these, sorted by name.
var tableOrder = []string{
	CodePolicyError, CodeToolNotAllowed, CodeArgumentsTooLarge, CodeArgumentsInvalid,
	CodeRuleNotMet, CodeBudgetExhausted, CodePrivateData,
}

// readDecision turns the policy's answer into a Decision. Everything that is not exactly
// one is an error: a field too many or too few, another type, "allow" with denials, or a
// refusal without any.
func readDecision(answer *ast.Term) (Decision, error) {
	var d Decision
	obj, err := exactly(answer, "the decision", "allow", "denials", "effects")
	if err != nil {
		return d, err
	}
	if d.Allow, err = readBool(obj.Get(answerAllow)); err != nil {
		return Decision{}, err
	}
	if d.Denials, err = readDenials(obj.Get(answerDenials)); err != nil {
		return Decision{}, err
	}
	if d.Effects, err = readEffects(obj.Get(answerEffects)); err != nil {
		return Decision{}, err
	}
	switch {
	case d.Allow && len(d.Denials) > 0:
		return Decision{}, fmt.Errorf("the decision allows and denies at once (%s)", d.Denials[0].Code)
	case !d.Allow && len(d.Denials) == 0:
		return Decision{}, errors.New("the decision neither allows nor says why not")
	case !d.Allow && len(d.Effects.LabelsAdd) > 0:
		return Decision{}, errors.New("the decision has effects although it denies")
	}
	return d, nil
}

var (
	answerAllow, answerDenials, answerEffects = key("allow"), key("denials"), key("effects")
	answerCode, answerMessage                 = key("code"), key("message")
	answerLabelsAdd                           = key("labels_add")
)

// exactly returns the object when it has these keys and no others.
func exactly(t *ast.Term, what string, keys ...string) (ast.Object, error) {
	obj, ok := t.Value.(ast.Object)
	if !ok {
		return nil, fmt.Errorf("%s is not an object but %s", what, kind(t))
	}
	var unknown error
	obj.Foreach(func(k, _ *ast.Term) {
		if name, ok := k.Value.(ast.String); !ok || !slices.Contains(keys, string(name)) {
			unknown = fmt.Errorf("%s has the unknown key %s", what, k)
		}
	})
	if unknown != nil {
		return nil, unknown
	}
	if obj.Len() != len(keys) {
		return nil, fmt.Errorf("%s lacks one of the keys %v", what, keys)
	}
	return obj, nil
}

func readBool(t *ast.Term) (bool, error) {
	b, ok := t.Value.(ast.Boolean)
	if !ok {
		return false, fmt.Errorf("allow is not true or false but %s", kind(t))
	}
	return bool(b), nil
}

func readDenials(t *ast.Term) ([]Denial, error) {
	terms, err := list(t, "denials", maxDenials)
	if err != nil || len(terms) == 0 {
		return nil, err
	}
	denials := make([]Denial, 0, len(terms))
	for _, term := range terms {
		obj, err := exactly(term, "a denial", "code", "message")
		if err != nil {
			return nil, err
		}
		code, ok := obj.Get(answerCode).Value.(ast.String)
		if !ok || !isCode(string(code)) {
			return nil, fmt.Errorf("a denial has a code that is not 1 to %d of [a-z_]", maxCode)
		}
		message, ok := obj.Get(answerMessage).Value.(ast.String)
		if !ok || message == "" {
			return nil, fmt.Errorf("the denial %q has no message", code)
		}
		denials = append(denials, Denial{Code: string(code), Message: cut.Characters(string(message), MaxMessage)})
	}
	slices.SortFunc(denials, func(a, b Denial) int {
		return cmp.Or(cmp.Compare(rank(a.Code), rank(b.Code)), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(denials), nil
}

func rank(code string) int {
	if i := slices.Index(tableOrder, code); i >= 0 {
		return i
	}
	return len(tableOrder)
}

func readEffects(t *ast.Term) (Effects, error) {
	obj, err := exactly(t, "effects", "labels_add")
	if err != nil {
		return Effects{}, err
	}
	terms, err := list(obj.Get(answerLabelsAdd), "effects.labels_add", maxLabels)
	if err != nil || len(terms) == 0 {
		return Effects{}, err
	}
	labels := make([]string, 0, len(terms))
	for _, term := range terms {
		label, ok := term.Value.(ast.String)
		if !ok || !isLabel(string(label)) {
			return Effects{}, fmt.Errorf("a label is not 1 to %d of [A-Za-z0-9_.-]", maxLabel)
		}
		labels = append(labels, string(label))
	}
	slices.Sort(labels)
	return Effects{LabelsAdd: slices.Compact(labels)}, nil
}

// list returns the elements of a set or an array.
func list(t *ast.Term, what string, most int) ([]*ast.Term, error) {
	var terms []*ast.Term
	switch v := t.Value.(type) {
	case ast.Set:
		terms = v.Slice()
	case *ast.Array:
		for i := range v.Len() {
			terms = append(terms, v.Elem(i))
		}
	default:
		return nil, fmt.Errorf("%s is not a set but %s", what, kind(t))
	}
	if len(terms) > most {
		return nil, fmt.Errorf("%s has more than %d elements", what, most)
	}
	return terms, nil
}

func isCode(s string) bool {
	ok := s != "" && len(s) <= maxCode
	for i := 0; ok && i < len(s); i++ {
		ok = 'a' <= s[i] && s[i] <= 'z' || s[i] == '_'
	}
	return ok
}

func isLabel(s string) bool {
	ok := s != "" && len(s) <= maxLabel
	for i := 0; ok && i < len(s); i++ {
		c := s[i]
		ok = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
	}
	return ok
}

func kind(t *ast.Term) string { return ast.ValueName(t.Value) }
