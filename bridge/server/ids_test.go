package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
)

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// peer is a client that speaks JSON-RPC by hand.
type peer struct {
	t    *testing.T
	to   io.Writer
	from *bufio.Reader
}

func newPeer(t *testing.T, s *server.Server) *peer {
	t.Helper()
	to, from := stdio(t, s)
	p := &peer{t, to, from}
	p.say(hello)
	p.hear()
	return p
}

func (p *peer) say(format string, args ...any) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.to, format+"\n", args...); err != nil {
		p.t.Fatal(err)
	}
}

type heard struct {
	ID, Result json.RawMessage
	Method     string
	Error      *struct {
		Code    int
		Message string
	}
	Params struct {
		ProgressToken json.RawMessage
		RequestID     json.RawMessage `json:"requestId"`
	}
}

func (p *peer) hear() (m heard) {
	p.t.Helper()
	line, err := p.from.ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(line), &m)
	}
	if err != nil {
		p.t.Fatalf("%v: %.200s", err, line)
	}
	return m
}

// oddIDs are ids that a decoder to float64, int64 or a repaired string changes.
var oddIDs = []string{
	`0`, `-0`, `1.5`, `-1.5`, `1.0`, `1e2`, `1E+2`, `1e-2`, `0.1e1`, `123456789012345678901234567890`, `-123456789012345678901234567890`,
	`9007199254740993`, `9223372036854775807`, `9223372036854775808`, `18446744073709551616`, `1e400`, `-1e400`, `1e-400`, `1e99999999999999999999`,
	`0.1000000000000000055511151231257827`,
	`""`, `"a"`, `"a\"b"`, `"\u0061"`, `"\ud800"`, `"\udc00x"`, `"\ud83d\ude00"`, `"😀"`, `"\u0000"`, `"\u00001.5"`, `"\/"`, `"<&>"`, `"1"`, `"null"`, "\"\u2028\"", "\"\ufffd\"",
	`"` + strings.Repeat("x", 1022) + `"`, strings.Repeat("9", 1024),
}

func TestARequestIsAnsweredUnderExactlyItsID(t *testing.T) {
	p := newPeer(t, newServer(t, nil))
	for _, id := range oddIDs {
		for range 2 { // an id is free again once it was answered
			p.say(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id)
			if m := p.hear(); string(m.ID) != id || string(m.Result) != "{}" || m.Error != nil {
				t.Errorf("%.60s: answered under %.60s: %s %+v", id, m.ID, m.Result, m.Error)
			}
		}
		p.say(`{"jsonrpc":"2.0","id":%s,"method":"nonsense"}`, id)
		if m := p.hear(); string(m.ID) != id || m.Error == nil || m.Error.Code != -32601 && m.Error.Code != -32602 {
			t.Errorf("%.60s: answered under %.60s: %s %+v", id, m.ID, m.Result, m.Error)
		}
		p.say(`{"jsonrpc":"1.0","id":%s,"method":"ping"}`, id)
		if m := p.hear(); string(m.ID) != id || m.Error == nil || m.Error.Code != -32600 {
			t.Errorf("%.60s: refused under %.60s: %+v", id, m.ID, m.Error)
		}
	}
}

