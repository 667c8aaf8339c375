package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
)

// python is a driver whose machines are plain processes: these tests are about
// the server, the drivers have their own.
func python(t *testing.T) func(context.Context) (sandbox.Driver, error) {
	t.Helper()
	return func(context.Context) (sandbox.Driver, error) { return process() }
}

// process is a driver that starts the Python of the sandboxes as it is.
func process() (sandbox.Driver, error) {
	dir, _, err := rootfs.Tree(context.Background(), sandbox.RunnerSource, nil)
	if err != nil {
		return nil, err
	}
	return sandboxtest.NewProcess(filepath.Join(dir, "usr/bin/python3"))
}

// upstream is an in-memory MCP server. Its tool wait blocks until the call is
// cancelled and reports both on its channels.
type upstream struct {
	started, cancelled chan struct{}
}

func newUpstream() *upstream {
	return &upstream{started: make(chan struct{}, 16), cancelled: make(chan struct{}, 16)}
}

func (u *upstream) connect() mcp.Transport {
	s := mcp.NewServer(&mcp.Implementation{Name: "up", Version: "1"}, nil)
	type add struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	type sum struct {
		Sum int `json:"sum"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "add", Description: "Add two integers."},
		func(_ context.Context, _ *mcp.CallToolRequest, in add) (*mcp.CallToolResult, sum, error) {
			return nil, sum{in.A + in.B}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "secret", Description: "Read something private."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "s3cret"}}}, nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "wait", Description: "Wait."},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			u.started <- struct{}{}
			<-ctx.Done()
			u.cancelled <- struct{}{}
			return nil, nil, ctx.Err()
		})
	here, there := mcp.NewInMemoryTransports()
	go func() { _ = s.Run(context.Background(), there) }() // ends with the connection
	return here
}

func (u *upstream) bridge(ctx context.Context) (*bridge.Bridge, error) {
	return bridge.New(ctx, bridge.Options{
		Servers:    []bridge.Server{{Name: "server", Transport: u.connect(), Private: bridge.Private{Tools: []string{"secret"}}}},
		Unprefixed: true,
	})
}

func newServer(t *testing.T, change func(*server.Options)) *server.Server {
	t.Helper()
	opts := server.Options{Bridge: newUpstream().bridge, Driver: python(t), Version: "test"}
	if change != nil {
		change(&opts)
	}
	s, err := server.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing the server: %v", err)
		}
	})
	return s
}

// client connects an MCP client to s, as one connection.
func client(t *testing.T, s *server.Server, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), there) }()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, opts).Connect(context.Background(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		<-served
	})
	return c
}

func runPython(t *testing.T, c *mcp.ClientSession, args any) *mcp.CallToolResult {
	t.Helper()
	result, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: "run_python", Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func text(r *mcp.CallToolResult) string { return r.Content[0].(*mcp.TextContent).Text }

func TestResultIsTheSameObjectTwice(t *testing.T) {
	c := client(t, newServer(t, nil), nil)
	result := runPython(t, c, map[string]any{"code": `
import asyncio
print([r.data["sum"] for r in await asyncio.gather(*[add(a=i, b=10) for i in range(3)])])`})
	want := `{"stdout":"[10, 11, 12]\n","error":null,"truncated":false,"stopped":false}`
	if got := text(result); got != want {
		t.Errorf("text block:\n%s\nwant:\n%s", got, want)
	}
	var fromText any
	if err := json.Unmarshal([]byte(text(result)), &fromText); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromText, result.StructuredContent); diff != "" {
		t.Errorf("structured content differs from the text block:\n%s", diff)
	}
}

func TestRefusedCallsAreCounted(t *testing.T) {
	c := client(t, newServer(t, nil), nil)
	result := runPython(t, c, map[string]any{"code": `
for i in range(3):
    try: await add(a="x", b=i)
    except ToolError as e: print(e.code, e.tool)`})
	want := `{"stdout":"` + strings.Repeat(`arguments_invalid server/add\n`, 3) + `",` +
		`"error":null,"truncated":false,"stopped":false,` +
		`"refused":[{"tool":"server/add","code":"arguments_invalid","count":3}]}`
	if got := text(result); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestBadInputIsAnErrorTheModelCanRead(t *testing.T) {
	c := client(t, newServer(t, nil), nil)
	for name, test := range map[string]struct {
		args any
		want string
	}{
		"missing":        {map[string]any{}, "missing"},
		"null":           {map[string]any{"code": nil}, "missing"},
		"empty":          {map[string]any{"code": ""}, "empty"},
		"a number":       {map[string]any{"code": 7}, "not a string"},
		"two arguments":  {map[string]any{"code": "1", "lang": "py"}, `"lang"`},
		"a list":         {[]any{"code"}, "one argument"},
		"2 MB":           {map[string]any{"code": strings.Repeat("#", 2<<20)}, "larger than 1 MiB"},
		"lone surrogate": {json.RawMessage(`{"code": "print('\ud800')"}`), "clean JSON"},
		"duplicate keys": {json.RawMessage(`{"code": "1", "code": "2"}`), "clean JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			result := runPython(t, c, test.args)
			if got := text(result); !result.IsError || !strings.Contains(got, test.want) {
				t.Errorf("error %v, text %q, want an error with %q", result.IsError, got, test.want)
			}
		})
	}
	if got := text(runPython(t, c, map[string]any{"code": "1+1"})); !strings.Contains(got, `"stdout":"2\n"`) {
		t.Errorf("afterwards: %s", got)
	}
}

func TestProgressNamesTheCalls(t *testing.T) {
	var mu sync.Mutex
	var got []string
	c := client(t, newServer(t, nil), &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, n *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			if strings.HasPrefix(n.Params.Message, "call ") {
				got = append(got, n.Params.Message)
			}
		}})
	params := &mcp.CallToolParams{Name: "run_python", Arguments: map[string]any{"code": "await add(a=1, b=2); await secret()"}}
	params.SetProgressToken("p")
	if _, err := c.CallTool(context.Background(), params); err != nil {
		t.Fatal(err)
	}
	want := []string{"call 1: server/add", "call 2: server/secret"}
	waitFor(t, "the notifications", func() bool { mu.Lock(); defer mu.Unlock(); return len(got) >= len(want) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited 20 s for %s", what)
		}
	}
}

func receive(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(20 * time.Second):
		t.Fatalf("waited 20 s for %s", what)
	}
}

func TestHandshakeDoesNotWaitForUpstreams(t *testing.T) {
	let := make(chan struct{})
	s := newServer(t, func(o *server.Options) {
		up := newUpstream()
		o.Bridge = func(ctx context.Context) (*bridge.Bridge, error) {
			<-let
			return up.bridge(ctx)
		}
	})
	c := client(t, s, nil) // returns after the handshake
	close(let)
	tools, err := c.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(tools.Tools) != 1 || !strings.Contains(tools.Tools[0].Description, "async def add(") {
		t.Errorf("tools: %+v", tools.Tools)
	}
}

func TestAnUpstreamThatDoesNotStartFailsTheWaitingRequest(t *testing.T) {
	s := newServer(t, func(o *server.Options) {
		o.Bridge = func(context.Context) (*bridge.Bridge, error) {
			return nil, &bridge.ServerError{Server: "tracker", Err: errors.New("exit status 1; stderr: no token")}
		}
	})
	here, there := mcp.NewInMemoryTransports()
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), there) }()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(context.Background(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const want = `starting server "tracker": exit status 1; stderr: no token`
	if _, err := c.ListTools(context.Background(), nil); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("tools/list: %v, want %q", err, want)
	}
	if err := <-served; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Serve: %v, want %q", err, want)
	}
}

func TestSlowUpstreamsRunIntoTheStartupTimeout(t *testing.T) {
	s := newServer(t, func(o *server.Options) {
		o.StartupTimeout = 50 * time.Millisecond
		o.Bridge = func(ctx context.Context) (*bridge.Bridge, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
	})
	if err := s.Ready(context.Background()); err == nil || !strings.Contains(err.Error(), "not ready within 50ms") {
		t.Errorf("Ready: %v", err)
	}
}

func TestPrivateDataIsRememberedFromRunToRun(t *testing.T) {
	s := newServer(t, nil)
	ctx := context.Background()
	if _, err := s.Run(ctx, "await secret()"); err != nil {
		t.Fatal(err)
	}
	result, err := s.Run(ctx, "await add(a=1, b=2)")
	if err != nil {
		t.Fatal(err)
	}
	want := []bridge.Refusal{{Tool: "server/add", Code: "private_data", Count: 1}}
	if diff := cmp.Diff(want, result.Refused); diff != "" {
		t.Errorf("refused in the next run (-want +got):\n%s", diff)
	}
}

func TestSessionsPerConnectionAreApart(t *testing.T) {
	for name, test := range map[string]struct {
		stateless bool
		shared    bool // a label of one connection holds for the other
	}{
		"stateful HTTP has a session for each connection":         {stateless: false, shared: false},
		"stateless HTTP keeps the labels from request to request": {stateless: true, shared: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, func(o *server.Options) { o.SessionPerConnection = true })
			web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.MCP() },
				&mcp.StreamableHTTPOptions{Stateless: test.stateless}))
			defer web.Close()
			first, second := &post{url: web.URL}, &post{url: web.URL}
			first.run(t, "await secret()")
			if got := first.run(t, "await add(a=1, b=2)"); !strings.Contains(got, "private_data") {
				t.Errorf("the connection that earned the label: %s", got)
			}
			if got := second.run(t, "await add(a=1, b=2)"); strings.Contains(got, "private_data") != test.shared {
				t.Errorf("another connection: %s", got)
			}
		})
	}
}

// post is a client of MCP over HTTP in the version that has session ids.
type post struct {
	url, session string
	requests     int
}

func (p *post) run(t *testing.T, code string) string {
	t.Helper()
	if p.requests == 0 {
		p.send(t, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
			"clientInfo": map[string]any{"name": "post", "version": "1"}})
	}
	return p.send(t, "tools/call", map[string]any{"name": "run_python", "arguments": map[string]any{"code": code}})
}

func (p *post) send(t *testing.T, method string, params any) string {
	t.Helper()
	p.requests++
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": p.requests, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest("POST", p.url, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2025-06-18")
	if p.session != "" {
		req.Header.Set("Mcp-Session-Id", p.session)
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if id := response.Header.Get("Mcp-Session-Id"); id != "" {
		p.session = id
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v %s %s", method, err, response.Status, answer)
	}
	return string(answer)
}

func TestCellsKeepVariables(t *testing.T) {
	cells, err := newServer(t, nil).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer cells.Close()
	for _, cell := range []struct{ code, want string }{
		{"x = (await add(a=20, b=1)).data['sum']", ""},
		{"def double(n): return 2 * n", ""},
		{"double(x)", "42\n"},
	} {
		result, err := cells.Exec(context.Background(), cell.code)
		if err != nil {
			t.Fatal(err)
		}
		if result.Stdout != cell.want || result.Error != nil {
			t.Errorf("%s: %+v", cell.code, result)
		}
	}
}

func TestAMissingSandboxIsAnErrorUntilThereIsOne(t *testing.T) {
	working := python(t)
	var mu sync.Mutex
	broken := true
	s := newServer(t, func(o *server.Options) {
		o.Driver = func(ctx context.Context) (sandbox.Driver, error) {
			mu.Lock()
			defer mu.Unlock()
			if broken {
				return nil, errors.New("connecting to /var/run/secret.sock: refused")
			}
			return working(ctx)
		}
	})
	c := client(t, s, nil)
	result := runPython(t, c, map[string]any{"code": "1"})
	if got := text(result); !result.IsError || !strings.Contains(got, "doctor") || strings.Contains(got, "secret.sock") {
		t.Errorf("without a sandbox: error %v, %q", result.IsError, got)
	}
	mu.Lock()
	broken = false
	mu.Unlock()
	if got := text(runPython(t, c, map[string]any{"code": "print('back')"})); !strings.Contains(got, "back") {
		t.Errorf("with one: %s", got)
	}
}

func TestDescriptionFallsBackToSummaries(t *testing.T) {
	s := newServer(t, func(o *server.Options) {
		o.Bridge = func(ctx context.Context) (*bridge.Bridge, error) {
			return bridge.New(ctx, bridge.Options{Servers: []bridge.Server{{Name: "many", Transport: manyTools(300)}}})
		}
	})
	got, err := s.Description(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) > server.MaxDescription || !strings.Contains(got, "search_tools(query)") || strings.Contains(got, "async def many__") {
		t.Errorf("description of 300 tools, %d bytes:\n%s", len(got), got)
	}
}

func manyTools(n int) mcp.Transport {
	s := mcp.NewServer(&mcp.Implementation{Name: "many", Version: "1"}, &mcp.ServerOptions{PageSize: 100})
	for i := range n {
		s.AddTool(&mcp.Tool{
			Name: "tool_number_" + string(rune('a'+i/26)) + string(rune('a'+i%26)), Description: strings.Repeat("It does things. ", 20),
			InputSchema: json.RawMessage(`{"type":"object","properties":{"x":{"type":"string"}}}`),
		}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	}
	here, there := mcp.NewInMemoryTransports()
	go func() { _ = s.Run(context.Background(), there) }() // ends with the connection
	return here
}
