package celrule

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

func TestRulesThatCannotBeMeantDoNotCompile(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`args.titel == 'x'`, "undefined field 'titel'; there are the fields: any, author, dry"},
		{`args["filter_query"] == 'x'`, "undefined field 'filter_query'"},
		{`has(args.titel)`, "undefined field 'titel'"},
		{`args.author.nmae == 'x'`, "undefined field 'nmae'; there are the fields: boss, name"},
		{`args.rows.all(r, r.prize > 1.0)`, "undefined field 'prize'; there are the fields: count, price"},
		{`tool.nmae == 'x'`, "undefined field 'nmae'"},
		{`session.lables == []`, "undefined field 'lables'"},
		{`args.n == 'x'`, "at character 8: == does not take (int, string)"},
		{`args.title <= 5`, "<= does not take (string, int)"},
		{`args.priority == 1`, "== does not take (string, int)"},
		{`args.dry || args.n`, "expected type 'bool' but found 'int'"},
		{`args.n`, "it must be true or false, and is of type int"},
		{`args.any`, "it must be true or false, and is of type dyn"},
		{`args.meta.all(k, k != 'x')`, "take a list and not map(string, int)"},
		{`{'a': 1}.exists(k, k == 'a')`, "take a list and not map(string, int)"},
		{`args.author.all(k, true)`, "take a list and not object"},
		{`args.title.all(k, true)`, "take a list and not string"},
		{`arg.title == 'x'`, "undeclared reference to 'arg'"},
		{`args.title ==`, "at character 14: the rule ends too early"},
		{``, "at character 1: the rule ends too early"},
		{`args.title.matches('(')`, "missing closing )"},
		{`args.title.matches('(a{1000}){1000}')`, "invalid repeat count"},
		{`has(args)`, "has() takes a field"},
		{`sets.contains(args.meta, args.labels)`, "take a list"},
		{`sets.union(args.labels, args.labels) == []`, "undeclared reference"},

		// What these cost is a product of what they are given.
		{`args.title.replace('', args.note) == ''`, "replace() is not for rules"},
		{`args.labels.join(args.title) == ''`, "join() is not for rules"},
		{`args.title.indexOf(args.from) < 0`, "indexOf() is not for rules"},
		{`args.title.lastIndexOf(args.from) < 0`, "lastIndexOf() is not for rules"},
		{`args.rows.all(r, '%s'.format([args.title]) == '')`, "format() is not for rules"},
		{strings.Repeat("(", 400) + "true" + strings.Repeat(")", 400), "recursion"},
		{`true` + strings.Repeat(" ", maxText), "size"},
	} {
		_, err := Compile(c.expr, json.RawMessage(issueSchema))
		if err == nil {
			t.Errorf("%.60s: compiles, want %q", c.expr, c.want)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "compiling the rule ") {
			t.Errorf("%.60s:\n got %v\nwant …%s…", c.expr, err, c.want)
		}
	}
}

