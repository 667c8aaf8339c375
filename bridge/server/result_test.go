package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
)

func TestTheTextOfAResultIsNotEscapedForAWebPage(t *testing.T) {
	c := client(t, newServer(t, nil), nil)
	const html = `<a href="x">1 & 2</a>`
	answer := text(runPython(t, c, map[string]any{"code": "print('''" + html + "''')"}))
	if !strings.Contains(answer, `<a href=\"x\">1 & 2</a>`) {
		t.Errorf("got %s", answer)
	}
	var got server.Result
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(server.Result{Stdout: html + "\n"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A program that fails after calls went out is told which, so that the next one does not
// repeat what is done.
func TestAFailedProgramIsToldWhatWasDone(t *testing.T) {
	for code, want := range map[string]string{
		"await add(a=1, b=2)":              "",
		"1/0":                              "",
		"await add(a='x', b=2)":            "", // refused, so it did not go out
		"await secret()\nraise ValueError": `[{"tool":"server/secret","count":1,"failed":0,"unanswered":0,"read_only":false}]`,
		"for i in range(3): await add(a=i, b=2)\nawait secret()\n1/0": `[{"tool":"server/add","count":3,"failed":0,"unanswered":0,"read_only":false},` +
			`{"tool":"server/secret","count":1,"failed":0,"unanswered":0,"read_only":false}]`,
	} {
		result, err := newServer(t, nil).Run(t.Context(), code)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := json.Marshal(result.Calls)
		if len(result.Calls) == 0 {
			got = nil
		}
		if string(got) != want {
			t.Errorf("%s: got %s, want %s (error %v)", code, got, want, result.Error)
		}
	}
}
