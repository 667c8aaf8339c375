package celrule

import (
	"encoding/json"
	"strings"
	"testing"
)

// kindValues has a value of every kind, by the name that CEL gives the kind.
var kindValues = map[string]string{
	"null_type": `null`, "bool": `true`, "int": `5`, "double": `5.5`, "string": `"text"`, "list": `["text"]`, "map": `{"text": 5}`,
}

// No value is just another value than one of another kind: to ask is an error, whichever way.
func TestValuesOfDifferentKindsDoNotCompare(t *testing.T) {
	comparisons := []string{
		`args.a == args.b`, `args.a != args.b`, `!(args.a == args.b)`, `args.a in [args.b]`, `!(args.a in [args.b])`,
		`[args.a] == [args.b]`, `[args.a] != [args.b]`, `{'k': args.a} != {'k': args.b}`, `[[args.a]] != [[args.b]]`,
		`sets.contains([args.a], [args.b])`, `!sets.intersects([args.a], [args.b])`,
		`args.a < args.b`, `args.a >= args.b`, `args.a == args.b || true`, `(args.a == args.b ? true : true)`,
		`[args.a].exists(x, x == args.b)`, `![args.a].all(x, x != args.b)`, `[1, 2].exists(x, x == 2 || args.a == args.b)`,
	}
	for kindA, a := range kindValues {
		for kindB, b := range kindValues {
			numbers := isNumberKind(kindA) && isNumberKind(kindB)
			if kindA == kindB || numbers {
				continue
			}
			for _, expr := range comparisons {
				if got := verdict(t, looseSchema, expr, `{"a": `+a+`, "b": `+b+`}`); got != "error" {
					t.Errorf("%s with %s and %s: %s", expr, a, b, got)
				}
			}
		}
	}
}

// A value is compared with one that is written in the rule, or with none.
func TestALiteralSaysOfWhichKindAValueMustBe(t *testing.T) {
	literals := map[string]string{"bool": `true`, "int": `5`, "string": `'bad'`, "list": `['bad']`, "map": `{'bad': 5}`}
	for kind, literal := range literals {
		for valueKind, value := range kindValues {
			same := kind == valueKind || kind == "int" && valueKind == "double"
			for _, expr := range []string{`args.x == L`, `args.x != L`, `!(args.x == L)`, `!(args.x in [L])`, `L == args.x`, `args.x == L || true`} {
				got := verdict(t, looseSchema, strings.ReplaceAll(expr, "L", literal), `{"x": `+value+`}`)
				if (got == "error") == same {
					t.Errorf("%s with L = %s and x = %s: %s", expr, literal, value, got)
				}
			}
		}
		if got := verdict(t, looseSchema, `args.x != `+literal, `{}`); got != "error" {
			t.Errorf("!= %s without x: %s", literal, got)
		}
	}
}

func TestNullIsAskedForByName(t *testing.T) {
	for kind, value := range kindValues {
		args, null, other := `{"x": `+value+`}`, "does not", "holds"
		if kind == "null_type" {
			null, other = "holds", "does not"
		}
		check(t, []verdictCase{
			{looseSchema, `args.x == null`, args, null}, {looseSchema, `null == args.x`, args, null},
			{looseSchema, `args.x != null`, args, other}, {looseSchema, `null != args.x`, args, other},
			{looseSchema, `!(args.x == null)`, args, other},
			{looseSchema, `args["x"] == null`, args, null},
		})
	}
	check(t, []verdictCase{
		{looseSchema, `args.x == null`, `{}`, "error"},
		{looseSchema, `null == null && !(null != null)`, `{}`, "holds"},
		{looseSchema, `args.x == args.y`, `{"x": null, "y": null}`, "holds"},
		{looseSchema, `args.x == null || args.x != 'bad'`, `{"x": null}`, "holds"},
		{looseSchema, `args.x == null || args.x != 'bad'`, `{"x": "good"}`, "holds"},
		{looseSchema, `args.x.exists(e, e == null)`, `{"x": [1, null]}`, "holds"},
		{looseSchema, `args.x < null`, `{"x": null}`, "error"},
		{issueSchema, `args.note != 'bad'`, `{"note": null}`, "error"},
		{issueSchema, `args.note == null || args.note != 'bad'`, `{"note": null}`, "holds"},
		{issueSchema, `args.due <= 5`, `{"due": null}`, "error"},
		{issueSchema, `args.reviewer == null`, `{"reviewer": {}}`, "does not"},
		{issueSchema, `args.author == null`, `{"author": null}`, "error"}, // the schema says it is an object
		{`{"properties": {"l": {"type": ["array", "null"], "items": {"type": "string"}}}}`, `args.l == null || args.l.all(e, e != 'x')`, `{"l": null}`, "holds"},
		{`{"properties": {"l": {"type": ["array", "null"], "items": {"type": "string"}}}}`, `args.l == null || args.l.all(e, e != 'x')`, `{"l": ["x"]}`, "does not"},
		{`{"properties": {"l": {"type": ["array", "null"], "items": {"type": "string"}}}}`, `args.l.all(e, e != 'x')`, `{"l": null}`, "error"},
		{`{"properties": {"l": {"type": ["array", "null"], "items": {"type": "string"}}}}`, `size(args.l) < 3`, `{"l": null}`, "error"},
	})
}

