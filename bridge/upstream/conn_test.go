package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkServer is a server of the MCP SDK with a tool that mirrors its arguments, one
// that waits, and one that asks its client for input.
func sdkServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","zeta":1,"alpha":123456789012345678901234567890}`)
	s.AddTool(&mcp.Tool{Name: "mirror", InputSchema: schema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: r.Params.Arguments}, nil
	})
	s.AddTool(&mcp.Tool{Name: "wait", InputSchema: schema}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	s.AddTool(&mcp.Tool{Name: "big", InputSchema: schema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var args struct{ Bytes int }
		_ = json.Unmarshal(r.Params.Arguments, &args)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", args.Bytes)}}}, nil
	})
	s.AddTool(&mcp.Tool{Name: "ask", InputSchema: schema}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"a": &mcp.ElicitParams{Message: "?"}}}, nil
	})
	return s
}

func inMemory(t testing.TB) *Upstream {
	t.Helper()
	there, here := mcp.NewInMemoryTransports()
	session, err := sdkServer().Connect(context.Background(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return startTest(t, Options{Transport: here})
}

const exact = `{"z":123456789012345678901234567890,"a":1.0,"t":"<&>é"}`

func TestAnInMemoryServerIsWrappedLikeAProcess(t *testing.T) {
	u := inMemory(t)
	if got := u.live.Load().version; got != stateless {
		t.Errorf("version %q, want %q", got, stateless)
	}
	if diff := cmp.Diff([]string{"ask", "big", "mirror", "wait"}, names(u)); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	checkCalls(t, u)
	if _, err := u.Call(testContext(t), "ask", nil); !errors.Is(err, ErrBadAnswer) || !strings.Contains(err.Error(), "asks for input") {
		t.Errorf("a tool that asks for input: %v", err)
	}
	if err := u.Close(); err != nil {
		t.Error(err)
	}
	if _, err := u.Call(testContext(t), "mirror", nil); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a call after Close: %v", err)
	}
}

// checkCalls checks exactness, cancellation and parallel calls of an sdkServer.
func checkCalls(t *testing.T, u *Upstream) {
	t.Helper()
	r, err := u.Call(testContext(t), "mirror", []byte(exact))
	if err != nil {
		t.Fatal(err)
	}
	// json.Marshal in the server escapes what is special in HTML; the rest is exact.
	if got := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(r.Structured)); got != exact {
		t.Errorf("got %s, want %s", got, exact)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := u.Call(ctx, "wait", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call that is cancelled: %v", err)
	}
	var wg sync.WaitGroup
	all := testContext(t)
	for i := range 100 {
		wg.Go(func() {
			want := fmt.Sprintf(`{"i":%d}`, i)
			if r, err := u.Call(all, "mirror", []byte(want)); err != nil || string(r.Structured) != want {
				t.Errorf("got %s, %v; want %s", r.Structured, err, want)
			}
		})
	}
	wg.Wait()
}

func TestAnHTTPServerIsWrappedLikeAProcess(t *testing.T) {
	for name, o := range map[string]*mcp.StreamableHTTPOptions{
		"event stream": {}, "json": {JSONResponse: true}, "stateless": {Stateless: true, PropagateRequestCancellation: true}, "stateless json": {Stateless: true, JSONResponse: true, PropagateRequestCancellation: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := sdkServer()
			h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, o))
			t.Cleanup(h.Close)
			u := startTest(t, Options{Transport: &mcp.StreamableClientTransport{Endpoint: h.URL, MaxRetries: -1}})
			if got, want := string(u.Tools()[0].InputSchema), `{"type":"object","zeta":1,"alpha":123456789012345678901234567890}`; got != want {
				t.Errorf("schema %s, want %s", got, want)
			}
			checkCalls(t, u)
			for _, bytes := range []string{"17000000", "20000000"} {
				// What the SDK drops on the way is an error of the call, whatever it is called.
				if _, err := u.Call(testContext(t), "big", []byte(`{"bytes":`+bytes+`}`)); !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrUnavailable) {
					t.Errorf("%s bytes: error %v", bytes, err)
				}
			}
			checkCalls(t, u)
			u.Close()
		})
	}
}

