package stub

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listed makes tools of "server/name" ids.
func listed(ids ...string) []Tool {
	tools := make([]Tool, len(ids))
	for i, id := range ids {
		tools[i].Server, tools[i].Name, _ = strings.Cut(id, "/")
	}
	return tools
}

func TestNames(t *testing.T) {
	for _, test := range []struct {
		raw, name, prefixed string
	}{
		{"add", "add", "s__add"},
		{"create-issue", "create_issue", "s__create_issue"},
		{"API-get.user/x", "API_get_user_x", "s__API_get_user_x"},
		{"2fa", "_2fa", "s__2fa"},
		{"", "__", "s__"},
		{"_", "__", "s___"},
		{"日本", "__", "s____"},
		{"ﬁnd", "_nd", "s___nd"}, // Python would read the ligature as "fi"
		{"a\x00b\xff", "a_b_", "s__a_b_"},
		{"from", "from_", "s__from"},
		{"match", "match_", "s__match"},
		{"print", "print_", "s__print"},
		{"ToolError", "ToolError_", "s__ToolError"},
		{"search_tools", "search_tools_", "s__search_tools"},
		{"json", "json_", "s__json"},
		{"__builtins__", "__builtins___", "s____builtins__"},
		{"__x__", "__x___", "s____x__"},
		{"_private", "_private", "s___private"},
		{"x); import os; (", "x___import_os___", "s__x___import_os___"},
	} {
		for prefix, want := range map[bool]string{false: test.name, true: test.prefixed} {
			names, warnings, err := Names(listed("s/"+test.raw), prefix)
			if err != nil || len(warnings) > 0 || names[0] != want {
				t.Errorf("%q, prefix %v: %q %q %v, want %q", test.raw, prefix, names, warnings, err, want)
			}
		}
	}
}

// Which tool gets which name does not depend on the order they are listed in.
func TestToolsOfOneServerThatMeetAreTold(t *testing.T) {
	ids := []string{"s/get-x", "s/get_x", "s/get.x", "s/get_x_2", "s/print", "s/print_", "s/2", "s/_2"}
	want := map[string]string{
		"get_x": "get_x", "get-x": "get_x_3", "get.x": "get_x_4", "get_x_2": "get_x_2",
		"print_": "print_", "print": "print__2", "_2": "_2", "2": "_2_2",
	}
	var told []string
	for range 20 {
		rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		names, warnings, err := Names(listed(ids...), false)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for i, id := range ids {
			got[strings.TrimPrefix(id, "s/")] = names[i]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		if told == nil {
			told = warnings
		}
		if diff := cmp.Diff(told, warnings); diff != "" {
			t.Fatal(diff)
		}
	}
	if len(told) != 4 || !strings.Contains(strings.Join(told, "\n"), `tool "s/get-x" is "get_x_3" in Python: "get_x" is tool "s/get_x"`) {
		t.Errorf("warnings %q", told)
	}
}

func TestToolsOfDifferentServersThatMeetAreAnError(t *testing.T) {
	for _, test := range []struct {
		ids    []string
		prefix bool
	}{
		{[]string{"a/x", "b/x"}, false},
		{[]string{"a-b/x", "a_b/x"}, true},
		{[]string{"a/b__c", "a__b/c"}, true},
		{[]string{"a/_b", "a_/b"}, true},
	} {
		_, _, err := Names(listed(test.ids...), test.prefix)
		if err == nil || !strings.Contains(err.Error(), `"`+test.ids[0]+`"`) || !strings.Contains(err.Error(), `"`+test.ids[1]+`"`) {
			t.Errorf("%q: %v", test.ids, err)
		}
	}
	if _, _, err := Names(listed("a/x", "b/x", "a/y"), true); err != nil {
		t.Error(err)
	}
}

func TestNamesAreBounded(t *testing.T) {
	long := "s/" + strings.Repeat("x", 1<<20)
	tools := listed(long, long+"y", "s/"+strings.Repeat("9", 1_000), "s/"+strings.Repeat("é", 1_000))
	for range 500 {
		tools = append(tools, tools[0])
	}
	names, warnings, err := Names(tools, false)
	if err != nil || len(warnings) != 501 {
		t.Fatalf("%d warnings, %v", len(warnings), err)
	}
	seen := map[string]bool{}
	for _, name := range names {
		if len(name) > MaxName || seen[name] || !isIdentifier(name) || Reserved(name) {
			t.Errorf("name %q", name)
		}
		seen[name] = true
	}
	for _, w := range warnings {
		if len(w) > 1_000 {
			t.Fatalf("a warning of %d bytes", len(w))
		}
	}
}

// Names never leave Python's syntax for one, whatever a server calls its tools.
func FuzzNames(f *testing.F) {
	f.Add("notes", "search", "sear-ch")
	f.Add("", "", "_")
	f.Add("a", "1\n(", "async def f(): ...")
	f.Fuzz(func(t *testing.T, server, first, second string) {
		tools := []Tool{{Server: server, Name: first}, {Server: server, Name: second}}
		for _, prefix := range []bool{false, true} {
			names, _, err := Names(tools, prefix)
			if err != nil {
				t.Fatal(err)
			}
			if names[0] == names[1] {
				t.Errorf("two tools are %q", names[0])
			}
			for _, name := range names {
				if !isIdentifier(name) || Reserved(name) || len(name) > MaxName {
					t.Errorf("name %q", name)
				}
			}
		}
	})
}