// What is done to a string is done to nothing else.
func TestFunctionsTakeOneKind(t *testing.T) {
	for _, expr := range []string{
		`args.x.startsWith('b')`, `!args.x.startsWith('b')`, `!args.x.endsWith('d')`, `!args.x.contains('a')`, `!args.x.matches('bad')`,
		`!matches(args.x, 'bad')`, `args.x.lowerAscii() != 'bad'`, `args.x.upperAscii() != 'bad'`, `args.x.trim() != 'bad'`,
		`args.x.reverse() != 'dab'`, `args.x.substring(0) != 'bad'`, `args.x.charAt(0) != 'b'`, `args.x.split('') != ['b']`,
		`strings.quote(args.x) != 'bad'`, `bytes(args.x) != b'bad'`, `!('bad'.contains(args.x))`, `args.x.startsWith('b') || true`,
		`timestamp(args.x) != timestamp('2026-01-01T00:00:00Z')`, `duration(args.x) != duration('1s')`,
	} {
		for kind, value := range kindValues {
			if kind == "string" || kind == "int" && strings.HasPrefix(expr, "timestamp") {
				continue
			}
			if got := verdict(t, looseSchema, expr, `{"x": `+value+`}`); got != "error" {
				t.Errorf("%s with %s: %s", expr, value, got)
			}
		}
	}
	for _, expr := range []string{
		`args.x.all(e, e != 'bad')`, `!args.x.exists(e, e == 'bad')`, `!args.x.exists_one(e, e == 'bad')`, `args.x.map(e, e) != ['bad']`,
		`args.x.filter(e, e == 'bad') == []`, `!('bad' in args.x)`, `!sets.intersects(args.x, ['bad'])`, `!sets.contains(['x'], args.x)`, `args.x[0] != 'bad'`,
	} {
		for kind, value := range kindValues {
			if got := verdict(t, looseSchema, expr, `{"x": `+value+`}`); got == "error" == (kind == "list") {
				t.Errorf("%s with %s: %s", expr, value, got)
			}
		}
	}
	for _, expr := range []string{`args.x || false`, `false || args.x`, `!args.x`, `args.x ? true : true`, `args.x && true`, `true && args.x`} {
		for kind, value := range kindValues {
			if got := verdict(t, looseSchema, expr, `{"x": `+value+`}`); got == "error" == (kind == "bool") {
				t.Errorf("%s with %s: %s", expr, value, got)
			}
		}
	}
	for _, expr := range []string{`has(args.x.text)`, `!has(args.x.text)`, `!has(args.x["text"])`, `args.x.text != 1`, `args.x["text"] != 1`} {
		for kind, value := range kindValues {
			if got := verdict(t, looseSchema, expr, `{"x": `+value+`}`); got == "error" == (kind == "map") {
				t.Errorf("%s with %s: %s", expr, value, got)
			}
		}
	}
}

