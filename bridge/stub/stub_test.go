package stub

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares text with a file of testdata/golden.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("../../testdata/golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("%s (write it anew with -update, and read what changed):\n%s", name, diff)
	}
}

type list struct {
	server string
	tools  []Tool
}

// realTools reads the tools/list answers of real servers.
func realTools(t testing.TB) []list {
	files, err := filepath.Glob("../../testdata/toollists/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tool lists: %v", err)
	}
	var lists []list
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Tools []struct {
				Name, Description         string
				InputSchema, OutputSchema json.RawMessage
			}
		}
		if err := json.Unmarshal(data, &answer); err != nil {
			t.Fatal(err)
		}
		l := list{server: strings.TrimSuffix(filepath.Base(file), ".json")}
		for _, tool := range answer.Tools {
			l.tools = append(l.tools, Tool{
				Server: l.server, Name: tool.Name, Description: tool.Description,
				Input: tool.InputSchema, Output: tool.OutputSchema,
			})
		}
		lists = append(lists, l)
	}
	return lists
}

// entries renders tools and checks what holds for every entry.
func entries(t testing.TB, tools []Tool, prefix bool) []Entry {
	t.Helper()
	names, _, err := Names(tools, prefix)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]Entry, len(tools))
	for i, tool := range tools {
		text, err := Render(tool, names[i])
		if err != nil {
			t.Fatalf("%s: %v", tool.id(), err)
		}
		list[i] = Entry{Server: tool.Server, Name: names[i], Stub: text, Brief: Brief(tool, names[i]), Summary: Summary(tool, names[i])}
		if len(list[i].Brief) > MaxBrief {
			t.Errorf("%s: a brief stub of %d bytes", tool.id(), len(list[i].Brief))
		}
		if len(text) > MaxStub {
			t.Errorf("%s: a stub of %d bytes", tool.id(), len(text))
		}
		if s := list[i].Summary; len(s) > MaxSummary || strings.ContainsAny(s, "\n\r") {
			t.Errorf("%s: summary %q", tool.id(), s)
		}
	}
	return list
}

// The stubs of every tool of every real server, as CPython reads them and as
// people reviewed them.
func TestStubsOfRealServers(t *testing.T) {
	for _, l := range realTools(t) {
		t.Run(l.server, func(t *testing.T) {
			list := entries(t, l.tools, false)
			golden(t, "stub-"+l.server+".py", Module(list))
			checkModule(t, list)
			if again := entries(t, l.tools, false); !slices.Equal(list, again) {
				t.Error("the same tools gave other bytes")
			}
		})
	}
}

// All of them at once do not fit into a description: their names do, and lines in part.
func TestDescriptionOfRealServers(t *testing.T) {
	const max = 12_000
	var all []Entry
	for _, l := range realTools(t) {
		all = append(all, entries(t, l.tools, true)...)
	}
	text := Describe(Listing{Intro: "Runs Python.", Entries: all, Max: max})
	if len(text) > max || len(text) < max-MaxSummary-200 {
		t.Errorf("%d bytes", len(text))
	}
	golden(t, "stub-description.txt", text)
	search := Describe(Listing{Intro: "Runs Python.", Entries: all, Max: max, Detail: DetailSearch})
	if len(search) > MaxSearch {
		t.Errorf("%d bytes to say how to search", len(search))
	}
	golden(t, "stub-search.txt", search)
	for _, l := range realTools(t) {
		for _, text := range []string{text, search} {
			if !strings.Contains(text, l.server) && !strings.Contains(text, identifier(l.server)+"__") {
				t.Errorf("nothing says that there is %s in\n%s", l.server, text)
			}
		}
	}
}

