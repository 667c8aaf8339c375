package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
)

func TestATerminalIsNotSteeredByJSONEither(t *testing.T) {
	var hostile strings.Builder // every control character, between others
	for r := range rune(0xa1) {
		hostile.WriteRune(r)
	}
	failure := "é\u009b2J\U0001F600\x7f"
	want := server.Result{Stdout: hostile.String(), Error: &failure}
	var out bytes.Buffer
	if err := printJSON(newUI(nil, &out, nil), want); err != nil {
		t.Fatal(err)
	}
	line, _ := strings.CutSuffix(out.String(), "\n")
	if line != visible(line) || strings.ContainsAny(line, "\n\t") {
		t.Errorf("control characters in %q", line)
	}
	if !strings.Contains(line, `"é\u009b2J😀\u007f"`) {
		t.Errorf("%s does not hold the error as it should be written", line)
	}
	var got server.Result
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what it says (-want +got):\n%s", diff)
	}
}
