package bridge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/stub"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

func learned(t *tool, texts ...string) string {
	var s seen
	for _, text := range texts {
		s.learn(t, wire.Reply{Text: text})
	}
	shown := ""
	for _, news := range s.news(map[string]string{}) {
		shown += news.Shape
	}
	return shown
}

func keys(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func TestShapesAreNamesAndTypesOfWhatCameBack(t *testing.T) {
	plain := &tool{python: "f"}
	for want, texts := range map[string][]string{
		"str": {"hello"},
		"str of JSON; .data: {id: int, ok: bool, x: float, n: None}":          {`{"id":1,"ok":true,"x":1.5,"n":null}`},
		"str of JSON; .data: list[{id: int, tags?: list[str], o?: {a: str}}]": {`[{"id":1,"tags":["a"]},{"id":2,"o":{"a":""}}]`},
		"str of JSON; .data: {id: int | str | None}":                          {`{"id":1}`, `{"id":null}`, `{"id":"x"}`},
		"str of JSON; .data: {a: int, b?: str}":                               {`{"a":1}`, `{"a":1,"b":""}`},
		"str, sometimes of JSON; .data: None | {a: int}":                      {`nothing found`, `{"a":1}`},
		"str of JSON; .data: {a: int} | list[int]":                            {`[1]`, `{"a":1}`},
		"str of JSON; .data: dict[str, {n: int}]":                             {`{"ada@example.com":{"n":1},"bob":{"n":2}}`},
		"str of JSON; .data: dict[str, int]":                                  {keys(21, `"k%d":1`)},
		"str of JSON; .data: dict[str, int | str]":                            {keys(20, `"k%d":1`), `{"other":""}`},
		"str of JSON; .data: {a: {b: {c: {d: {e: dict}}}}}":                   {`{"a":{"b":{"c":{"d":{"e":{"f":1}}}}}}`},
		"str of JSON; .data: {l: list, d: dict}":                              {`{"l":[],"d":{}}`},
	} {
		if got := learned(plain, texts...); got != want {
			t.Errorf("%.60q: got %s, want %s", texts, got, want)
		}
	}
}

func TestNothingIsLearnedOfPrivateToolsOrWhereASchemaSaysIt(t *testing.T) {
	for name, tool := range map[string]*tool{
		"private":       {python: "f", facts: engine.Tool{Private: true}},
		"with a schema": {python: "f", describe: stub.Tool{Output: []byte(`{}`)}},
	} {
		if got := learned(tool, `{"a":1}`); got != "" {
			t.Errorf("%s: learned %s", name, got)
		}
	}
	var s seen
	s.learn(&tool{python: "f"}, wire.Reply{Err: &wire.CallError{}})
	if len(s.order) > 0 {
		t.Error("learned from an error")
	}
}

// No value is shown, whatever comes back, and what is kept is bounded.
func TestShapesHoldNoValuesAndAreBounded(t *testing.T) {
	var s seen
	for i := range maxSeenTools + 5 {
		tool := &tool{python: fmt.Sprintf("f%d", i)}
		for j := range maxSeenResults + 5 {
			s.learn(tool, wire.Reply{Text: fmt.Sprintf(`{"a%d":%s,"secret":"SECRET","b":[["SECRET"]],"%s":1}`, j%19, keys(15, `"n%d":"SECRET"`), strings.Repeat("k", 60))})
		}
		s.learn(tool, wire.Reply{Text: strings.Repeat("[", maxSeenBytes+1)})
	}
	told := map[string]string{}
	news := s.news(told)
	if len(news) != maxSeenTools {
		t.Errorf("%d tools", len(news))
	}
	for _, n := range news {
		if len(n.Shape) > maxSeenText || strings.Contains(n.Shape, "SECRET") {
			t.Fatalf("%d bytes: %s", len(n.Shape), n.Shape)
		}
	}
	if again := s.news(told); len(again) > 0 {
		t.Errorf("told twice: %v", again)
	}
}
