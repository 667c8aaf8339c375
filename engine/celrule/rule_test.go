package celrule

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

// issueSchema is the kind of schema that servers in use give: closed, with every common type,
// names that are no identifiers, a reference and something that may be null.
const issueSchema = `{
	"type": "object",
	"properties": {
		"title": {"type": "string"},
		"n": {"type": "integer"},
		"dry": {"type": "boolean"},
		"ratio": {"type": "number"},
		"priority": {"enum": ["low", "normal", "high"]},
		"labels": {"type": "array", "items": {"type": "string"}},
		"filter-query": {"type": "string"},
		"from": {"type": "string"},
		"note": {"type": ["string", "null"]},
		"due": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
		"any": {},
		"meta": {"type": "object", "additionalProperties": {"type": "integer"}},
		"author": {"$ref": "#/$defs/person"},
		"reviewer": {"anyOf": [{"$ref": "#/$defs/person"}, {"type": "null"}]},
		"rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
		"open": {"type": "object", "properties": {"known": {"type": "integer"}}, "additionalProperties": true}
	},
	"$defs": {
		"person": {"type": "object", "properties": {"name": {"type": "string"}, "boss": {"$ref": "#/$defs/person"}}},
		"row": {"type": "object", "properties": {"price": {"type": "number"}, "count": {"type": "integer"}}}
	}
}`

