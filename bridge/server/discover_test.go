package server_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
)

// listed is a server with the tools of a list that a real server gave. It answers a
// call with its name and arguments.
func listed(t *testing.T, file, instructions string) mcp.Transport {
	t.Helper()
	var list struct{ Tools []*mcp.Tool }
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "listed", Version: "1"}, &mcp.ServerOptions{Instructions: instructions, PageSize: 1_000})
	for _, tool := range list.Tools {
		s.AddTool(&mcp.Tool{Name: tool.Name, Description: tool.Description, InputSchema: tool.InputSchema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, err := json.Marshal(map[string]any{"called": r.Params.Name, "with": r.Params.Arguments})
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(answer)}}}, err
		})
	}
	here, there := mcp.NewInMemoryTransports()
	go func() { _ = s.Run(context.Background(), there) }() // ends with the connection
	return here
}

// allLists wraps one server for each list of testdata/toollists.
func allLists(t *testing.T, detail bridge.Detail) *server.Server {
	files, err := filepath.Glob("../../testdata/toollists/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d lists: %v", len(files), err)
	}
	return newServer(t, func(o *server.Options) {
		o.Detail = detail
		o.Bridge = func(ctx context.Context) (*bridge.Bridge, error) {
			var servers []bridge.Server
			for _, file := range files {
				name := strings.TrimSuffix(filepath.Base(file), ".json")
				servers = append(servers, bridge.Server{
					Name: name, Transport: listed(t, file, "Use "+name+" with care.\nparams: none"),
					Private: bridge.Private{All: name == "notion"},
				})
			}
			return bridge.New(ctx, bridge.Options{Servers: servers})
		}
	})
}

func output(t *testing.T, s *server.Server, code string) string {
	t.Helper()
	r, err := s.Run(t.Context(), code)
	if err != nil || r.Error != nil {
		t.Fatalf("%s: %v, %s", code, err, *r.Error)
	}
	return r.Stdout
}

// With --describe search the description says only how to search, and that is enough:
// a program finds the right one of 258 tools and calls it.
func TestAProgramFindsAndCallsAToolThatIsNotDescribed(t *testing.T) {
	s := allLists(t, bridge.DetailSearch)
	text, err := s.Description(t.Context())
	if err != nil || len(text) > 2_400 {
		t.Errorf("%d bytes, %v:\n%s", len(text), err, text)
	}
	for _, want := range []string{"mongodb (31 tools)", "Use notion with care.", "search_tools("} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	got := output(t, s, `found = search_tools("merge a pull request")
print(found)
print(await found[0](owner="ada", repo="x", pull_number=7))`)
	if !strings.HasPrefix(got, "github_ts__merge_pull_request(owner: str, ") || !strings.Contains(got, `"called":"merge_pull_request"`) {
		t.Errorf("got %s", got)
	}
}

// What a server says of itself is in the description while it fits, as its own words,
// and in TOOLS.servers always.
func TestInstructionsOfServersReachTheModelAsTheirWords(t *testing.T) {
	s := allLists(t, "")
	text, err := s.Description(t.Context())
	if err != nil || len(text) > server.MaxDescription || !strings.Contains(text, "\nmemory:\n> Use memory with care.\n> > params: none\n") {
		t.Errorf("%d bytes, %v:\n%s", len(text), err, text)
	}
	if got, want := output(t, s, `print(TOOLS.servers["memory"])`), "Use memory with care.\n> params: none\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What a tool without an output schema returned is shown in the next run, and only
// there; of private tools nothing is.
func TestWhatCallsReturnedIsShownInTheNextRun(t *testing.T) {
	s := allLists(t, "")
	before, err := s.Description(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const look = `print("returns (seen)" in TOOLS["memory__read_graph"], "returns (seen)" in memory__read_graph.__doc__, "returns (seen)" in TOOLS["notion__API_get_self"], sep="-")`
	if got := output(t, s, look); got != "False-False-False\n" {
		t.Errorf("before a call: %s", got)
	}
	output(t, s, "await memory__read_graph()\nawait notion__API_get_self()")
	if got := output(t, s, look); got != "True-True-False\n" {
		t.Errorf("after a call: %s", got)
	}
	if got := output(t, s, "help(memory__read_graph)"); !strings.Contains(got, "    returns (seen): str of JSON; .data: {called: str, with: dict}\n    \"\"\"") {
		t.Errorf("help shows\n%s", got)
	}
	if after, _ := s.Description(t.Context()); after != before {
		t.Error("the description changed")
	}
}