func TestWhatCanBeNoIDIsRefusedUnderNull(t *testing.T) {
	p := newPeer(t, newServer(t, nil))
	for _, id := range []string{`null`, `true`, `{}`, `[1]`, `"` + strings.Repeat("x", 1023) + `"`, strings.Repeat("1", 1025)} {
		p.say(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id)
		if m := p.hear(); string(m.ID) != "null" || m.Error == nil || m.Error.Code != -32600 {
			t.Errorf("%.60s: answered under %.60s: %s %+v", id, m.ID, m.Result, m.Error)
		}
	}
	// An answer is never answered, whatever is wrong with it.
	for _, id := range append(oddIDs, `null`, `{}`, `"`+strings.Repeat("x", 2000)+`"`) {
		p.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
		p.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32700,"message":"what?"}}`, id)
		p.say(`{"jsonrpc":"2.0","id":%s,"error":5}`, id)
	}
	p.say(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
	if m := p.hear(); string(m.ID) != `"last"` {
		t.Errorf("an answer was answered: %s %+v", m.ID, m.Error)
	}
}

// twins are texts of one id each.
var twins = [][2]string{
	{`7`, `7`}, {`7`, `7.0`}, {`100`, `1e2`}, {`0.5`, `5e-1`}, {`1e400`, `10e399`}, {`0`, `-0.0e9`}, {`12e20`, `1.2E+21`},
	{`"a"`, `"\u0061"`}, {`"😀"`, `"\ud83d\ude00"`}, {`"\ud800"`, `"\ud800"`}, {`123456789012345678901234567890`, `123456789012345678901234567890.0`},
}

func TestAnIDUnderWayIsNotTakenTwice(t *testing.T) {
	up := newUpstream()
	p := newPeer(t, newServer(t, func(o *server.Options) { o.Bridge = up.bridge }))
	for _, id := range twins {
		p.say(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"run_python","arguments":{"code":"await wait()"}}}`, id[0])
		receive(t, "the call", up.started)
		p.say(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id[1])
		if m := p.hear(); string(m.ID) != "null" || m.Error == nil || m.Error.Code != -32600 || !strings.Contains(m.Error.Message, id[1]) {
			t.Errorf("%s beside %s: answered under %s: %s %+v", id[1], id[0], m.ID, m.Result, m.Error)
		}
		// And the other text of the id is the one that is cancelled.
		p.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id[1])
		receive(t, "the call to be cancelled", up.cancelled)
		if m := p.hear(); string(m.ID) != id[0] {
			t.Errorf("%s: answered under %s", id[0], m.ID)
		}
	}
}

func TestACancellationReachesItsRequestOnly(t *testing.T) {
	up := newUpstream()
	p := newPeer(t, newServer(t, func(o *server.Options) { o.Bridge = up.bridge }))
	for _, ids := range [][2]string{ // the request, and what is cancelled instead
		{`1`, `1.5`}, {`1.5`, `1`}, {`1`, `"1"`}, {`"\ud800"`, `"\ud801"`}, {`9007199254740993`, `9007199254740992`},
		{`0`, `null`}, {`0`, `{}`}, {`0`, `false`}, {`-1`, `18446744073709551615`}, {`"1e400"`, `1e400`}, {`1.5`, `"\u00001.5"`},
	} {
		p.say(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"run_python","arguments":{"code":"await wait()"}}}`, ids[0])
		receive(t, "the call", up.started)
		p.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, ids[1])
		p.say(`{"jsonrpc":"2.0","id":"between","method":"ping"}`)
		if m := p.hear(); string(m.ID) != `"between"` {
			t.Errorf("cancelling %s: %s was answered: %+v", ids[1], m.ID, m.Error)
		}
		select {
		case <-up.cancelled:
			t.Errorf("cancelling %s cancelled %s", ids[1], ids[0])
			continue
		default:
		}
		p.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"enough"}}`, ids[0])
		receive(t, "the call to be cancelled", up.cancelled)
		p.hear()
	}
}

func TestProgressCarriesExactlyItsToken(t *testing.T) {
	p := newPeer(t, newServer(t, nil))
	call := func(token string) (tokens []string) {
		p.say(`{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"_meta":{"other":"kept","progressToken":%s},"name":"run_python","arguments":{"code":"await add(a=1, b=2)\n'<ok>'"}}}`, token)
		for {
			m := p.hear()
			if string(m.ID) == `"call"` {
				if !strings.Contains(string(m.Result), "ok") {
					t.Errorf("token %.60s: %s %+v", token, m.Result, m.Error)
				}
				return tokens
			}
			tokens = append(tokens, string(m.Params.ProgressToken))
		}
	}
	for _, token := range oddIDs {
		tokens := call(token)
		if len(tokens) == 0 {
			t.Errorf("token %.60s: no progress", token)
		}
		for _, got := range tokens {
			if got != token {
				t.Errorf("token %.60s came back as %.60s", token, got)
			}
		}
	}
	for _, token := range []string{`null`, `true`, `{}`, `[]`, `"` + strings.Repeat("x", 5000) + `"`} {
		if tokens := call(token); len(tokens) > 0 {
			t.Errorf("token %.60s: progress for %.60s", token, tokens[0])
		}
	}
}
