package engine

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func decideWith(t *testing.T, change func(*Request), families ...string) Decision {
	t.Helper()
	pairs := []string{}
	for _, text := range families {
		name := strings.TrimSpace(strings.TrimPrefix(strings.Split(text, "\n")[0], "package codemode.rules."))
		pairs = append(pairs, "codemode/rules/"+name+"/"+name+".rego", text)
	}
	var log strings.Builder
	e, err := New(t.Context(), Options{Policy: packWith(t, pairs...), Config: packConfig(), Timeout: 400 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	r := packRequest()
	if change != nil {
		change(r)
	}
	d := e.Decide(t.Context(), r)
	t.Log(log.String())
	if slices.Contains(codes(d), CodePolicyError) && d.Problem == "" {
		t.Error("nothing says why")
	}
	return d
}

// A denial whose body holds and whose element is undefined denies, in the name of its family.
func TestADenialThatIsUndefinedDenies(t *testing.T) {
	for name, rule := range map[string]string{
		"in the message":   `deny contains {"code": "no", "message": sprintf("%s", [input.call.args.absent])} if input.tool.known`,
		"in the body":      "deny contains {\"code\": \"no\", \"message\": m} if {\n\tinput.tool.known\n\tm := sprintf(\"%s\", [input.call.args.absent])\n}",
		"two steps":        "deny contains d if {\n\tinput.tool.known\n\twho := input.call.args.absent\n\td := {\"code\": \"no\", \"message\": concat(\"\", [\"no \", who])}\n}",
		"without a body":   `deny contains {"code": "no", "message": upper(input.call.args.absent)}`,
		"by a rule":        "deny contains {\"code\": \"no\", \"message\": _m} if input.tool.known\n\n_m := \"no\" if input.call.args.absent",
		"by a function":    "deny contains {\"code\": \"no\", \"message\": _m(input.tool.name)} if input.tool.known\n\n_m(x) := \"no\" if x == \"another\"",
		"under an import":  "import input.call.args as a\n\ndeny contains {\"code\": \"no\", \"message\": upper(a.absent)} if input.tool.known",
		"a label":          `labels_add contains upper(input.call.args.absent) if input.tool.known`,
		"after a wildcard": "deny contains {\"code\": \"no\", \"message\": upper(input.call.args.absent)} if {\n\t[\"a\", \"b\"][_] == \"b\"\n\tsome x\n\t[1, 2][x] == 2\n}",
	} {
		d := decideWith(t, nil, "package codemode.rules.freeze\n\n"+rule+"\n")
		if d.Allow || !slices.ContainsFunc(d.Denials, func(d Denial) bool {
			return d.Code == CodePolicyError && strings.Contains(d.Message, `"freeze"`)
		}) {
			t.Errorf("%s: %+v", name, d)
		}
	}
	// What is no denial in stock OPA either stays none.
	for name, rule := range map[string]string{
		"its body does not hold": `deny contains {"code": "no", "message": sprintf("%s", [input.call.args.absent])} if input.tool.name == "another"`,
		"it reads what it needs": `deny contains {"code": "no", "message": sprintf("%s", [input.call.args.absent])} if input.call.args.absent == "x"`,
		"a condition by a name":  "deny contains d if d := _d\n\n_d := {\"code\": \"no\", \"message\": \"no\"} if input.tool.name == \"another\"",
		"nothing to go over":     "deny contains {\"code\": \"no\", \"message\": upper(m)} if some m in input.session.labels",
	} {
		if d := decideWith(t, nil, "package codemode.rules.freeze\n\n"+rule+"\n"); !d.Allow {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// A broken family denies with its own name and hides nobody's reasons.
func TestABrokenFamilyHidesNoReasons(t *testing.T) {
	good := "package codemode.rules.good\n\ndeny contains {\"code\": \"late\", \"message\": \"too late\"} if input.tool.known\n"
	for name, rule := range map[string]string{
		"a builtin that fails": `deny contains {"code": "no", "message": "no"} if to_number(input.tool.name) > 1`,
		"a conflict":           "deny contains {\"code\": \"no\", \"message\": \"no\"} if _x == 1\n\n_x := 1 if input.tool.known\n\n_x := 2 if input.tool.known",
		"a code that is none":  `deny contains {"code": upper(input.tool.name), "message": "no"} if input.tool.known`,
		"a message of nothing": `deny contains {"code": "no", "message": trim(input.tool.name, input.tool.name)} if input.tool.known`,
		"a label that is none": `labels_add contains $"{input.tool.name} was here" if input.tool.known`,
		"too many":             "deny contains {\"code\": \"no\", \"message\": $\"{i}{j}\"} if {\n\tsome i in numbers.range(1, 10)\n\tsome j in numbers.range(1, 10)\n}",
		"no end":               "deny contains {\"code\": \"no\", \"message\": \"no\"} if {\n\tsome i in numbers.range(1, 9000)\n\tsome j in numbers.range(1, 9000)\n\ti * j < 0\n}",
		"no denial at all":     "deny contains d if {\n\tinput.tool.known\n\td := json.patch({}, [{\"op\": \"add\", \"path\": \"/code\", \"value\": \"a\"}])\n}",
	} {
		families := []string{"package codemode.rules.broken\n\n" + rule + "\n", good}
		want := []string{CodePolicyError, "late"}
		if name == "a label that is none" { // of a call that is refused nobody wants one
			families, want = families[:1], want[:1]
		}
		d := decideWith(t, nil, families...)
		if !slices.Equal(codes(d), want) {
			t.Errorf("%s: %+v", name, d)
			continue
		}
		if !strings.Contains(d.Denials[0].Message, `"broken"`) {
			t.Errorf("%s: it does not name the family: %s", name, d.Denials[0].Message)
		}
	}
}

// policy eval decides as the engine does, whatever goes wrong.
func TestEvalBlamesAsTheEngineDoes(t *testing.T) {
	policy := packWith(t, "codemode/rules/broken/broken.rego", "package codemode.rules.broken\n\ndeny contains {\"code\": \"no\", \"message\": \"no\"} if to_number(input.tool.name) > 1\n")
	e, err := New(t.Context(), Options{Policy: policy, Config: packConfig()})
	if err != nil {
		t.Fatal(err)
	}
	r := packRequest()
	text, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	result, err := Eval(t.Context(), Source{FS: policy}, packConfig(), text)
	if err != nil {
		t.Fatal(err)
	}
	want := e.Decide(t.Context(), r)
	want.Problem = "" // that of Eval is beside its decision
	if diff := cmp.Diff(want, result.Decision); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(result.Problem, "broken: deny: ") {
		t.Errorf("the problem is %q", result.Problem)
	}
}
