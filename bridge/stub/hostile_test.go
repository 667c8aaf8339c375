package stub

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// repeat writes n objects or the like, "%[1]d" being the number and "%[2]d" the
// next one.
func repeat(format string, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i, i+1)
	}
	return strings.Join(parts, ",")
}

// hostileSchemas would take for ever, or all memory, if they were followed.
func hostileSchemas() map[string]string {
	deep := func(open, shut string, n int) string { return strings.Repeat(open, n) + `{}` + strings.Repeat(shut, n) }
	return map[string]string{
		"doubling references": `{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` +
			repeat(`"d%[1]d":{"anyOf":[{"$ref":"#/$defs/d%[2]d"},{"type":"array","items":{"$ref":"#/$defs/d%[2]d"}}]}`, 40) + `}}`,
		"doubling properties": `{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` +
			repeat(`"d%[1]d":{"properties":{"x":{"$ref":"#/$defs/d%[2]d"},"y":{"$ref":"#/$defs/d%[2]d"}}}`, 40) + `}}`,
		"doubling allOf": `{"$ref":"#/$defs/d0","$defs":{` +
			repeat(`"d%[1]d":{"allOf":[{"$ref":"#/$defs/d%[2]d"},{"properties":{"p%[1]d":{"allOf":[{"$ref":"#/$defs/d%[2]d"}]}}}]}`, 40) + `}}`,
		"wide and deep": `{"properties":{"a":` + func() string {
			s := `{"type":"string"}`
			for range 5 {
				s = `{"type":"object","properties":{` + strings.ReplaceAll(repeat(`"p%[1]d":@`, 7), "@", s) + `}}`
			}
			return s
		}() + `}}`,
		"itself everywhere":      `{"properties":{"a":{"$ref":"#"},"b":{"anyOf":[{"$ref":"#"},{"$ref":"#/properties/b"}]}},"additionalProperties":{"$ref":"#"},"allOf":[{"$ref":"#"}]}`,
		"thousands of deep ones": `{"properties":{"a":` + deep(`{"properties":{"a":`, `}}`, 4_000) + `}}`,
		"deep in place":          `{"properties":{"a":` + deep(`{"anyOf":[`, `]}`, 4_000) + `}}`,
		"deep items":             `{"properties":{"a":` + deep(`{"items":`, `}`, 9_000) + `}}`,
		"many parameters":        `{"properties":{` + repeat(`"parameter%[1]d":{"type":"string","description":"x"}`, 10_000) + `}}`,
		"many required":          `{"required":[` + repeat(`"%[1]d"`, 20_000) + `]}`,
		"a long enum":            `{"properties":{"a":{"enum":[` + repeat(`%[1]d`, 50_000) + `]},"b":{"type":"string"}}}`,
		"many alternatives":      `{"properties":{"a":{"anyOf":[` + repeat(`{"const":%[1]d}`, 20_000) + `]}}}`,
		"many groups":            `{"allOf":[` + repeat(`{"anyOf":[{"properties":{"p%[1]d":{"type":"string"}}}]}`, 10_000) + `]}`,
		"long names":             `{"properties":{` + repeat(`"`+strings.Repeat("\\u202e", 60)+`%[1]d":{"default":"`+strings.Repeat(`\"`, 60)+`"}`, 400) + `}}`,
		"long pointers":          `{"properties":{` + repeat(`"p%[1]d":{"$ref":"#`+strings.Repeat("/a", 2_000)+`"}`, 200) + `}}`,
		"many anchors":           `{"properties":{` + repeat(`"p%[1]d":{"$ref":"#a"}`, 5_000) + `},"$defs":{` + repeat(`"d%[1]d":{"$anchor":"b"}`, 10_000) + `}}`,
		"a large default":        `{"properties":{"a":{"default":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}}}`,
	}
}

// Whatever the schema, a stub comes out, and it is small. That this test ends is
// the other half of its promise.
func TestHostileSchemasRenderBounded(t *testing.T) {
	for name, schema := range hostileSchemas() {
		t.Run(name, func(t *testing.T) {
			tool := Tool{Server: "evil", Name: "f", Input: json.RawMessage(schema), Output: json.RawMessage(schema)}
			list := entries(t, []Tool{tool}, false)
			checkText(t, list[0].Stub)
			if again := entries(t, []Tool{tool}, false); again[0] != list[0] {
				t.Error("other bytes the second time")
			}
		})
	}
}

// checkText checks what CPython would find, without asking it: one function
// whose docstring ends where the stub does.
func checkText(t *testing.T, text string) {
	t.Helper()
	if len(text) > MaxStub {
		t.Errorf("%d bytes", len(text))
	}
	if !utf8.ValidString(text) {
		t.Errorf("not UTF-8: %q", text)
	}
	for _, r := range text {
		if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
			t.Errorf("%U in %q", r, text)
		}
	}
	head, rest, ok := strings.Cut(text, "\n    \"\"\"\n")
	if !ok || strings.Contains(head, "\n") {
		t.Fatalf("no head: %q", text)
	}
	body, ok := strings.CutSuffix(rest, "\n    \"\"\"")
	if !ok {
		t.Fatalf("no end: %q", text)
	}
	for i := 0; i < len(body); i++ {
		if body[i] == '\\' {
			if i++; i == len(body) || body[i] != '\\' && body[i] != '"' {
				t.Fatalf("a backslash alone in %q", body)
			}
		} else if strings.HasPrefix(body[i:], quotes) {
			t.Fatalf("the docstring ends early in %q", body)
		}
	}
	for _, line := range strings.Split(body, "\n") {
		if line != "" && !strings.HasPrefix(line, indent) {
			t.Fatalf("a line without indentation in %q", body)
		}
	}
}