// Where a comparison came out false, a kind that does not compare is still an error: the answer
// must not hang on the order of an object's fields.
func TestDifferentKindsCountForMoreThanDifferentValues(t *testing.T) {
	for range 50 { // the order is another every time
		check(t, []verdictCase{
			{looseSchema, `args.x != {'a': 1, 'b': 2, 'c': 'x'}`, `{"x": {"a": 2, "b": 3, "c": 5}}`, "error"},
			{looseSchema, `args.x != ['a', 1]`, `{"x": ["b", "1"]}`, "error"},
			{looseSchema, `'a' in args.x`, `{"x": ["a", 5]}`, "error"},
			{looseSchema, `'a' in args.x`, `{"x": [5, "a"]}`, "error"},
			{looseSchema, `args.x != {1: 'a'}`, `{"x": {"1": "a"}}`, "error"},
			{looseSchema, `args.x != {'a': 1}`, `{"x": {"b": 1}}`, "holds"},
			{looseSchema, `args.x != ['a']`, `{"x": ["a", 5]}`, "holds"},
		})
	}
}

func TestWhatCanNotHoldDoesNotCompile(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`args.ratio <= 0.10000000000000000001`, "at character 15: the number has more digits than a double keeps, which would make it 0.1"},
		{`'ü' == args.title && args.ratio <= -9007199254740993.0`, "at character 36: the number has more digits"},
		{`args.labels.all(l, args.ratio < 0.3000000000000000001)`, "at character 33: the number has more digits"},
		{`sets.equivalent([0.1000000000000000055], [0.1])`, "at character 18: the number has more digits"},
		{`args.ratio != 1e-400`, "the number has more digits than a double keeps, which would make it 0"},
		{`args.ratio <= 1e400`, "invalid double literal"},
		{`args.n <= 9223372036854775808`, "invalid int literal"},
		{`args.any in [1, 'a']`, "at character 10: the list has values of several kinds, number and string"},
		{`!(args.note in ['a', null])`, "the list has null beside other values: write x == null || x in […]"},
		{`sets.contains([1, 'a'], args.any)`, "several kinds"},
		{`null in args.any`, "write x.exists(e, e == null)"},
		{`args.n == null`, "at character 8: it is never null: the schema says it is of type int"},
		{`args.title != null`, "it is never null"},
		{`size(args.any) <= 5`, "for a string write size(string(x))"},
		{`args.any.size() <= 5`, "for a string write size(string(x))"},
		{`args.any.all(e, size(e) <= 5)`, "for a string write size(string(x))"},
		{`duration(args.title).getHours() <= 1`, "getHours does not take duration"},
		{`args.ratio == 5`, "== does not take (double, int): a double is written 5.0, or made by double(x)"},
		{`(args.dry ? null : 'x') != 'x'`, "at character 11: ? : does not take (bool, null, string)"},
		{`args.ratio < 1.5.x`, "type 'double' does not support field selection"},
		{`args.note == 5`, "== does not take (string or null, int)"},
		{`args.author == 'x'`, "== does not take (object, string)"},
		{`args.?title == optional.none()`, "unsupported syntax '.?'"},
		{`args[?'title'] == optional.none()`, "unsupported syntax '[?'"},
		{`optional.of(1) == optional.of(1)`, "undeclared reference"},
	} {
		_, err := Compile(c.expr, json.RawMessage(issueSchema))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "compiling the rule ") {
			t.Errorf("%s:\n got %v\nwant …%s…", c.expr, err, c.want)
		}
	}
	for expr, args := range map[string]string{
		`args.ratio <= 0.1 && args.ratio > - 1.5e0`:              `{"ratio": 0.05}`,
		`args.ratio < 100000.0 && args.ratio > .05`:              `{"ratio": 0.1}`,
		`args.any in [1, 2.5, 3u]`:                               `{"any": 3}`,
		`size(string(args.any)) <= 5`:                            `{"any": "text"}`,
		`type(args.any) == string && size(string(args.any)) < 5`: `{"any": "text"}`,
	} {
		if got := verdict(t, issueSchema, expr, args); got != "holds" {
			t.Errorf("%s over %s: %s", expr, args, got)
		}
	}
}

func isNumberKind(kind string) bool { return kind == "int" || kind == "double" }