func TestParametersThatBelongInHeadersArePutThere(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},
		"nested":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"},"b":{"type":"boolean","x-mcp-header":"B"}}}}}`)
	server.AddTool(&mcp.Tool{Name: "t", InputSchema: schema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "fine"}}}, nil
	})
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true}))
	defer h.Close()
	u := startTest(t, Options{Transport: &mcp.StreamableClientTransport{Endpoint: h.URL, MaxRetries: -1}})
	defer u.Close()
	// The server refuses a call whose headers and arguments differ.
	for _, args := range []string{
		`{}`, `{"region":"eu"}`, `{"region":null}`, `{"region":"Zürich "}`, `{"region":"=?base64?x?="}`, `{"region":""}`,
		`{"nested":{"n":7,"b":true}}`, `{"nested":{"n":-1,"b":false},"region":"a b"}`,
	} {
		r, err := u.Call(testContext(t), "t", []byte(args))
		if args == `{"region":""}` && err != nil {
			continue // an empty header is none to the server
		}
		if err != nil || textOf(t, r) != "fine" {
			t.Errorf("%s: %s, %v", args, r.Content, err)
		}
	}
}

func TestAToolWithAHeaderThatIsNoneIsLeftOut(t *testing.T) {
	l := &listing{names: map[string]bool{}}
	for name, schema := range map[string]string{
		"newline":   `{"properties":{"a":{"type":"string","x-mcp-header":"A\r\nB: c"}}}`,
		"number":    `{"properties":{"a":{"type":"string","x-mcp-header":7}}}`,
		"array":     `{"properties":{"a":{"type":"array","x-mcp-header":"A"}}}`,
		"duplicate": `{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"properties":{"c":{"type":"string","x-mcp-header":"a"}}}}}`,
		"good":      `{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}`,
		"none":      `{"properties":{"a":true,"b":[]}}`,
	} {
		l.add([]byte(`{"name":"` + name + `","inputSchema":` + schema + `}`))
	}
	headers := l.mirror()
	if len(l.tools) != 2 || len(l.warnings) != 4 || len(headers) != 1 || headers["good"] == nil {
		t.Errorf("kept %v, warnings %q, headers %v", l.tools, l.warnings, headers)
	}
}

// oldHTTP is a server of MCP 2025-06-18 written by hand. It knows nothing of
// server/discover and insists on the version header.
type oldHTTP struct {
	session atomic.Int64
	mu      sync.Mutex
	problem string
}

