//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Protocol versions of clients in use.
const (
	stateless = "2026-07-28" // no handshake: each request says the version
	current   = "2025-11-25"
	older     = "2025-06-18"
)

// A client speaks MCP to a program, line by line and without an SDK, so that
// nothing is made up for it and nothing is kept from it.
type client struct {
	*started
	version string

	in  io.WriteCloser
	out io.ReadCloser

	mu      sync.Mutex // guards what follows
	last    int        // id of a request
	waiting map[int]chan message
	notes   []message
	ended   bool // its stdout
}

type message struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// read hands out what the program says. Standard output belongs to the protocol:
// whatever is not a message fails the test.
func (c *client) read() {
	lines := bufio.NewReader(c.out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			c.t.Errorf("stdout holds what is no message: %.200q", line)
			continue
		}
		c.mu.Lock()
		if m.Method != "" || m.ID == nil { // an answer without an id is about no request in particular
			c.notes = append(c.notes, m)
		} else if answer, ok := c.waiting[*m.ID]; ok {
			delete(c.waiting, *m.ID)
			answer <- m
		} else if m.Error == nil {
			c.t.Errorf("a result nobody waits for: %.200q", line)
		}
		c.mu.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, answer := range c.waiting {
		close(answer)
	}
}

// send writes one line. A program that is gone is not an error here.
func (c *client) send(line string) { _, _ = io.WriteString(c.in, line+"\n") }

// params are the parameters of a request, by name.
type params = map[string]any

// A request is one that was sent.
type request struct {
	c      *client
	id     int
	method string
	answer chan message
}

// ask sends a request.
func (c *client) ask(method string, p params) *request {
	c.t.Helper()
	text, err := json.Marshal(c.tagged(p))
	if err != nil {
		c.t.Fatal(err)
	}
	return c.askRaw(method, string(text))
}

// askRaw sends a request whose parameters are JSON text.
func (c *client) askRaw(method, p string) *request {
	c.mu.Lock()
	c.last++
	r := &request{c, c.last, method, make(chan message, 1)}
	if c.ended {
		close(r.answer)
	} else {
		c.waiting[r.id] = r.answer
	}
	c.mu.Unlock()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, r.id, method, p))
	return r
}

// tagged adds what each request says about its client, where there is no
// handshake to say it.
func (c *client) tagged(p params) params {
	all := maps.Clone(p)
	if all == nil {
		all = params{}
	}
	if c.version == stateless {
		meta, _ := p["_meta"].(params)
		meta = maps.Clone(meta)
		if meta == nil {
			meta = params{}
		}
		meta["io.modelcontextprotocol/protocolVersion"] = stateless
		meta["io.modelcontextprotocol/clientInfo"] = params{"name": "e2e", "version": "1"}
		meta["io.modelcontextprotocol/clientCapabilities"] = params{}
		all["_meta"] = meta
	}
	return all
}

// wait returns the answer. A program that ends instead fails the test.
func (r *request) wait() message {
	r.c.t.Helper()
	select {
	case m, ok := <-r.answer:
		if !ok {
			r.c.t.Fatalf("%s: the program ended without an answer", r.method)
		}
		return m
	case <-time.After(patience):
		r.c.t.Fatalf("%s: no answer in %v", r.method, patience)
		panic("not reached")
	}
}

// answered reports whether the answer is there already.
func (r *request) answered() bool { return len(r.answer) > 0 }

// cancel tells the program that nobody waits any more.
func (r *request) cancel() {
	r.c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"test"}}`, r.id))
}

// result waits for an answer that is no error, and reads it into v.
func (r *request) result(v any) {
	r.c.t.Helper()
	m := r.wait()
	if m.Error != nil {
		r.c.t.Fatalf("%s: error %d: %s", r.method, m.Error.Code, m.Error.Message)
	}
	if err := json.Unmarshal(m.Result, v); err != nil {
		r.c.t.Fatalf("%s: %v in %s", r.method, err, m.Result)
	}
}

// fails waits for an answer that is an error with a text.
func (r *request) fails(want string) {
	r.c.t.Helper()
	if m := r.wait(); m.Error == nil || !strings.Contains(m.Error.Message, want) {
		r.c.t.Errorf("%s: %s, error %+v, want one with %q", r.method, m.Result, m.Error, want)
	}
}

// hello does the handshake of a version, if it has one.
func (c *client) hello(version string) {
	c.t.Helper()
	c.version = version
	if version == stateless {
		return
	}
	var got struct{ ProtocolVersion string }
	c.ask("initialize", params{
		"protocolVersion": version, "capabilities": params{}, "clientInfo": params{"name": "e2e", "version": "1"},
	}).result(&got)
	if got.ProtocolVersion != version {
		c.t.Errorf("initialize with %s: the program wants %q", version, got.ProtocolVersion)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// progress are the messages of the notifications with a token, "" for any.
func (c *client) progress(token string) (messages []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, note := range c.notes {
		var p struct{ ProgressToken, Message string }
		if note.Method == "notifications/progress" && json.Unmarshal(note.Params, &p) == nil && (token == "" || token == p.ProgressToken) &&
			strings.HasPrefix(p.Message, "call ") {
			messages = append(messages, p.Message)
		}
	}
	return messages
}

// outcome is what run_python returns.
type outcome struct {
	Stdout    string
	Error     *string
	Truncated bool
	Stopped   bool
	Refused   []refusal
}

type refusal struct {
	Tool, Code string
	Count      int
}

func (o outcome) err() string {
	if o.Error == nil {
		return ""
	}
	return *o.Error
}

// toolResult is the result of tools/call.
type toolResult struct {
	IsError           bool
	Content           []struct{ Type, Text string }
	StructuredContent *outcome
}

func (r toolResult) text() string {
	var texts []string
	for _, block := range r.Content {
		texts = append(texts, block.Text)
	}
	return strings.Join(texts, "\n")
}

func (c *client) start(code string) *request {
	c.t.Helper()
	return c.ask("tools/call", params{"name": "run_python", "arguments": params{"code": code}})
}

// outcome waits for the result of a run.
func (r *request) outcome() outcome {
	r.c.t.Helper()
	var got toolResult
	r.result(&got)
	if got.IsError || got.StructuredContent == nil {
		r.c.t.Fatalf("run_python failed: %s", got.text())
	}
	return *got.StructuredContent
}

func (c *client) run(code string) outcome {
	c.t.Helper()
	return c.start(code).outcome()
}

// prints runs code that must finish and print want.
func (c *client) prints(code, want string) {
	c.t.Helper()
	wantOutcome(c.t, c.run(code), outcome{Stdout: want})
}

// works checks that the next run is as good as the first.
func (c *client) works() {
	c.t.Helper()
	c.prints("6 * 7", "42\n")
}

func wantOutcome(t *testing.T, got, want outcome) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
}
