package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// maxAnswer bounds one line of a server.
const maxAnswer = 64 << 20

// client speaks MCP to a program over its pipes, as plain lines of JSON: what an
// SDK would add on this side is not part of what is measured. Its methods may be
// called from any goroutine.
type client struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	said  bytes.Buffer  // its stderr; to be read when it has ended
	ended chan struct{} // closed when its stdout has

	mu      sync.Mutex
	last    int                    // id of a request; guarded by mu
	waiting map[string]chan<- line // by id; nil once the program's stdout has ended; guarded by mu
}

// line is an answer and when it was read.
type line struct {
	text []byte
	at   time.Time
}

// connect starts a program and does the handshake with it.
func connect(ctx context.Context, args ...string) (*client, error) {
	c, err := begin(ctx, args...)
	if err != nil {
		return nil, err
	}
	if err := c.hello(); err != nil {
		c.close()
		return nil, fmt.Errorf("%w\n%s", err, c.said.Bytes())
	}
	return c, nil
}

// begin starts a program.
func begin(ctx context.Context, args ...string) (*client, error) {
	c := &client{ended: make(chan struct{}), waiting: map[string]chan<- line{}}
	c.cmd = exec.CommandContext(ctx, args[0], args[1:]...)
	c.cmd.Stderr = &c.said
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go c.read(out)
	return c, nil
}

func (c *client) hello() error {
	params := `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`
	if _, _, err := c.ask("initialize", []byte(params)); err != nil {
		return err
	}
	_, err := io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return err
}

// read is the reader's goroutine; it ends with the program.
func (c *client) read(out io.Reader) {
	defer close(c.ended)
	lines := bufio.NewScanner(out)
	lines.Buffer(make([]byte, 64<<10), maxAnswer)
	for lines.Scan() {
		at := time.Now()
		var m struct {
			ID     json.RawMessage
			Method string
		}
		text := bytes.Clone(lines.Bytes())
		if json.Unmarshal(text, &m) != nil || m.Method != "" {
			continue
		}
		c.mu.Lock()
		answer := c.waiting[string(m.ID)]
		delete(c.waiting, string(m.ID))
		c.mu.Unlock()
		if answer != nil {
			answer <- line{text, at}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, answer := range c.waiting {
		close(answer)
	}
	c.waiting = nil
}

// ask sends a request and returns its result, and the time from the request
// written to the answer read.
func (c *client) ask(method string, params []byte) (json.RawMessage, time.Duration, error) {
	answer := make(chan line, 1)
	c.mu.Lock()
	if c.waiting == nil {
		c.mu.Unlock()
		return nil, 0, fmt.Errorf("%s: the program has ended", method)
	}
	c.last++
	id := strconv.Itoa(c.last)
	c.waiting[id] = answer
	c.mu.Unlock()
	request := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", id, method, params)
	start := time.Now()
	if _, err := c.in.Write(request); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", method, err)
	}
	got, ok := <-answer
	if !ok {
		return nil, 0, fmt.Errorf("%s: the program ended without an answer", method)
	}
	var m struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.Unmarshal(got.text, &m); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", method, err)
	}
	if m.Error != nil {
		return nil, 0, fmt.Errorf("%s: %s", method, m.Error.Message)
	}
	return m.Result, got.at.Sub(start), nil
}

// run runs code and returns what it printed and how long the request took.
func (c *client) run(code string) (string, time.Duration, error) {
	params, err := json.Marshal(map[string]any{"name": "run_python", "arguments": map[string]any{"code": code}})
	if err != nil {
		return "", 0, err
	}
	raw, took, err := c.ask("tools/call", params)
	if err != nil {
		return "", 0, err
	}
	var result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent struct {
			Stdout string
			Error  *string
		}
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return "", 0, err
	}
	switch {
	case result.IsError:
		return "", 0, fmt.Errorf("run_python: %s", result.Content[0].Text)
	case result.StructuredContent.Error != nil:
		return "", 0, errors.New("the code failed: " + *result.StructuredContent.Error)
	}
	return result.StructuredContent.Stdout, took, nil
}

// timeRun is run for code whose output does not matter.
func (c *client) timeRun(code string) (time.Duration, error) {
	_, took, err := c.run(code)
	return took, err
}

// close hangs up and waits for the program to end.
func (c *client) close() {
	c.in.Close()
	<-c.ended
	if err := c.cmd.Wait(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n%s", c.cmd, err, c.said.Bytes())
	}
}