// decode reads JSON as the gate does.
func decode(t testing.TB, text string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func mustCompile(t testing.TB, schema, expr string) *Rule {
	t.Helper()
	if r, ok := compiled.Load([2]string{schema, expr}); ok {
		return r.(*Rule)
	}
	r, err := Compile(expr, json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	compiled.Store([2]string{schema, expr}, r)
	return r
}

var compiled sync.Map // by schema and expression

func TestRulesHoldOrNot(t *testing.T) {
	tool := engine.Tool{ID: "tracker/create_issue", Server: "tracker", Name: "create_issue", Private: true, Annotations: map[string]bool{"readOnlyHint": true}}
	session := engine.Session{ID: "s", Labels: []string{"seen"}, Calls: 7, CallsByTool: map[string]int64{"tracker/create_issue": 3}}
	for _, c := range []struct {
		expr, args string
		want       bool
	}{
		{`size(args.title) <= 5`, `{"title": "short"}`, true},
		{`size(args.title) <= 5`, `{"title": "longer"}`, false},
		{`args.priority in ['low', 'normal']`, `{"priority": "low"}`, true},
		{`args.priority in ['low', 'normal']`, `{"priority": "high"}`, false},
		{`args.title.startsWith('a') && args.title.lowerAscii() == 'abc'`, `{"title": "aBC"}`, true},
		{`args.labels.all(l, l.matches('^[a-z]+$'))`, `{"labels": ["a", "bc"]}`, true},
		{`args.labels.all(l, l.matches('^[a-z]+$'))`, `{"labels": ["a", "B"]}`, false},
		{`args.labels.exists(l, l == 'x')`, `{"labels": ["a", "x"]}`, true},
		{`size(args.labels.filter(l, l != 'x')) == 1`, `{"labels": ["a", "x"]}`, true},
		{`args.rows.map(r, r.count).exists_one(c, c == 2)`, `{"rows": [{"count": 1}, {"count": 2}]}`, true},
		{`sets.contains(['a', 'b'], args.labels)`, `{"labels": ["a"]}`, true},
		{`sets.contains(['a', 'b'], args.labels)`, `{"labels": ["a", "x"]}`, false},
		{`sets.intersects(args.labels, ['a', 'b'])`, `{"labels": ["x", "b"]}`, true},
		{`sets.intersects(args.labels, ['a', 'b'])`, `{"labels": []}`, false},
		{`sets.equivalent(args.labels, ['a', 'b'])`, `{"labels": ["b", "a", "b"]}`, true},
		{`sets.equivalent(args.labels, ['a', 'b'])`, `{"labels": ["b"]}`, false},
		{`args.title.split('/').all(p, p != '..') && args.title.substring(0, 1) == 'a'`, `{"title": "a/b"}`, true},
		{`args.author.boss.boss.name == 'ada'`, `{"author": {"boss": {"boss": {"name": "ada"}}}}`, true},

		// Names that are no identifiers.
		{`args["filter-query"] == 'x'`, `{"filter-query": "x"}`, true},
		{"args.`filter-query` == 'x'", `{"filter-query": "x"}`, true},
		{`has(args["filter-query"])`, `{}`, false},
		{`has(args["filter-query"])`, `{"filter-query": "x"}`, true},
		{`args.from == 'x' && args["from"] == 'x'`, `{"from": "x"}`, true},

		// Absence and null.
		{`!has(args.n) || args.n <= 100`, `{}`, true},
		{`!has(args.n) || args.n <= 100`, `{"n": 101}`, false},
		{`has(args.n) && args.n <= 100`, `{}`, false},
		{`args.note == null || size(args.note) < 3`, `{"note": null}`, true},
		{`args.note == null || size(args.note) < 3`, `{"note": "ab"}`, true},
		{`args.due == null || args.due > 5`, `{"due": 4}`, false},
		{`args.reviewer == null || args.reviewer.name != ''`, `{"reviewer": null}`, true},
		{`args.reviewer == null || args.reviewer.name != ''`, `{"reviewer": {"name": "a"}}`, true},

		// Numbers: of the kind the schema says, whatever way they are written.
		{`args.n == 100`, `{"n": 100}`, true},
		{`args.n == 100`, `{"n": 100.0}`, true},
		{`args.n == 100`, `{"n": 1e2}`, true},
		{`args.n <= 9223372036854775807`, `{"n": 9223372036854775807}`, true},
		{`args.n == -9223372036854775808`, `{"n": -9223372036854775808}`, true},
		{`args.ratio * 2.0 <= 10.0`, `{"ratio": 5}`, true},
		{`args.ratio <= 5`, `{"ratio": 5.5}`, false},
		{`args.rows.all(r, r.price * 2.0 < 9.5)`, `{"rows": [{"price": 4}, {"price": 4.5}]}`, true},
		{`args.any == 5`, `{"any": 5}`, true},
		{`args.any < 6`, `{"any": 5.5}`, true},
		{`args.any.deep[0].n > 1`, `{"any": {"deep": [{"n": 2}]}}`, true},
		{`args.meta.a + args.meta["b"] == 3`, `{"meta": {"a": 1, "b": 2}}`, true},
		{`"a" in args.meta`, `{"meta": {"a": 1}}`, true},
		{`args.open.known == 1 && args.open.other == 'x'`, `{"open": {"known": 1, "other": "x"}}`, true},
		{`args.any.all(x, x > 0)`, `{"any": [1, 2]}`, true},
		{`args.rows[0] == args.rows[1]`, `{"rows": [{"count": 1}, {"count": 1}]}`, true},
		{`args.rows[0] == args.rows[1]`, `{"rows": [{"count": 1}, {"count": 2}]}`, false},
		{`args.rows[0] == args.any`, `{"rows": [{"count": 1}], "any": {"count": 1}}`, true},
		{`args.any == args.rows`, `{"rows": [{"count": 1}], "any": [{"count": 1}]}`, true},

		// Values whose types only the call tells.
		{`args.any != 'delete'`, `{"any": "keep"}`, true},
		{`args.any == null`, `{"any": 5}`, false},
		{`args.any == ['a', 1]`, `{"any": ["a", 1.0]}`, true},
		{`args.any == ['a', 1]`, `{"any": ["a"]}`, false},
		{`args.any == {'a': {'b': 1}}`, `{"any": {"a": {"b": 1}}}`, true},
		{`args.any == {'a': {'b': 1}}`, `{"any": {"a": {"b": 2}}}`, false},
		{`args.any == {'a': 1}`, `{"any": {"b": 1}}`, false},
		{`args.any == null || !(args.any in ['delete'])`, `{"any": "keep"}`, true},
		{`args.any == null || !(args.any in ['delete'])`, `{"any": null}`, true},
		{`!('delete' in args.any)`, `{"any": ["keep"]}`, true},
		{`!('delete' in args.any)`, `{"any": []}`, true},
		{`5 in args.any`, `{"any": [4.5, 5.0]}`, true},

		// What is known besides the arguments.
		{`tool.private && tool.annotations.readOnlyHint && tool.server == 'tracker'`, `{}`, true},
		{`session.calls < 10 && session.calls_by_tool["tracker/create_issue"] == 3`, `{}`, true},
		{`'seen' in session.labels && !has(session.label_sources.private)`, `{}`, true},
	} {
		ok, err := mustCompile(t, issueSchema, c.expr).Eval(t.Context(), decode(t, c.args), tool, session)
		if ok != c.want || err != nil {
			t.Errorf("%s over %s: got %v (%v), want %v", c.expr, c.args, ok, err, c.want)
		}
	}
}

// An error anywhere on the way makes the rule not hold, also where plain CEL would forget it.
func TestAnErrorIsNeverAbsorbed(t *testing.T) {
	for _, c := range []struct{ expr, args string }{
		{`args.n <= 100`, `{}`},
		{`args.n <= 100 || args.dry`, `{"dry": true}`},
		{`(args.n <= 100 || args.dry) || true`, `{"dry": true}`},
		{`!(args.n <= 100 && !args.dry)`, `{"dry": true}`},
		{`args.dry ? true : args.n > 0`, `{"dry": false}`},
		{`args.n / 0 > 1 || args.dry`, `{"n": 1, "dry": true}`},
		{`args.n + 1 > 0 || args.dry`, `{"n": 9223372036854775807, "dry": true}`},
		{`args.labels[3] == 'x' || args.dry`, `{"labels": [], "dry": true}`},
		{`args.labels.exists(l, int(l) > 0)`, `{"labels": ["x", "1"]}`},
		{`args.labels.exists(l, int(l) > 0 || true)`, `{"labels": ["x"]}`},
		{`!args.labels.all(l, int(l) > 0)`, `{"labels": ["x", "-1"]}`},
		{`args.labels.exists_one(l, int(l) > 0)`, `{"labels": ["1", "x"]}`},
		{`size(args.labels.filter(l, int(l) > 0)) == 1`, `{"labels": ["1", "x"]}`},
		{`args.labels.exists(l, args.rows.exists(r, r.count > 0))`, `{"labels": ["a"], "rows": [{}, {"count": 1}]}`},
		{`args.any.x == 1 || args.dry`, `{"any": "text", "dry": true}`},
		{`args.any > 1 || args.dry`, `{"any": "text", "dry": true}`},

		// A value of another type is not another value.
		{`args.any != 'delete'`, `{"any": ["delete"]}`},
		{`args.any != 'delete'`, `{"any": {"delete": true}}`},
		{`args.any != 'delete'`, `{"any": 5}`},
		{`args.any != 0`, `{"any": "0"}`},
		{`args.any != 0`, `{"any": false}`},
		{`args.any != ['delete']`, `{"any": "delete"}`},
		{`args.any != ['delete']`, `{"any": [["delete"]]}`},
		{`args.any != {'a': 'delete'}`, `{"any": {"a": ["delete"]}}`},
		{`args.any == 'delete' || args.dry`, `{"any": ["delete"], "dry": true}`},
		{`!(args.any in ['delete', 'drop'])`, `{"any": ["delete"]}`},
		{`!(args.any in {'delete': 1})`, `{"any": ["delete"]}`},
		{`!('delete' in args.any)`, `{"any": "delete"}`},
		{`!('delete' in args.any)`, `{"any": [["delete"], "keep"]}`},
		{`!sets.intersects(['delete'], args.any)`, `{"any": [["delete"]]}`},

		// Numbers that the type has no room for.
		{`args.n != 0`, `{"n": 9223372036854775808}`},
		{`args.n != 0`, `{"n": 123456789012345678901234567890}`},
		{`args.n != 0`, `{"n": 1e400}`},
		{`args.n != 0`, `{"n": 1.5}`},
		{`args.any != 0`, `{"any": 123456789012345678901234567890}`},
		{`args.any != 0`, `{"any": 1e999999999999999999999}`},
		{`args.ratio != 0.5`, `{"ratio": 1e400}`},
		{`args.ratio <= 9007199254740992.0`, `{"ratio": 9007199254740993}`},

		// Values the schema does not promise. The policy denies these calls anyway.
		{`args.n > 0`, `{"n": "5"}`},
		{`args.title != 'x'`, `{"title": 5}`},
		{`args.title != 'x'`, `{"title": null}`},
		{`!args.dry`, `{"dry": "false"}`},
		{`!args.dry`, `{"dry": null}`},
		{`args.labels.all(l, l != 'x')`, `{"labels": "abc"}`},
		{`args.labels.all(l, l != 'x')`, `{"labels": [1]}`},
		{`args.labels.all(l, l != 'x')`, `{"labels": {"a": "b"}}`},
		{`!has(args.author.name)`, `{"author": "ada"}`},
		{`!has(args.author.name)`, `{"author": null}`},
		{`!has(args.author.name)`, `{}`},
		{`!has(args.reviewer.name)`, `{"reviewer": null}`},
		{`!has(args.any.name)`, `{"any": 5}`},
		{`!has(args.any.name)`, `{"any": null}`},

		// all() over an object would see its keys.
		{`args.any.all(k, k != 'x')`, `{"any": {"a": "x"}}`},
		{`args.any.deep.exists(k, k == 'a')`, `{"any": {"deep": {"a": "x"}}}`},

		// Arguments that are not an object at all.
		{`true`, `[]`},
		{`true`, `null`},
		{`true`, `"x"`},
	} {
		ok, err := mustCompile(t, issueSchema, c.expr).Eval(t.Context(), decode(t, c.args), engine.Tool{}, engine.Session{})
		if ok || err == nil {
			t.Errorf("%s over %s: got %v (%v), want an error", c.expr, c.args, ok, err)
		}
	}
}

// Cost and context end an evaluation that would go on.
func TestRulesEnd(t *testing.T) {
	items := make([]any, 3000)
	for i := range items {
		items[i] = "x"
	}
	args := map[string]any{"labels": items, "title": strings.Repeat("a", 1<<20), "any": strings.Repeat("a", 1<<20), "open": map[string]any{"list": items}}
	for _, expr := range []string{
		`args.labels.all(a, args.labels.all(b, args.labels.all(c, a != b + c)))`,
		`args.labels.all(a, args.title.matches('(a|aa)*b') || true)`,
		`args.labels.map(a, args.title + args.title).size() > 0`,
		`args.labels.map(a, args.any + args.any).size() > 0`,
		`args.labels.map(a, args.title.split('')).size() > 0`,
		`args.labels.all(a, !('y' in args.open.list))`,
		`sets.equivalent(args.labels, args.open.list + ['y'])`,
		`!sets.intersects(args.labels.map(l, l + 'y'), args.open.list)`,
	} {
		start := time.Now()
		ok, err := mustCompile(t, issueSchema, expr).Eval(t.Context(), args, engine.Tool{}, engine.Session{})
		if ok || err == nil {
			t.Errorf("%s: got %v (%v), want an error", expr, ok, err)
		}
		t.Logf("%s: %v: %v", expr, time.Since(start), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if ok, err := mustCompile(t, issueSchema, `args.labels.all(a, a == 'x')`).Eval(ctx, args, engine.Tool{}, engine.Session{}); ok || err == nil {
		t.Errorf("with its context gone: got %v (%v), want an error", ok, err)
	}
}

// Every combination of true, false and error under the logical operators gives what reading
// from left to right gives, and an error is never anything else.
func TestLogicIsLeftToRight(t *testing.T) {
	atoms := map[string]int{`args.yes`: 1, `args.no`: 0, `args.missing`: -1}
	type node struct {
		expr string
		want int // 1, 0, or -1 for an error
	}
	var level []node
	for expr, want := range atoms {
		level = append(level, node{expr, want})
	}
	atomNodes := level
	combine := func(a, b node) []node {
		or, and := a.want, a.want
		if a.want == 0 {
			or = b.want
		}
		if a.want == 1 {
			and = b.want
		}
		not := a.want
		if not >= 0 {
			not = 1 - not
		}
		return []node{
			{"(" + a.expr + " || " + b.expr + ")", or},
			{"(" + a.expr + " && " + b.expr + ")", and},
			{"!" + a.expr, not},
		}
	}
	var deeper []node
	for _, a := range atomNodes {
		for _, b := range atomNodes {
			deeper = append(deeper, combine(a, b)...)
		}
	}
	for _, a := range deeper {
		for _, b := range atomNodes {
			level = append(level, combine(a, b)...)
			level = append(level, combine(b, a)...)
		}
	}
	schema := `{"properties": {"yes": {"type": "boolean"}, "no": {"type": "boolean"}, "missing": {"type": "boolean"}}}`
	args := map[string]any{"yes": true, "no": false}
	for _, n := range level {
		ok, err := mustCompile(t, schema, n.expr).Eval(t.Context(), args, engine.Tool{}, engine.Session{})
		if ok != (n.want == 1) || (err != nil) != (n.want == -1) {
			t.Fatalf("%s: got %v (%v), want %d", n.expr, ok, err, n.want)
		}
	}
}
