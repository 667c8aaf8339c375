package stub

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/schema"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// An author writes arguments from nothing but the words of a stub: the type that a
// parameter has, and what the notes say of its bounds.
type author struct{ notes map[string]string } // by path

var noteLine = regexp.MustCompile(`^ {6}(\S+) \((.*?)\)(?:: |$)`)

func reader(text string) *author {
	a := &author{notes: map[string]string{}}
	for line := range strings.Lines(text) {
		if m := noteLine.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			a.notes[m[1]] = m[2]
		}
	}
	return a
}

// number is the number after some words of a note, or otherwise.
func (a *author) number(path, words string, otherwise float64) float64 {
	m := regexp.MustCompile(words).FindStringSubmatch(a.notes[path])
	if m == nil {
		return otherwise
	}
	var n float64
	fmt.Sscan(m[1], &n)
	return n
}

// value reads one type at the start of text and returns a value of it, and the rest.
func (a *author) value(path, text string) (value any, rest string) {
	switch {
	case strings.HasPrefix(text, "("):
		value, rest = a.value(path, text[1:])
		return value, strings.TrimPrefix(skip(rest), ")")
	case strings.HasPrefix(text, `"`), strings.HasPrefix(text, "'"):
		end := closing(text)
		return text[1:end], text[end+1:]
	case strings.HasPrefix(text, "{"):
		return a.object(path, text[1:])
	case strings.HasPrefix(text, "list["):
		n := int(a.number(path, `(\d+)(?: to \d+)? items?`, a.number(path, `at least (\d+) items?`, 1)))
		item, rest := a.value(path+"[]", text[len("list["):])
		items := make([]any, n)
		for i := range items {
			items[i] = item
		}
		return items, strings.TrimPrefix(skip(rest), "]")
	case strings.HasPrefix(text, "dict[str, "):
		value, rest := a.value(path+".*", text[len("dict[str, "):])
		return map[string]any{"key": value}, strings.TrimPrefix(skip(rest), "]")
	}
	end := strings.IndexFunc(text, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-", r)
	})
	if end < 0 {
		end = len(text)
	}
	return a.plain(path, text[:end]), text[end:]
}

// skip skips the other alternatives of a type.
func skip(rest string) string {
	for depth := 0; rest != ""; {
		switch rest[0] {
		case '"', '\'':
			rest = rest[closing(rest):]
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return rest
			}
		case ',', '=':
			if depth == 0 {
				return rest
			}
		}
		rest = rest[1:]
	}
	return rest
}

// closing is where the string literal ends that text begins with.
func closing(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i
		}
	}
	return len(text) - 1
}

func (a *author) plain(path, name string) any {
	low := a.number(path, `(?:^|; )(-?[\d.]+) to`, a.number(path, `at least (-?[\d.]+)(?:;|,|$)`, a.number(path, `more than (-?[\d.]+)`, 0)+1))
	switch name {
	case "str":
		n := int(a.number(path, `(\d+) to \d+ characters`, a.number(path, `(?:at least|exactly) (\d+) characters?`, 1)))
		return strings.Repeat("x", max(n, 1))
	case "int", "float":
		return json.Number(fmt.Sprint(low))
	case "bool", "True":
		return true
	case "False":
		return false
	case "None":
		return nil
	case "dict":
		return map[string]any{}
	case "list":
		return []any{}
	case "Any":
		return "x"
	}
	return json.Number(name) // an enum of numbers
}

// object reads the members of an object, all that are required.
func (a *author) object(path, text string) (map[string]any, string) {
	object := map[string]any{}
	for text != "" && text[0] != '}' {
		text = strings.TrimPrefix(text, ", ")
		name, end := "", strings.IndexAny(text, "?:")
		if text[0] == '"' || text[0] == '\'' {
			end = closing(text) + 1
			name = text[1 : end-1]
		} else {
			name = text[:end]
		}
		optional := text[end] == '?'
		text = strings.TrimPrefix(strings.TrimPrefix(text[end:], "?"), ": ")
		value, rest := a.value(path+"."+label(name), text)
		if text = skip(rest); strings.HasPrefix(text, "= ") {
			text = skip(text[1:])
		}
		if !optional {
			object[name] = value
		}
	}
	return object, strings.TrimPrefix(text, "}")
}

