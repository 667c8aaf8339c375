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
