package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
)

// floodEnv makes the test binary a host with one run that is nothing but work for
// it, for so many seconds.
const floodEnv = "SERVER_TEST_FLOOD"

// flooding is a driver whose machines make calls that cost much to refuse, as fast
// as they are answered.
type flooding struct{ scripted }

func (flooding) Start(context.Context) (sandbox.Instance, error) {
	m := &script{done: make(chan struct{})}
	m.fromHost, m.in = io.Pipe()
	m.out, m.toHost = io.Pipe()
	go m.flood()
	return m, nil
}

func (m *script) flood() {
	defer close(m.done)
	defer m.toHost.Close()
	m.say(`{"op":"ready","version":2}`)
	args := `{"a":[` + strings.Repeat(`{},`, 20_000) + `{}]}`
	lines := bufio.NewReader(m.fromHost)
	for id := 0; ; {
		line, err := lines.ReadString('\n')
		switch {
		case err != nil:
			return
		case strings.Contains(line, `"op":"init"`), strings.Contains(line, `"op":"ping"`):
			m.say(`{"op":"ready","version":2}`)
		default: // the code, or an answer
			id++
			m.say(`{"op":"call","id":%d,"tool":"server/add","args":%s}`, id, args)
		}
	}
}

// flood is the host.
func flood() error {
	seconds, err := strconv.Atoi(os.Getenv(floodEnv))
	if err != nil {
		return err
	}
	s, err := server.New(server.Options{
		Bridge: newUpstream().bridge,
		Driver: func(context.Context) (sandbox.Driver, error) {
			return sandboxtest.WithLimits(flooding{}, sandbox.Limits{Deadline: time.Duration(seconds) * time.Second}), nil
		},
	})
	if err != nil {
		return err
	}
	defer s.Close()
	r, err := s.Run(context.Background(), "flood")
	if err == nil {
		fmt.Println(*r.Error)
		for _, refused := range r.Refused {
			fmt.Println(refused.Code, refused.Count)
		}
	}
	return err
}

// TestARunCostsTheHostNoMoreThanItsShare measures the processor time of a host whose
// one run makes it work as hard as it can: at most a second that was saved up and a
// quarter of the time, and what collecting the garbage of that takes.
func TestARunCostsTheHostNoMoreThanItsShare(t *testing.T) {
	const seconds = 10
	host := exec.CommandContext(t.Context(), os.Args[0])
	host.Env = append(os.Environ(), fmt.Sprintf("%s=%d", floodEnv, seconds))
	out, err := host.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	spent := host.ProcessState.UserTime() + host.ProcessState.SystemTime()
	t.Logf("%v of processor time in %d s\n%s", spent, seconds, out)
	if limit := seconds * time.Second * 6 / 10; spent > limit {
		t.Errorf("one run cost %v of processor time, want at most %v", spent, limit)
	}
	if !strings.Contains(string(out), "stopped: deadline of 10 s reached") || !strings.Contains(string(out), "arguments_too_large") {
		t.Errorf("the run made no work: %s", out)
	}
}

func TestARunOfRefusedCallsIsStopped(t *testing.T) {
	s := newServer(t, nil)
	r, err := s.Run(t.Context(), `
while True:
    try: await add(a='no', b=1)
    except ToolError: pass`)
	if err != nil || !r.Stopped || r.Error == nil || *r.Error != "stopped: more than 1000 refused calls" {
		t.Errorf("got %+v, %v", r, err)
	}
}
