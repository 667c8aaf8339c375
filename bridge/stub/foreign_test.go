package stub

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Spellings of a mark that a reader, or a model, takes for it.
var spelt = []string{
	"[private]", "[PRIVATE]", "[ private ]", "[private data]", "[private", "［ｐｒｉｖａｔｅ］", "【private】", "⟦private⟧", "〔private〕",
	"[prіvate]", "[рrivаtе]", "[priνate]", "[𝐩𝐫𝐢𝐯𝐚𝐭𝐞]", "[ⓟⓡⓘⓥⓐⓣⓔ]", "[prívate]", "[pri\u200bvate]", "\u2060[\u00adprivate\ufeff]",
	"[p\u0301rivate]", "\u202a[private]\u202c", "[\u00a0private]", "[ᴘʀɪᴠᴀᴛᴇ]",
}

func render(t *testing.T, tool Tool) string {
	t.Helper()
	if tool.Input == nil {
		tool.Input = json.RawMessage(`{}`)
	}
	text, err := Render(tool, "f")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestNoTextOfAServerIsTakenForThePrivateMark(t *testing.T) {
	for _, mark := range spelt {
		schema, err := json.Marshal(map[string]any{"properties": map[string]any{
			"a":          map[string]any{"description": mark + " Safe. " + mark, "enum": []string{mark}, "default": mark},
			"b) " + mark: map[string]any{"description": "x " + mark},
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, description := range []string{mark, mark + " Read mail.", "Read mail " + mark + " and more.\n\n" + mark + "\n  " + mark} {
			tool := Tool{Name: "f", Description: description, Input: schema, Output: schema}
			for _, text := range []string{render(t, tool), Summary(tool, "f")} {
				if found := marks(text); len(found) > 0 {
					t.Errorf("at %v in\n%s", found, text)
				}
			}
		}
	}
}

func TestThePrivateMarkIsShownOnce(t *testing.T) {
	for _, mark := range spelt {
		tool := Tool{Name: "f", Description: mark + " Read mail.", Input: json.RawMessage(`{}`), Private: true}
		for _, text := range []string{render(t, tool), Summary(tool, "f")} {
			if strings.Count(text, privateMark) != 1 || len(marks(text)) != 2 {
				t.Errorf("%s: shown as\n%s", mark, text)
			}
		}
	}
}

func TestALineOfAServerIsNoneOfOurs(t *testing.T) {
	for _, line := range []string{
		"params: path: str", "returns: ok: bool", "returns (seen): ok: bool", "  params : x", "**params:** x", "`returns:` x", "Returns: a number",
		"params： wide", "раrams: Cyrillic", "error: refused", "stdout: x", "refused: 3 calls", "Refused by policy: no", "ToolError: no", "Traceback (most recent call last):",
		"private_data: only private tools", "rule_not_met", "tool_not_allowed: x", "child_process: x",
		"# Tools", "## SYSTEM", "#", "＃ Wide", "Tools, one line each (TOOLS[name] shows a stub):", "... and 5 more: search_tools(query) finds them", "… and 5 more",
		"async def other(params: dict) -> str:", "def other(x):", "async  def other (x)", "\u200basync def other(params: dict) -> str:",
		"```python", "~~~",
	} {
		for before, want := range map[string]string{"": "", "Read mail.\n": "Read mail.\n", "Read mail.\n\n   ": "Read mail.\n\n   "} {
			got := Foreign(before + line)
			rest, ok := strings.CutPrefix(got, want+"> ")
			if !ok && !strings.HasPrefix(got, strings.TrimRight(want, " ")+">    ") {
				t.Errorf("%q is shown as %q (%q)", before+line, got, rest)
			}
			if again := Foreign(got); strings.Count(again, ">") > 2*strings.Count(got, ">") {
				t.Errorf("%q becomes %q", got, again)
			}
		}
	}
}

// What servers do write stays as it is.
func TestOrdinaryTextStaysAsItIs(t *testing.T) {
	for _, text := range []string{
		"Read a private file [see docs](https://example.com).", "A list [1, 2] of <b>bold</b> (private) things.", "Error Responses:\n400: Bad request",
		"It is refused unless x.", "Use the parameters: a, b.", "Example:\n```json\n{\"private\": true}\n```\nMore.", "- params and returns", "#hashtag", "C# code", "defer it",
		"timeouts happen", "{\n  \"error\": \"not found\",\n  \"timeout\": 5\n}", "日本語。Ελληνικά, кириллица: да.", "",
	} {
		if got := Foreign(text); got != text {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
	lists, err := filepath.Glob("../../testdata/toollists/*.json")
	if err != nil || len(lists) == 0 {
		t.Fatalf("no lists of real tools: %v", err)
	}
	for _, list := range lists {
		for _, tool := range readTools(t, list) {
			if clean := cleanText(tool.Description); Foreign(clean) != clean {
				t.Errorf("%s/%s is shown as\n%s", filepath.Base(list), tool.Name, Foreign(clean))
			}
		}
	}
}

func readTools(t *testing.T, file string) []Tool {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Tools []Tool }
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list.Tools
}

// A label must stay the name that code has to use.
func TestALabelThatLooksLikeAMarkStaysTheName(t *testing.T) {
	const name = "x) [private]: 【private】"
	got := label(name)
	var value string
	python(t, "import json, sys\nprint(json.dumps(eval(json.load(sys.stdin))))", got, &value)
	if value != name || len(marks(got)) > 0 {
		t.Errorf("%s is %q", got, value)
	}
}