// argumentsFrom writes arguments for a tool from its stub and what the runner is told.
func argumentsFrom(text string, facts wire.Facts) map[string]any {
	a := reader(text)
	args := map[string]any{}
	for _, p := range facts.Params {
		if !p.Required {
			continue
		}
		line := p.Line
		if at := strings.Index(text, "\n    params: "); at >= 0 { // the whole type, where the line is cut
			if at := strings.Index(text[at:], " "+label(p.Name)+": "); at >= 0 {
				start := strings.Index(text, "\n    params: ") + at + 1
				line, _, _ = strings.Cut(text[start:], "\n")
			}
		}
		line = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(line)
		value, _ := a.value(label(p.Name), strings.TrimPrefix(line, label(p.Name)+": "))
		args[p.Name] = value
	}
	return args
}

// TestArgumentsWrittenFromTheStubPassTheGate: for every tool of every real list, what
// an author writes who has read only the stub is what the gate lets through; and
// without one of the required parameters it is not.
func TestArgumentsWrittenFromTheStubPassTheGate(t *testing.T) {
	tools := 0
	for _, l := range realTools(t) {
		for _, tool := range l.tools {
			tools++
			passes(t, tool)
		}
	}
	if tools < 250 {
		t.Errorf("only %d tools", tools)
	}
}

// The same for what generators write wrongly: such a tool stays callable.
func TestToolsWithOddSchemasCanBeCalled(t *testing.T) {
	for _, input := range []string{
		`{}`, `{"type":"object"}`, `{"type":"object","properties":{}}`, `{"type":"object","properties":null}`,
		`{"properties":{"a":{"type":"integer","default":1}},"required":["a"]}`,
		`{"properties":{"a":{"$ref":"#/$defs/d"}},"required":["a"],"$defs":{"d":{"type":"integer","default":1}}}`,
		`{"properties":{"a":{"type":"string"}},"required":["a","b"]}`,
		`{"properties":{"a":{"type":"string"}},"required":["a","b"],"additionalProperties":false}`,
		`{"required":["a"]}`, `{"required":["a"],"additionalProperties":false}`,
		`{"required":["b"],"additionalProperties":false,"patternProperties":{"^x":{}}}`,
		`{"properties":{"a":{"type":["string",null],"enum":null,"pattern":null,"items":null}},"required":["a"],"$defs":null}`,
		`{"properties":{"a":{"anyOf":[null,{"type":"integer"}]}},"required":["a",null],"allOf":[null]}`,
		`{"properties":{"a":{"default":5,"type":"integer"}},"allOf":[{"required":["a"]}]}`,
		`{"properties":{"n":{"type":"integer","minimum":3,"maximum":5},"s":{"type":"string","minLength":2},"l":{"type":"array","minItems":2,"items":{"type":"number","exclusiveMinimum":7}}},"required":["n","s","l"]}`,
		`{"properties":{"from":{"type":"object","properties":{"a-b":{"enum":["x, y","z"]}},"required":["a-b"]}},"required":["from"]}`,
	} {
		passes(t, Tool{Name: "t", Input: json.RawMessage(input)})
	}
}