func TestStubHasTheFormOfTheContract(t *testing.T) {
	const sum = `{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]}`
	add := Tool{
		Server: "toy", Name: "add", Description: "Add two integers.",
		Input:  json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}`),
		Output: json.RawMessage(sum),
	}
	const want = `async def add(params: dict) -> dict:
    """
    Add two integers.

    params: a: int, b: int
    returns: sum: int
    """`
	got, err := Render(add, "add")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	create := Tool{
		Name: "create_issue", Description: "File an issue. It is open at first.", Private: true,
		Input: json.RawMessage(`{"type":"object","properties":{"title":{},"body":{}}}`),
	}
	if got, want := Summary(create, "create_issue"), "create_issue(title?: Any, body?: Any) [private]: File an issue."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, _ := Render(create, "create_issue"); !strings.Contains(got, "\n    [private] File an issue. It is open at first.\n") {
		t.Errorf("not marked as private:\n%s", got)
	}
	if got, want := Summary(Tool{Private: true}, "x"), "x(...) [private]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTypes(t *testing.T) {
	for _, test := range []struct{ name, schema, want string }{
		{"none", `{"type":"object","properties":{}}`, `none`},
		{"any", `{"type":"object"}`, `**arguments`},
		{"the order of the document, required ones first", `{"properties":{"z":{},"b":{},"a":{}},"required":["a","b"]}`, `b: Any, a: Any, z?: Any`},
		{"plain types", `{"properties":{"s":{"type":"string"},"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},"x":{"type":"null"}}}`,
			`s?: str, i?: int, n?: float, b?: bool, x?: None`},
		{"containers", `{"properties":{"l":{"type":"array","items":{"type":"string"}},"m":{"type":"array"},"d":{"type":"object"},"e":{"additionalProperties":{"type":"integer"}},"o":{"type":"object","properties":{"k":{"type":"string"}},"required":["k"]}}}`,
			`l?: list[str], m?: list, d?: dict, e?: dict[str, int], o?: {k: str}`},
		{"tuples of both kinds", `{"properties":{"t":{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":false},"u":{"items":[{"type":"string"}],"additionalItems":{"type":"integer"}}}}`,
			`t?: [str, int], u?: [str, *int]`},
		{"defaults", `{"properties":{"a":{"type":"integer","default":5},"b":{"default":"x"},"c":{"default":[1,{"k":null}]},"d":{"default":true},"e":{"default":{"a":[[[[1]]]]}}}}`,
			`a?: int = 5, b?: Any = "x", c?: Any = [1, {"k": None}], d?: Any = True, e?: Any = {"a": [[[...]]]}`},
		{"a long default", `{"properties":{"a":{"default":"` + strings.Repeat("x", 99) + `"},"b":{"default":[1,2,3,4,5,6,7,8,9]}}}`,
			`a?: Any = "` + strings.Repeat("x", 40) + `"..., b?: Any = [...]`},
		{"numbers as they are written", `{"properties":{"a":{"default":123456789012345678901234567890},"b":{"default":1.10}}}`,
			`a?: Any = 123456789012345678901234567890, b?: Any = 1.10`},
		{"enum and const", `{"properties":{"a":{"enum":["low","normal",1,null,true]},"b":{"const":"x"}}}`,
			`a?: "low" | "normal" | 1 | None | True, b?: "x"`},
		{"unions", `{"properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"string"}]},"c":{"type":"string","nullable":true},"d":{"oneOf":[{"type":"string"},{}]}}}`,
			`a?: str | None, b?: str | int, c?: str | None, d?: Any`},
		{"alternatives of an object", `{"properties":{"a":{"type":"object","properties":{"k":{}},"anyOf":[{"properties":{"x":{"type":"string"}},"required":["x"]},{"properties":{"y":{}}}]}}}`,
			`a?: {k?: Any} & ({x: str} | {y?: Any})`},
		{"alternatives that only require", `{"properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `a?: Any, b?: Any, ({a: Any} | {b: Any})`},
		{"allOf", `{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"$ref":"#/$defs/b"}],"$defs":{"b":{"properties":{"b":{"allOf":[{"type":["integer","string"]},{"type":"integer"}]}}}}}`,
			`a: str, b?: int`},
		{"references", `{"properties":{"a":{"$ref":"#/$defs/x~1y"},"b":{"$ref":"#/definitions/z%20"},"c":{"$ref":"#/properties/a"},"d":{"$ref":"#here"},"e":{"$ref":"#/$defs/list/prefixItems/0"}},
			"$defs":{"x/y":{"type":"integer"},"h":{"$anchor":"here","type":"boolean"},"list":{"prefixItems":[{"type":"null"}]}},"definitions":{"z ":{"type":"string"}}}`,
			`a?: int, b?: str, c?: int, d?: bool, e?: None`},
		{"references out of the document", `{"properties":{"a":{"$ref":"https://example.com/x"},"b":{"$ref":"file:///etc/passwd"},"c":{"$ref":"#/nowhere"},"d":{"$ref":"#/properties/9"}}}`,
			`a?: Any, b?: Any, c?: Any, d?: Any`},
		{"recursion", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/n"},"all":{"type":"array","items":{"$ref":"#/$defs/n"}}}}}}`,
			`v?: int, next?: dict, all?: list[dict]`},
		{"recursion in place", `{"properties":{"a":{"$ref":"#/properties/a"},"b":{"anyOf":[{"$ref":"#/properties/b"},{"type":"string"}]}}}`, `a?: Any, b?: Any`},
		{"five levels", `{"properties":{"a":` + strings.Repeat(`{"type":"object","properties":{"a":`, 7) + `{}` + strings.Repeat(`}}`, 7) + `}}`,
			`a?: {a?: {a?: {a?: {a?: {a?: dict}}}}}`},
		{"boolean schemas", `{"properties":{"a":true,"b":false,"l":{"type":"array","items":true}}}`, `a?: Any, b?: Never, l?: list`},
		{"others allowed", `{"properties":{"a":{}},"additionalProperties":{"type":"string"}}`, `a?: Any, **other: str`},
		{"others by pattern", `{"patternProperties":{"^x-":{"type":"integer"}}}`, `**other: int`},
		{"required without a description", `{"required":["b","a"]}`, `a: Any, b: Any, **arguments`},
		{"names that need quotes", `{"properties":{"from":{},"filter-query":{},"$vectorSearch":{},"":{},"a\"b":{},"a'\"":{},"` + strings.Repeat("n", 65) + `":{},"match":{}}}`,
			`"from"?: Any, "filter-query"?: Any, "$vectorSearch"?: Any, ""?: Any, 'a"b'?: Any, "a'\\""?: Any, "` + strings.Repeat("n", 64) + `"...?: Any, match?: Any`},
		{"characters that do not show", `{"properties":{"a\u202eb\u200b\n\u0000\u2028\ufffd\udb40\udc41":{}}}`, `"a\\u202eb\\u200b\\n\\x00\\u2028` + "\ufffd" + `\\U000e0041"?: Any`},
		{"the same key twice", `{"properties":{"a":{"type":"string"},"a":{"type":"integer"}}}`, `a?: int`},
		{"types nobody knows", `{"properties":{"a":{"type":"file"},"b":{"type":7},"c":7,"d":null,"e":{"enum":"x"}}}`, `a?: Any, b?: Any, c?: Any, d?: Any, e?: Any`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Render(Tool{Input: json.RawMessage(test.schema)}, "f")
			if err != nil {
				t.Fatal(err)
			}
			want := "async def f(params: dict) -> str:\n    \"\"\"\n    params: " + test.want + "\n    \"\"\""
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What the stub says a call returns, and what the runner is told, is one thing.
func TestReturns(t *testing.T) {
	const wrapped = `{"type":"object","properties":{"result":%s},"required":["result"],"x-fastmcp-wrap-result":true}`
	for schema, want := range map[string]string{
		``:   "str; ; text ",
		`{}`: "Any; ; any ",
		`{"type":"array","items":{"type":"string"}}`:                     "list; list[str]; array ",
		`{"type":"object"}`:                                              "dict; ; object ",
		`{"type":["object","null"]}`:                                     "dict | None; ; any ",
		`{"properties":{"a":{"type":"string"},"b":{}},"required":["b"]}`: "dict; b: Any, a?: str; object ",
		`not JSON`: "str; ; text ",
		`7`:        "Any; ; any ",

		// Wrapped because structured content has to be an object.
		fmt.Sprintf(wrapped, `{"type":"integer"}`):                                         "int; ; number result",
		fmt.Sprintf(wrapped, `{"type":"number"}`):                                          "float; ; number result",
		fmt.Sprintf(wrapped, `{"type":"boolean"}`):                                         "bool; ; boolean result",
		fmt.Sprintf(wrapped, `{"type":"string"}`):                                          "str; ; string result",
		fmt.Sprintf(wrapped, `{"type":"array","items":{"$ref":"#/$defs/I"}}`):              "list; ; array result",
		fmt.Sprintf(wrapped, `{"anyOf":[{"type":"null"},{"type":"string"}]}`):              "str | None; ; any result",
		fmt.Sprintf(wrapped, `{"enum":["a","b"]}`):                                         `str; "a" | "b"; string result`,
		fmt.Sprintf(wrapped, `{}`):                                                         "Any; ; any result",
		`{"type":"object","properties":{"result":{"type":"array"}},"required":["result"]}`: "list; ; array result",

		// Wrapped round a text.
		`{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}`:           "str; ; string content",
		`{"type":"object","properties":{"connectionId":{"type":"string"}},"required":["connectionId"]}`: "str; connectionId; string connectionId",
		`{"type":"object","properties":{"content":{"type":"string"}}}`:                                  "str; ; string content",

		// No wrapper: the object says something.
		`{"type":"object","properties":{"result":{"type":"array"}}}`:                                                      "dict; result?: list; object ",
		`{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]}`:                                    "dict; sum: int; object ",
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`:                                    "dict; a?: str, b?: str; object ",
		`{"type":"object","properties":{"result":{"type":"string"}},"required":["result"],"additionalProperties":{}}`:     "dict; result: str, **other: Any; object ",
		`{"type":"object","properties":{"a":{"type":"string"}},"oneOf":[{"required":["a"]},{"type":"object"}]}`:           "dict; a?: str, ({a: Any} | dict); object ",
		`{"$ref":"#/$defs/N","$defs":{"N":{"type":"object","properties":{"result":{"$ref":"#"}},"required":["result"]}}}`: "Any; ; any result",
	} {
		text, err := Render(Tool{Input: json.RawMessage(`{}`), Output: json.RawMessage(schema)}, "f")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, rest, ok := strings.Cut(text, "returns: "); ok {
			got, _, _ = strings.Cut(rest, "\n")
		}
		_, annotation, _ := strings.Cut(text, " -> ")
		annotation, _, _ = strings.Cut(annotation, ":")
		is := Facts(Tool{Input: json.RawMessage(`{}`), Output: json.RawMessage(schema)}).Returns
		if got := fmt.Sprintf("%s; %s; %s %s", annotation, got, is.Kind, is.Field); got != want {
			t.Errorf("%s:\n got %q\nwant %q", schema, got, want)
		}
	}
}

func TestParametersAreDescribedShortly(t *testing.T) {
	var properties []string
	for i := range 40 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"type":"string","description":"About %d.\n\n%s"}`, i, i, strings.Repeat("More. ", 300)))
	}
	text, err := Render(Tool{Input: json.RawMessage(`{"properties":{"q":{"$ref":"#/$defs/q"},` + strings.Join(properties, ",") + `},
		"$defs":{"q":{"description":"By   reference."}}}`)}, "f")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n      q: By reference.\n", "\n      p0: About 0. More.", " [...]\n", "\n      ...\n    \"\"\""} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if len(text) > MaxStub {
		t.Errorf("%d bytes", len(text))
	}
}