// pieces are what text is made of that wants to break out of a docstring.
var pieces = []string{
	`"`, `""`, `"""`, `""""`, `\`, `\\`, `\"`, `\N{DIGIT ONE}`, `\x`, `\u12`, `\`, "'", "'''", "\n", "\r", "\r\n", "\t", "\f", "\v", "\x00", "\x1b[31m",
	"\u2028", "\u2029", "\u0085", "\u202e", "\u2066", "\u200b", "\ufeff", "\u00ad", "\ufe0f", "\U000e0041", "\ud7ff", "\ufffe", "\xff", "\xed\xa0\x80",
	"\u3000", "\u00a0", "é", "日本", "😀", "#", "{", "}", "%s", ":", "    ", "import os\n", `"""` + "\n\nasync def g(params: dict) -> str:\n    \"\"\"",
	"params: x: int", "returns: ", "[private]", "[...]", "x", strings.Repeat("y", 100), strings.Repeat("z\n", 50), strings.Repeat(`\"`, 500),
}

func hostileText(r *rand.Rand) string {
	var b strings.Builder
	for range r.Intn(12) {
		b.WriteString(pieces[r.Intn(len(pieces))])
	}
	return b.String()
}

// CPython compiles stubs whose every text wants to break out, and finds in them
// the functions that should be there and nothing else.
func TestHostileTextStaysInTheDocstring(t *testing.T) {
	const seed, stubs = 7, 600
	r := rand.New(rand.NewSource(seed))
	var tools []Tool
	for range stubs {
		text := func() string { return hostileText(r) }
		schema := map[string]any{"properties": map[string]any{
			text(): map[string]any{"description": text(), "default": text(), "type": text()},
			text(): map[string]any{"enum": []any{text(), map[string]any{text(): text()}}, "description": text()},
			"n":    map[string]any{"properties": map[string]any{text(): map[string]any{"const": text()}}},
		}, "required": []any{text()}}
		raw, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, Tool{Server: "evil", Name: text(), Description: text(), Input: raw, Output: raw, Private: r.Intn(2) == 0})
	}
	list := entries(t, tools, false)
	for _, e := range list {
		checkText(t, e.Stub)
		if strings.ContainsFunc(e.Summary, unseen) || !utf8.ValidString(e.Summary) {
			t.Errorf("summary %q", e.Summary)
		}
	}
	checkModule(t, list)
}

// The docstring means to Python what the server wrote.
func TestDocstringIsTheDescription(t *testing.T) {
	const description = `Match "\d+" or """x""" in C:\new\users.` + "\n  Indented \\\n\n'''"
	list := entries(t, []Tool{{Name: "f", Description: description, Input: json.RawMessage(`{"properties":{"a\"\\b":{}}}`)}}, false)
	const want = "\n    Match \"\\d+\" or \"\"\"x\"\"\" in C:\\new\\users.\n      Indented \\\n\n    '''" +
		"\n\n    params: 'a\"\\\\b'?: Any\n    "
	if got := checkModule(t, list)["f"]; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestLongDescriptionIsCut(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		cut  bool
	}{
		"fits":         {strings.Repeat("x", MaxDescription), false},
		"one too long": {strings.Repeat("x", MaxDescription+1), true},
		"characters":   {strings.Repeat("日", MaxDescription), true},
		"lines":        {strings.Repeat("a\n", MaxDescription), true},
		"backslashes":  {strings.Repeat(`\`, MaxDescription), true},
		"quotes":       {strings.Repeat(`"`, MaxDescription), true},
		"huge":         {strings.Repeat("word ", 2<<20), true},
		"huge, unseen": {"seen" + strings.Repeat("\u200b", 4<<20), true},
	} {
		text, err := Render(Tool{Description: test.text, Input: json.RawMessage(`{"properties":{}}`)}, "f")
		if err != nil {
			t.Fatal(err)
		}
		checkText(t, text)
		body, _, _ := strings.Cut(text, "\n\n    params: none")
		body = strings.TrimPrefix(body, "async def f(params: dict) -> str:\n    \"\"\"\n    ")
		if len(body) > MaxDescription || strings.HasSuffix(body, cutMark) != test.cut || len(body) < 4 {
			t.Errorf("%s: %d bytes, ending in %q", name, len(body), body[max(0, len(body)-20):])
		}
	}
}

// Arbitrary bytes as description, schema and parameter name.
func FuzzStub(f *testing.F) {
	f.Add(`"""`, `\`, []byte(`{"properties":{"a":{"type":"string"}}}`))
	f.Add("x\u2028y", "from", []byte(`{"anyOf":[{"$ref":"#"}],"additionalProperties":true}`))
	for _, schema := range hostileSchemas() {
		if len(schema) < 1<<12 {
			f.Add("d", "p", []byte(schema))
		}
	}
	f.Fuzz(func(t *testing.T, description, parameter string, schema []byte) {
		named, err := json.Marshal(map[string]any{"properties": map[string]any{parameter: map[string]any{"description": description, "default": parameter}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, input := range [][]byte{schema, named} {
			tool := Tool{Name: parameter, Description: description, Input: input, Output: schema, Private: true}
			text, err := Render(tool, "f")
			if err != nil {
				continue
			}
			checkText(t, text)
			if s := Summary(tool, "f"); len(s) > MaxSummary || strings.ContainsFunc(s, unseen) || !utf8.ValidString(s) {
				t.Errorf("summary %q", s)
			}
		}
	})
}