func (o *oldHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	_ = json.Unmarshal(body, &m)
	id := fmt.Sprint(o.session.Load())
	if m.Method != "initialize" && m.Method != "server/discover" {
		if r.Header.Get("Mcp-Session-Id") != id {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if v := r.Header.Get("Mcp-Protocol-Version"); v != "2025-06-18" {
			o.mu.Lock()
			o.problem = fmt.Sprintf("%s came with version %q", m.Method, v)
			o.mu.Unlock()
		}
	}
	w.Header().Set("Content-Type", "application/json")
	answer := func(result string) { fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result) }
	switch m.Method {
	case "server/discover":
		http.Error(w, "what?", http.StatusBadRequest)
	case "initialize":
		id = fmt.Sprint(o.session.Add(1))
		w.Header().Set("Mcp-Session-Id", id)
		answer(`{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"old","version":"1"}}`)
	case "tools/list":
		answer(`{"tools":[{"name":"t","inputSchema":{"type":"object"}},{"name":"huge","inputSchema":{"type":"object"}}]}`)
	case "tools/call":
		if strings.Contains(string(m.Params), "huge") {
			_, _ = io.WriteString(w, strings.Repeat(" ", DefaultAnswer+lineFrame))
		}
		answer(`{"content":[{"type":"text","text":"` + id + `"}]}`)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

func TestAnHTTPServerThatLostItsSessionGetsANewOne(t *testing.T) {
	o := &oldHTTP{}
	h := httptest.NewServer(o)
	defer h.Close()
	u := startTest(t, Options{Transport: &mcp.StreamableClientTransport{Endpoint: h.URL, MaxRetries: -1}})
	defer u.Close()
	call := func() (string, error) {
		r, err := u.Call(testContext(t), "t", nil)
		if err != nil {
			return "", err
		}
		return textOf(t, r), nil
	}
	if got, err := call(); got != "1" || err != nil {
		t.Fatalf("got %q, %v", got, err)
	}
	o.session.Add(10)
	if _, err := call(); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a call without a session: %v", err)
	}
	if got, err := call(); got != "12" || err != nil {
		t.Errorf("the call after it: %q, %v", got, err)
	}
	if o.problem != "" {
		t.Error(o.problem)
	}
}

func TestABodyOverTheLimitCostsItsCallOnly(t *testing.T) {
	h := httptest.NewServer(&oldHTTP{})
	defer h.Close()
	u := startTest(t, Options{Transport: &mcp.StreamableClientTransport{Endpoint: h.URL, MaxRetries: -1}})
	defer u.Close()
	if _, err := u.Call(testContext(t), "huge", nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v", err)
	}
	r, err := u.Call(testContext(t), "t", nil)
	if err != nil || textOf(t, r) != "1" {
		t.Errorf("the session did not survive: %v", err)
	}
}

func TestAServerCanNotRedirectACallToAnother(t *testing.T) {
	var stolen atomic.Pointer[string]
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		stolen.Store(&auth)
	}))
	defer thief.Close()
	server := &oldHTTP{}
	mux := http.NewServeMux()
	mux.Handle("/", server)
	mux.Handle("/within", http.RedirectHandler("/", http.StatusTemporaryRedirect))
	mux.Handle("/host", http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	mux.Handle("/loop", http.RedirectHandler("/loop", http.StatusPermanentRedirect))
	h := httptest.NewServer(mux)
	defer h.Close()
	mux.Handle("/scheme", http.RedirectHandler("https://"+h.Listener.Addr().String(), http.StatusTemporaryRedirect))

	client := &http.Client{Transport: signed{}}
	at := func(path string, c *http.Client) Options {
		return Options{Name: "test", Transport: &mcp.StreamableClientTransport{Endpoint: h.URL + path, HTTPClient: c, MaxRetries: -1}}
	}
	for path, want := range map[string]string{
		"/host": "refusing a redirect from http://", "/scheme": "to https://", "/loop": "refusing more than 5 redirects",
	} {
		_, err := Start(testContext(t), at(path, client))
		if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
	if auth := stolen.Load(); auth != nil {
		t.Errorf("the other host was asked, with the authorization %q", *auth)
	}
	if client.CheckRedirect != nil {
		t.Error("the caller's client was changed")
	}
	u := startTest(t, at("/within", client))
	if r, err := u.Call(testContext(t), "t", nil); err != nil || textOf(t, r) == "" {
		t.Errorf("a redirect to the same server: %v", err)
	}
	u.Close()

	own := errors.New("the caller's own rule")
	_, err := Start(testContext(t), at("/within", &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return own }}))
	if err == nil || !strings.Contains(err.Error(), own.Error()) {
		t.Errorf("error %v, want %v", err, own)
	}
}

// signed is a caller's transport that puts credentials into every request.
type signed struct{}

func (signed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer secret")
	return http.DefaultTransport.RoundTrip(r)
}

// stuck is a connection whose writes never end before it is closed.
type stuck struct{ closed chan struct{} }

func (s *stuck) Connect(context.Context) (mcp.Connection, error) { return s, nil }
func (s *stuck) Read(context.Context) (jsonrpc.Message, error)   { <-s.closed; return nil, io.EOF }
func (s *stuck) Write(context.Context, jsonrpc.Message) error    { <-s.closed; return io.EOF }
func (s *stuck) SessionID() string                               { return "" }
func (s *stuck) Close() error                                    { close(s.closed); return nil }

func TestAConnectionThatIsStuckHoldsNobodyPastItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := Start(ctx, Options{Name: "stuck", Transport: &stuck{make(chan struct{})}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestOptionsThatNameNoServerAreRefused(t *testing.T) {
	here, _ := mcp.NewInMemoryTransports()
	for _, o := range []Options{
		{Command: &Command{Path: "x"}}, {Name: "x"}, {Name: "x", Command: &Command{Path: "x"}, Transport: here},
	} {
		if u, err := Start(context.Background(), o); err == nil {
			u.Close()
			t.Errorf("%+v was accepted", o)
		}
	}
}
