package celrule

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

// Timeout bounds one evaluation.
const Timeout = time.Second

// Bounds on a rule. Its text comes from the operator, but its arguments do not.
const (
	maxText    = 4096    // characters
	maxRegex   = 1000    // instructions of one compiled regular expression
	maxCost    = 100_000 // CEL's own units, a few microseconds each at the very worst
	checkEvery = 64      // steps of a comprehension between looks at the context
)

// Rule is a compiled CEL expression over the arguments of one tool.
type Rule struct {
	text    string
	program cel.Program
}

// Compile compiles an expression over `args`, `tool` and `session` for a tool with this
// input schema. The schema gives the types: a field that it does not have, a number compared
// with a string, a result that is not a bool are errors, which quote the rule and say where. An
// argument that is absent is absent, whatever default the schema gives it.
//
// Differences from standard CEL, which is lenient where a rule that guards must not be
// (docs/decisions/040-rules-are-exact-and-typed.md):
//
//   - `a || b` and `a && b` go from left to right and stop at an error. Standard CEL lets
//     `args.n <= 100 || args.dry` hold when n is missing.
//   - Comparing values of different kinds is an error. Standard CEL lets `args.x != 'delete'` hold for
//     ["delete"] and for null, where the schema gives x no type. `x == null` and `x != null`, with
//     null written out, may be asked of everything that may be null.
//   - Numbers are exact or an error: nothing is rounded to compare it, to compute with it or to
//     convert it, and a division of ints that leaves a remainder is an error.
//   - all(), exists() and the like take lists only. Over an object they would see its keys. So does
//     `in` where the schema gives no type, and size() then does not compile.
//   - has(x.y) is an error, not false, when x is not an object.
//
// And some that make it handier: x["a name"] is the same as x.name for names that are no
// identifiers, has(x["a name"]) too, and `<` and its like compare ints with doubles.
//
// The functions are CEL's own, of its string library charAt, lowerAscii, strings.quote, reverse,
// split, substring, trim and upperAscii, and of its sets library all. What a rule may cost is
// bounded, so there are no functions whose cost is not: format, indexOf, join, lastIndexOf
// and replace.
func Compile(expr string, inputSchema json.RawMessage) (*Rule, error) {
	program, err := compile(expr, inputSchema)
	if err != nil {
		return nil, fmt.Errorf("compiling the rule %q: %w", expr, err)
	}
	return &Rule{text: expr, program: program}, nil
}

func compile(expr string, inputSchema json.RawMessage) (cel.Program, error) {
	shapes, err := newShapes(inputSchema)
	if err != nil {
		return nil, err
	}
	base, err := baseEnv()
	if err != nil {
		return nil, err
	}
	env, err := base.Extend(cel.CustomTypeProvider(shapes), cel.Variable("args", shapes.root.celType()))
	if err != nil {
		return nil, err
	}
	parsed, issues := env.Parse(expr)
	if issues.Err() != nil {
		return nil, shapes.explain(issues)
	}
	if err := checkParsed(expr, parsed.NativeRep()); err != nil {
		return nil, err
	}
	normalize(parsed.NativeRep())
	checked, issues := env.Check(parsed)
	if issues.Err() != nil {
		return nil, shapes.explain(issues)
	}
	if !checked.OutputType().IsExactType(cel.BoolType) {
		return nil, fmt.Errorf("it must be true or false, and is of type %s", checked.OutputType())
	}
	if err := checkTyped(checked.NativeRep()); err != nil {
		return nil, err
	}
	strict, err := cel.NewStaticOptimizer(strictLogic{})
	if err != nil {
		return nil, err
	}
	rewritten, issues := strict.Optimize(env, checked)
	if issues.Err() != nil {
		return nil, shapes.explain(issues)
	}
	return env.Program(rewritten,
		cel.EvalOptions(cel.OptOptimize),
		cel.CostLimit(maxCost),
		cel.CostTracking(costs{}),
		cel.InterruptCheckFrequency(checkEvery),
	)
}

// baseEnv is what all rules share: the language and the variables that are the same for every tool.
var baseEnv = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewCustomEnv(
		standardLibrary(),
		cel.ClearMacros(),
		cel.Macros(macros()...),
		ext.Strings(ext.StringsVersion(5)), // from 5 on its functions have a cost
		sameAsFunction,
		memberOfFunction,
		nullFunction,
		cel.CrossTypeNumericComparisons(true),
		cel.EnableErrorOnBadPresenceTest(true),
		cel.EnableIdentifierEscapeSyntax(),
		cel.ParserExpressionSizeLimit(maxText),
		cel.RegexProgramSizeLimit(maxRegex),
		cel.CustomTypeAdapter(anyJSON),
		cel.Variable("tool", cel.ObjectType(toolType)),
		cel.Variable("session", cel.ObjectType(sessionType)),
		onlyListFunction,
	)
})

// String returns the expression as it was written.
func (r *Rule) String() string { return r.text }

// Eval reports whether the rule holds for a call. An error, of whatever kind and wherever in the
// expression, means that it does not; it is for the log. It takes Timeout at most.
func (r *Rule) Eval(ctx context.Context, args any, tool engine.Tool, session engine.Session) (ok bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			ok, err = false, fmt.Errorf("evaluating the rule %q: panic: %v", r.text, p)
		}
	}()
	object, isObject := args.(map[string]any)
	if !isObject {
		return false, fmt.Errorf("evaluating the rule %q: the arguments are not an object", r.text)
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	result, _, err := r.program.ContextEval(ctx, &variables{args: object, tool: &tool, session: &session})
	if err != nil {
		return false, fmt.Errorf("evaluating the rule %q: %w", r.text, err)
	}
	holds, isBool := result.(types.Bool)
	if !isBool {
		return false, fmt.Errorf("evaluating the rule %q: it came to a %s, not to true or false", r.text, result.Type().TypeName())
	}
	return bool(holds), nil
}

// variables are the variables of one evaluation.
type variables struct {
	args    map[string]any
	tool    *engine.Tool
	session *engine.Session
}

func (v *variables) ResolveName(name string) (any, bool) {
	switch name {
	case "args":
		return v.args, true
	case "tool":
		return v.tool, true
	case "session":
		return v.session, true
	}
	return nil, false
}

func (v *variables) Parent() cel.Activation { return nil }
