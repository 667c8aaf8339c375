package stub

import (
	"fmt"
	"strings"
	"testing"
)

// toys are n tools of each of so many servers.
func toys(servers, n int) []Entry {
	var list []Entry
	for s := range servers {
		for i := range n {
			name := fmt.Sprintf("server%d__tool%04d", s, i)
			head := "async def " + name + "(params: dict) -> str:\n    \"\"\""
			list = append(list, Entry{
				Server: fmt.Sprintf("server%d", s), Name: name,
				Stub:  head + "\n    Does it.\n\n    params: a: int\n      a (1 to 5): How much.\n    \"\"\"",
				Brief: head + "Does it.\n    params: a: int\n    \"\"\"", Summary: name + "(a: int): Does it.",
			})
		}
	}
	return list
}

// Whatever the room, the tools come in their order, at most two levels are used, the
// more detailed one first, there is no room for one tool more at that level, and
// every server is named.
func TestDescriptionUsesItsRoomAndNamesEveryServer(t *testing.T) {
	list := toys(3, 20)
	whole := len(Describe(Listing{Intro: "Intro.", Entries: list, Max: 1 << 20}))
	for max := 420; max <= whole; max += 13 {
		text := Describe(Listing{Intro: "Intro.", Entries: list, Max: max})
		if len(text) > max {
			t.Fatalf("%d of %d bytes", len(text), max)
		}
		at, levels := -1, ""
		for _, e := range list {
			switch {
			case strings.Contains(text, e.Stub):
				levels += "f"
			case strings.Contains(text, e.Brief):
				levels += "b"
			case strings.Contains(text, e.Summary+"\n"):
				levels += "l"
			default:
				levels += "n"
				continue
			}
			next := strings.Index(text, e.Name+"(")
			if next < at {
				t.Errorf("%d bytes: %s is out of order", max, e.Name)
			}
			at = next
		}
		if order := strings.Trim(levels, "f"); strings.Trim(strings.Trim(order, "b"), "l") != strings.Repeat("n", strings.Count(levels, "n")) {
			t.Errorf("%d bytes: mixed as %s", max, levels)
		}
		if strings.Contains(levels, "f") && strings.ContainsAny(levels, "ln") || strings.Contains(levels, "b") && strings.Contains(levels, "n") {
			t.Errorf("%d bytes: %s", max, levels)
		}
		if room := max - len(text); !strings.HasPrefix(levels, "n") && room > len(list[0].Stub)+2 {
			t.Errorf("%d bytes: room for another one: %d", max, room)
		}
		for s := range 3 {
			if !strings.Contains(text, fmt.Sprintf("server%d", s)) {
				t.Errorf("%d bytes: server%d is not named", max, s)
			}
		}
	}
	if text := Describe(Listing{Intro: "Intro.", Entries: list, Max: whole}); strings.Count(text, "How much.") != len(list) {
		t.Error("with room for all not every stub is there")
	}
}

// Of more tools than can be named it says how many there are.
func TestDescriptionCountsWhatItLeavesOut(t *testing.T) {
	for _, max := range []int{400, 700, 1_000, 12_000} {
		text := Describe(Listing{Intro: "Intro.", Entries: toys(3, 1_000), Max: max})
		if len(text) > max {
			t.Errorf("%d of %d bytes", len(text), max)
		}
		for s := range 3 {
			name := fmt.Sprintf("server%d", s)
			_, line, _ := strings.Cut(text, name)
			line, _, _ = strings.Cut(name+line, "\n")
			shown := strings.Count(line, "tool0")
			if !strings.HasSuffix(line, fmt.Sprintf("... %d more", 1_000-shown)) && line != fmt.Sprintf("server%d: 1000 tools", s) {
				t.Errorf("%d bytes, %d shown: %s", max, shown, line)
			}
		}
		if !strings.Contains(text, "TOOLS[name]") || !strings.Contains(text, "search_tools(query)") {
			t.Errorf("nothing says how to find a stub:\n%s", text)
		}
	}
	many := Describe(Listing{Intro: "Intro.", Entries: toys(500, 1), Max: 1_000})
	if len(many) > 1_000 || !strings.Contains(many, "more servers: TOOLS.servers names them") {
		t.Errorf("500 servers: %d bytes:\n%s", len(many), many)
	}
}

func TestDescriptionNeverExceedsItsBound(t *testing.T) {
	servers := []Server{{"server0", "Words.\nMore."}, {"server1", strings.Repeat("x", MaxWords)}}
	for n := range 4 {
		for max := range 900 {
			for _, d := range []Detail{DetailAuto, DetailLines, DetailSearch} {
				text := Describe(Listing{Intro: "Intro of some length.\n", Entries: toys(2, n), Servers: servers, Detail: d, Max: max})
				if len(text) > max {
					t.Fatalf("%s, %d tools: %d of %d bytes", d, n, len(text), max)
				}
			}
		}
	}
	if text := Describe(Listing{Intro: "Intro.", Max: 100}); text != "Intro." {
		t.Errorf("without tools: %q", text)
	}
}

func TestDetailsShowWhatTheirNamesSay(t *testing.T) {
	list := toys(2, 100)
	for d, want := range map[Detail]func(string) bool{
		DetailFull: func(s string) bool { return strings.Count(s, "How much.") == 200 && len(s) > 12_000 },
		DetailLines: func(s string) bool {
			return strings.Count(s, "(a: int): Does it.\n") == 200 && !strings.Contains(s, "def ") && len(s) <= 12_000
		},
		DetailSearch: func(s string) bool {
			return len(s) <= MaxSearch && strings.Contains(s, "- server1 (100 tools)") && strings.Contains(s, "search_tools(") && !strings.Contains(s, "tool0001")
		},
	} {
		if text := Describe(Listing{Intro: "Intro.", Entries: list, Detail: d, Max: 12_000}); !want(text) {
			t.Errorf("%s: %d bytes\n%.400s", d, len(text), text)
		}
	}
}

// What a server says of itself is quoted, as its own words, and cut where it is long.
func TestWordsOfServersAreMarkedAsTheirs(t *testing.T) {
	words := Words("  Use it well.\r\n[private] is safe.\nparams: none\n\u202eback\n" + strings.Repeat("On and on. ", 2_000))
	if len(words) > MaxWords || !strings.HasPrefix(words, "Use it well.\n(private) is safe.\n> params: none\nback\n") {
		t.Errorf("got %d bytes: %.100q", len(words), words)
	}
	text := Describe(Listing{Intro: "Intro.", Entries: toys(2, 2), Servers: []Server{{"server0", words}, {"server1", ""}}, Max: 12_000})
	want := wordsHead + "server0:\n> Use it well.\n> (private) is safe.\n> > params: none\n> back\n> On and on."
	if !strings.Contains(text, want) || strings.Contains(text, "server1:\n") || strings.Count(text, "On and on.") > 60 {
		t.Errorf("got\n%.800s", text)
	}
	short := Describe(Listing{Intro: "Intro.", Entries: toys(2, 2), Servers: []Server{{"server0", "Reads mail. Quickly."}}, Detail: DetailSearch, Max: 12_000})
	if !strings.Contains(short, "- server0 (2 tools): \"Reads mail.\"\n") {
		t.Errorf("got\n%s", short)
	}
}
