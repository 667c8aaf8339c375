package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
)

// stdio serves over pipes and returns the client's ends.
func stdio(t *testing.T, s *server.Server) (io.WriteCloser, *bufio.Reader) {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- s.Serve(context.Background(), &server.Stdio{In: in, Out: out})
		out.Close()
	}()
	t.Cleanup(func() {
		toServer.Close()
		if err := <-served; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	return toServer, bufio.NewReader(fromServer)
}

func TestALineThatIsNoMessageCostsItselfOnly(t *testing.T) {
	to, from := stdio(t, newServer(t, nil))
	answer := func() string {
		line, err := from.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	for what, test := range map[string]struct{ line, id, code string }{
		"no JSON":               {`run_python, please`, "null", "-32700"},
		"half a message":        {`{"jsonrpc":"2.0","id":1,"meth`, "null", "-32700"},
		"two on a line":         {`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, "null", "-32700"},
		"very deep":             {strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "null", "-32700"},
		"not UTF-8":             {"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}", "6", "-32700"},
		"a string":              {`"ping"`, "null", "-32600"},
		"a batch":               {`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, "null", "-32600"},
		"a huge batch":          {"[" + strings.Repeat(`{"jsonrpc":"2.0","id":7,"method":"ping"},`, 300_000) + "{}]", "null", "-32600"},
		"an id that is one":     {`{"jsonrpc":"1.0\u0001","id":"a\"b","method":"ping"}`, `"a\"b"`, "-32600"},
		"an id that is not":     {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", "-32600"},
		"a method that is not":  {`{"jsonrpc":"2.0","id":8,"method":{}}`, "8", "-32600"},
		"neither id nor method": {`{"jsonrpc":"2.0"}`, "null", "-32600"},
		"too long":              {`{"jsonrpc":"2.0","id":9,"method":"ping","params":"` + strings.Repeat("x", 20<<20) + `"}`, "null", "-32600"},
	} {
		fmt.Fprintf(to, "%s\n\n \r\n", test.line)
		want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%s,`, test.id, test.code)
		if got := answer(); !strings.HasPrefix(got, want) || !json.Valid([]byte(got)) {
			t.Errorf("%s: answered %.200s, want %s", what, got, want)
		}
	}
	fmt.Fprintln(to, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`+"\r")
	if got := answer(); !strings.Contains(got, `"serverInfo"`) {
		t.Errorf("initialize, after all of that: %s", got)
	}
	// An answer to what nobody asked is a message, and nobody waits for it.
	fmt.Fprintln(to, `{"jsonrpc":"2.0","id":5,"result":{}}`)
	fmt.Fprintln(to, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if got := answer(); !strings.Contains(got, `"id":2`) || !strings.Contains(got, `"result"`) {
		t.Errorf("ping: %s", got)
	}
}

// TestTheLargestCodeFitsInAMessage, also when a client escapes all of it.
func TestTheLargestCodeFitsInAMessage(t *testing.T) {
	to, from := stdio(t, newServer(t, nil))
	fmt.Fprintln(to, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	code := "print(1)" + strings.Repeat(`\u0020`, server.MaxCode-len("print(1)"))
	go fmt.Fprintf(to, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_python","arguments":{"code":"%s"}}}`+"\n", code)
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, `"id":2`) {
			if !strings.Contains(line, `"stdout":"1\n"`) {
				t.Errorf("got %.300s", line)
			}
			return
		}
	}
}

// TestTheEndOfServeStopsItsRuns: a call that takes long holds nobody up.
func TestTheEndOfServeStopsItsRuns(t *testing.T) {
	up := newUpstream()
	s := newServer(t, func(o *server.Options) { o.Bridge = up.bridge })
	here, there := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, there) }()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(context.Background(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	answered := make(chan error, 1)
	go func() {
		_, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: "run_python", Arguments: map[string]any{"code": "await wait()"}})
		answered <- err
	}()
	receive(t, "the call", up.started)
	cancel()
	receive(t, "the upstream's call to be cancelled", up.cancelled)
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	<-answered
}