func passes(t *testing.T, tool Tool) {
	t.Helper()
	text, err := Render(tool, "t")
	if err != nil {
		t.Errorf("%s: %v", tool.id(), err)
		return
	}
	gate, err := schema.Compile(tool.Input)
	if err != nil {
		t.Errorf("%s: %v", tool.id(), err)
		return
	}
	facts := Facts(tool)
	args := argumentsFrom(text, facts)
	violations := gate.Violations(args)
	if len(violations) > 0 {
		t.Errorf("%s: %v from\n%s\n%v", tool.id(), args, text, violations)
	}
	for _, p := range facts.Params {
		if !p.Required {
			continue
		}
		without := map[string]any{}
		for name, value := range args {
			if name != p.Name {
				without[name] = value
			}
		}
		if len(gate.Violations(without)) == 0 {
			t.Errorf("%s: %q is said to be required and is not", tool.id(), p.Name)
		}
	}
	args["no_such_argument"] = "x"
	if refused := len(gate.Violations(args)) > len(violations); refused && facts.Open {
		t.Logf("%s: other arguments are said to pass and do not", tool.id()) // lenient
	} else if !refused && !facts.Open {
		t.Errorf("%s: other arguments pass, and it is said that they do not", tool.id())
	}
}

// What the runner is told of a parameter is true wherever it is sure.
func TestFactsAreTrueOrLenient(t *testing.T) {
	for property, want := range map[string]struct{ nullable, integer bool }{
		`{}`:                                 {true, false},
		`{"type":"string"}`:                  {false, false},
		`{"type":"integer"}`:                 {false, true},
		`{"type":"number"}`:                  {false, false},
		`{"type":["integer","null"]}`:        {true, true},
		`{"type":["integer","number"]}`:      {false, false},
		`{"type":"integer","nullable":true}`: {true, true},
		`{"anyOf":[{"type":"integer"},{"type":"null"}]}`:   {true, true},
		`{"anyOf":[{"type":"integer"},{"type":"string"}]}`: {false, true},
		`{"oneOf":[{"type":"integer"},{"type":"number"}]}`: {false, false},
		`{"anyOf":[{"type":"integer"},{}]}`:                {true, false},
		`{"type":"number","allOf":[{"type":"integer"}]}`:   {false, true},
		`{"type":["string","null"],"enum":["a"]}`:          {false, false},
		`{"type":["string","null"],"enum":["a",null]}`:     {true, false},
		`{"enum":[1,2]}`: {false, true}, `{"const":1.5}`: {false, false}, `{"const":null}`: {true, false},
		`{"$ref":"#/$defs/i"}`: {false, true},
		`{"anyOf":[{"anyOf":[{"type":"null"},{"type":"boolean"}]},{"$ref":"#/$defs/i"}]}`: {true, true},
	} {
		facts := Facts(Tool{Input: json.RawMessage(`{"properties":{"a":` + property + `},"$defs":{"i":{"type":"integer"}}}`)})
		if p := facts.Params[0]; p.Nullable != want.nullable || p.Integer != want.integer || p.Required || facts.Open {
			t.Errorf("%s: %+v", property, p)
		}
		gate, err := schema.Compile(json.RawMessage(`{"properties":{"a":` + property + `},"$defs":{"i":{"type":"integer"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		takes := func(v any) bool { return len(gate.Violations(map[string]any{"a": v})) == 0 }
		if takes(nil) && !want.nullable || want.integer && takes(json.Number("7.25")) {
			t.Errorf("%s: the gate knows better", property)
		}
	}
	for input, open := range map[string]bool{
		`{"properties":{"a":{}}}`: false, `{}`: true, `{"properties":{},"additionalProperties":true}`: true,
		`{"properties":{"a":{}},"patternProperties":{"^x":{}}}`:                   true,
		`{"properties":{"a":{}},"anyOf":[{"properties":{"b":{}}},{}]}`:            true, // b may be given
		`{"properties":{"a":{}},"if":{},"then":{"properties":{"b":{}}}}`:          true,
		`{"properties":{"a":{}},"anyOf":[{"required":["a"]},{"required":["a"]}]}`: false,
	} {
		if facts := Facts(Tool{Input: json.RawMessage(input)}); facts.Open != open {
			t.Errorf("%s: open %v", input, facts.Open)
		}
	}
}
