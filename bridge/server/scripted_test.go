package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// scripted is a driver whose machines are goroutines that say what the runner says
// when code makes one call and prints what comes of it. It is for tests that need
// thousands of sandboxes.
type scripted struct{}

func (scripted) Name() string           { return "scripted" }
func (scripted) Limits() sandbox.Limits { return sandbox.Limits{} }
func (scripted) Close() error           { return nil }

func (scripted) Start(context.Context) (sandbox.Instance, error) {
	m := &script{done: make(chan struct{})}
	m.fromHost, m.in = io.Pipe()
	m.out, m.toHost = io.Pipe()
	go m.play()
	return m, nil
}

type script struct {
	in       *io.PipeWriter
	out      *io.PipeReader
	fromHost *io.PipeReader
	toHost   *io.PipeWriter
	kill     sync.Once
	done     chan struct{}
}

func (m *script) Read(b []byte) (int, error)  { return m.out.Read(b) }
func (m *script) Write(b []byte) (int, error) { return m.in.Write(b) }

func (m *script) OnStderr(func(int)) {}

func (m *script) Kill() {
	m.kill.Do(func() {
		m.in.Close()
		m.out.Close()
	})
}

func (m *script) Wait() sandbox.Exit {
	<-m.done
	return sandbox.Exit{}
}

func (m *script) play() {
	defer close(m.done)
	defer m.toHost.Close()
	cell := 0
	m.say(`{"op":"ready","version":2}`)
	for lines := bufio.NewScanner(m.fromHost); lines.Scan(); {
		var line struct {
			Op, Code, Text string
			Cell           int
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return
		}
		switch line.Op {
		case "exec":
			cell = line.Cell
			m.say(`{"op":"call","id":1,"tool":"server/add","args":%s}`, line.Code)
		case "result":
			m.say(`{"op":"out","text":%q}`, line.Text)
			m.say(`{"op":"done","cell":%d,"error":null}`, cell)
		case "seen":
		default:
			m.say(`{"op":"ready","version":2}`)
		}
	}
}

func (m *script) say(format string, args ...any) { fmt.Fprintf(m.toHost, format+"\n", args...) }