func TestTypesComeFromTheSchema(t *testing.T) {
	for _, c := range []struct{ schema, fine, wrong string }{
		{``, `tool.name == ''`, `args.x == 1`},
		{`{"type": "object", "properties": {}}`, `true`, `args.x == 1`},
		{`{"type": "object"}`, `args.x == 1 || args.x == 'y'`, ``},
		{`{"type": "object", "additionalProperties": true}`, `args.x == 1 || args.x == 'y'`, ``},
		{`{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {}}`, `args.x == 1`, `args.a == 1`},
		{`{"type": "object", "properties": {"a": {"type": "string"}}, "patternProperties": {"^x": {}}}`, `args.x == 1`, `args.a == 1`},
		{`{"properties": {"a": {"type": "string"}}}`, `args.a == ''`, `args.b == ''`},
		{`{"type": ["object", "null"], "properties": {"a": {"type": "string"}}}`, `args.a == ''`, `args.b == ''`},
		{`{"$ref": "#/$defs/in", "$defs": {"in": {"type": "object", "properties": {"a": {"type": "string"}}}}}`, `args.a == ''`, `args.b == ''`},
		{`{"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "integer"}}}]}`, `args.a == '' && args.b == 1`, `args.c == ''`},
		{`{"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "object", "properties": {"b": {"type": "string"}}}]}`, `has(args.a) || args.b == 1`, ``},
		{`{"properties": {"a": {"allOf": [{"$ref": "#/$defs/s"}], "description": "x"}}, "$defs": {"s": {"type": "string"}}}`, `args.a == ''`, `args.a == 1`},
		{`{"properties": {"a": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}}`, `args.a == '' || args.a == 1`, ``},
		{`{"properties": {"a": {"enum": [1, 2]}, "b": {"const": "x"}, "c": {"enum": [true, null]}, "d": {"enum": [1, "x"]}}}`, `args.a == 1 && args.b == 'x' && args.c && args.d == 'x'`, `args.b == 1`},
		{`{"properties": {"a": {"$ref": "#/properties/b"}, "b": {"type": "string"}}}`, `args.a == ''`, `args.a == 1`},
		{`{"properties": {"a/b": {"type": "string"}, "c": {"$ref": "#/properties/a~1b"}}}`, `args.c == ''`, `args.c == 1`},
		{`{"properties": {"a": {"$ref": "https://elsewhere.test/s.json"}}}`, `args.a == 1 || args.a == ''`, ``},
		{`{"properties": {"a": {"type": "array", "prefixItems": [{"type": "string"}]}}}`, `args.a[0] == 1`, `args.a == 1`},
		{`{"properties": {"a": {"type": ["array", "null"], "items": {"type": "string"}}}}`, `args.a == null || size(args.a) < 5`, ``},
		{`{"properties": {"a": true, "b": false}}`, `args.a == 1 && args.b == ''`, `args.c == 1`},
		// Schemas that lead nowhere end, and say nothing.
		{`{"properties": {}, "$ref": "#"}`, `true`, `args.x == 1`},
		{`{"properties": {"a": {"$ref": "#/properties/a"}}}`, `args.a == 1 || args.a == ''`, ``},
		{`{"properties": {"l": {"$ref": "#/$defs/l"}}, "$defs": {"l": {"type": "array", "items": {"$ref": "#/$defs/l"}}}}`, `size(args.l[0][0][0]) == 0`, `args.l == 1`},
		{`{"properties": {"a": {"allOf": [{"$ref": "#/properties/a"}, {"$ref": "#/properties/a"}]}}}`, `args.a == 1`, ``},
		{`{"properties": {"a": {"type": "string", "nullable": true}, "b": {"type": "number", "allOf": [{"type": "integer"}]}}}`, `args.a == null && args.b == 1`, `args.a == 1`},
		{`{"properties": {"a": {}}, "required": ["r"], "if": {}, "then": {"properties": {"t": {"type": "string"}}}}`, `args.r == 1 && args.t == 1`, `args.x == 1`},
		{`{"type": 5, "properties": []}`, `true`, `args.x == 1`},
	} {
		if _, err := Compile(c.fine, json.RawMessage(c.schema)); err != nil {
			t.Errorf("%s: %v", c.schema, err)
		}
		if c.wrong == "" {
			continue
		}
		if _, err := Compile(c.wrong, json.RawMessage(c.schema)); err == nil {
			t.Errorf("%s: %s compiles", c.schema, c.wrong)
		}
	}
	if _, err := Compile("true", json.RawMessage(`{`)); err == nil {
		t.Error("a schema that is no JSON compiles")
	}
}

// What is wrong with the way a rule is written is said once, in words that need no grammar of CEL,
// and with the place.
func TestSyntaxErrorsSayWhatIsWrongAndWhere(t *testing.T) {
	for expr, want := range map[string]string{
		`args.title ==`:                   "at character 14: the rule ends too early: a value or a closing bracket is missing",
		`(args.dry`:                       "at character 10: the rule ends too early: a value or a closing bracket is missing",
		`args.n = 5`:                      `at character 8: "=" is not CEL: write ==`,
		`args.dry and args.n > 5`:         `at character 10: "and" is not CEL: write &&`,
		`args.dry or args.n > 5`:          `at character 10: "or" is not CEL: write ||`,
		`args.dry & args.dry`:             `at character 10: "&" is not CEL: write &&`,
		`args.dry | args.dry`:             `at character 10: "|" is not CEL: write ||`,
		`not args.dry`:                    `at character 5: "args" can not stand here`,
		`args.title == 'abc`:              "at character 15: a string begins here that does not end, or has an escape that CEL does not have",
		`args.title == "abc`:              "at character 15: a string begins here that does not end, or has an escape that CEL does not have",
		`args.dry)`:                       `at character 9: ")" can not stand here`,
		`args.n > 5 args.n < 7`:           `at character 12: "args" can not stand here`,
		"args.n >\n  * 5":                 `at line 2, character 3: "*" can not stand here`,
		`args.ratio < 1.5.5`:              `at character 17: ".5" can not stand here`,
		`args.in == 5`:                    `at character 6: "in" is a word of CEL's own: write ["in"]`,
		`args.n # 5`:                      `at character 8: "#" can not stand here`,
		`'ü' == args.title && args.n =>5`: `at character 29: "=>" is not CEL: write >=`,
	} {
		_, err := Compile(expr, json.RawMessage(issueSchema))
		if err == nil || err.Error() != "compiling the rule "+strconv.Quote(expr)+": "+want {
			t.Errorf("%s:\n got %v\nwant %s", expr, err, want)
		}
	}
}