func TestSchemasThatCanNotBeUsed(t *testing.T) {
	for schema, want := range map[string]string{
		``:                          "there is none",
		`{`:                         "ends too early",
		`{"a":"\ud800"}`:            "not JSON",
		`true`:                      "not a JSON object",
		`[]`:                        "not a JSON object",
		`{"type":"string"}`:         "describes string",
		`{"type":["array","null"]}`: "describes array or null",
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"array"}}}`: "describes array",
		`{"x":"` + strings.Repeat("x", MaxSchema) + `"}`:      "larger than",
		strings.Repeat("[", 20_000):                           "too deep",
	} {
		_, err := Render(Tool{Input: json.RawMessage(schema)}, "f")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", cut.Marked(schema, 50, cutMark), err)
		}
		if got := Summary(Tool{Input: json.RawMessage(schema), Description: "Does it."}, "f"); got != "f(...): Does it." {
			t.Errorf("%s: summary %q", cut.Marked(schema, 50, cutMark), got)
		}
	}
	for _, name := range []string{"", "a b", "1a", "def", "f():\n    pass", strings.Repeat("a", MaxName+1), "é"} {
		if _, err := Render(Tool{Input: json.RawMessage(`{}`)}, name); err == nil {
			t.Errorf("%q was taken as a name", name)
		}
	}
}

func BenchmarkStub(b *testing.B) {
	lists := realTools(b)
	b.ReportAllocs()
	tools := 0
	for b.Loop() {
		for _, l := range lists {
			entries(b, l.tools, true)
			tools += len(l.tools)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(tools), "ns/tool")
}
