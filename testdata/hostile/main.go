// Command hostile is an MCP server over stdio that does what servers do wrong,
// by accident or on purpose. It is written without an SDK, which would not let it.
//
//	hostile [MODE...]
//
// A mode changes how it starts, talks and ends; see modes below. What single calls
// do wrong depends on the tool that is called; see calls.go.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// modes and what they do. A few take a value, as in "slow=3s".
var modes = map[string]string{
	// Starting and the handshake.
	"banner":    "prints lines that are not messages, at the start and before every answer",
	"silent":    "does not answer server/discover",
	"thinks":    "answers server/discover after it has refused initialize",
	"fragile":   "exits when anything but initialize comes first",
	"stateless": "speaks MCP 2026-07-28 only",
	"version":   "answers initialize with this version",
	"picky":     "answers initialize with an error that names the versions it supports",
	"mute":      "never answers anything",
	"crash":     "complains on stderr and exits with status 3",
	"slow":      "waits this long before it reads anything",
	"counter":   "counts its starts in this file; needed by the next three",
	"changes":   "defines a tool otherwise and another one not at all from the second start on",
	"relapse":   "exits during the handshake from the second start on",
	"brief":     "exits right after the handshake from the second start on",
	// Talking.
	"deaf":   "reads nothing any more after tools/list",
	"chatty": "sends requests and unknown notifications all the time",
	"asks":   "sends a request for input, with a schema that refers to itself, before it answers a call",
	"loud":   "writes a lot to stderr",
	"closes": "closes its stdout after tools/list and runs on",
	// tools/list; see list.go.
	"paged":     "five pages",
	"loop":      "the same cursor for ever",
	"endless":   "a new cursor for ever",
	"many":      "12,000 tools",
	"badtools":  "definitions that can not be used, between good ones",
	"notools":   "does not know tools/list",
	"nulltools": "answers tools/list with null",
	"oddcursor": "a cursor that is a number",
	"pagefails": "an error for the second page",
	// Ending.
	"child":    "starts a process that keeps the pipes open",
	"detached": "starts a process in a session of its own",
	"daemon":   "starts one in a session of its own whose parent has ended, as daemons are",
	"stubborn": "ignores the end of its input and SIGTERM",
	"hangs-on": "ignores the end of its input but not SIGTERM",
}

// daemonName is what this program calls itself between its server and a daemon of it.
const daemonName = "hostile-daemon"

// server is the state of one start.
type server struct {
	mode   map[string]string
	starts int

	discovery json.RawMessage // the id of a server/discover that thinks lets wait

	mu        sync.Mutex // guards what follows, and stdout
	cancelled []string
	replies   chan json.RawMessage // to requests of ours
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta      map[string]json.RawMessage `json:"_meta"`
		Name      string                     `json:"name"`
		Arguments json.RawMessage            `json:"arguments"`
		Cursor    string                     `json:"cursor"`
		RequestID json.RawMessage            `json:"requestId"`
		Version   string                     `json:"protocolVersion"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func main() {
	if os.Args[0] == daemonName {
		spawn(true) // and end before it
		return
	}
	s := &server{mode: map[string]string{}, replies: make(chan json.RawMessage, 100)}
	for _, arg := range os.Args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		if modes[name] == "" {
			fmt.Fprintf(os.Stderr, "hostile: no mode %q\n", name)
			os.Exit(2)
		}
		s.mode[name] = value
	}
	s.begin()
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for first := true; ; first = false {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var r request
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		if first && s.is("fragile") && r.Method != "initialize" {
			fmt.Fprintln(os.Stderr, "expected initialize")
			os.Exit(1)
		}
		s.handle(&r)
	}
	if s.is("stubborn") || s.is("hangs-on") {
		forever()
	}
}

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

func (s *server) is(mode string) bool { _, ok := s.mode[mode]; return ok }

// begin does what a mode does at the start.
func (s *server) begin() {
	s.starts = 1
	if file := s.mode["counter"]; file != "" {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		fmt.Fprintln(f, os.Getpid())
		f.Close()
		b, _ := os.ReadFile(file)
		s.starts = strings.Count(string(b), "\n")
	}
	if s.is("stubborn") {
		signal.Ignore(syscall.SIGTERM)
	}
	if s.is("child") {
		spawn(false)
	}
	if s.is("detached") {
		spawn(true)
	}
	if s.is("daemon") {
		daemon()
	}
	if s.is("loud") {
		for i := range 100_000 {
			fmt.Fprintf(os.Stderr, "complaint %d\n", i)
		}
	}
	if s.is("crash") {
		fmt.Fprintln(os.Stderr, "hostile: can not open the \x1b[31mdatabase\u202e")
		fmt.Fprintln(os.Stderr, "hostile: giving up")
		os.Exit(3)
	}
	if d, err := time.ParseDuration(s.mode["slow"]); err == nil {
		time.Sleep(d)
	}
	if s.is("banner") {
		s.print("\uFEFFStarting server v1.2.3 ...\n\n{not json}\n{\"level\":\"info\",\"id\":1,\"msg\":\"log line\"}\n[]\n[[[[\n42\n")
	}
	if s.is("relapse") && s.starts > 1 {
		fmt.Fprintln(os.Stderr, "hostile: the disk is full")
		os.Exit(4)
	}
	if s.is("chatty") {
		go s.chat()
	}
}

func (s *server) print(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = os.Stdout.WriteString(text)
}

func (s *server) answer(id json.RawMessage, result string) {
	if s.is("banner") {
		s.print("DEBUG: answering now\n")
	}
	s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result))
}

func (s *server) refuse(id json.RawMessage, code int, message, data string) {
	s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q,"data":%s}}`+"\n", id, code, message, data))
}

// chat sends what no client asked for.
func (s *server) chat() {
	for i := 0; ; i++ {
		s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":"chat-%d","method":"roots/list"}`+"\n", i))
		s.print(`{"jsonrpc":"2.0","method":"notifications/unheard_of","params":{"x":[1,2,3]}}` + "\n")
		s.print(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
		time.Sleep(100 * time.Microsecond)
	}
}

func (s *server) handle(r *request) {
	if s.is("mute") {
		return
	}
	switch {
	case r.Method == "":
		reply := r.Result
		if reply == nil {
			reply = r.Error
		}
		select {
		case s.replies <- reply:
		default:
		}
	case r.ID == nil:
		if r.Method == "notifications/cancelled" {
			s.mu.Lock()
			s.cancelled = append(s.cancelled, string(r.Params.RequestID))
			s.mu.Unlock()
		}
	case r.Method == "server/discover":
		s.discover(r)
	case r.Method == "initialize":
		s.initialize(r)
	case r.Method == "ping":
		s.answer(r.ID, "{}")
	case s.is("stateless") && r.Params.Meta["io.modelcontextprotocol/protocolVersion"] == nil:
		s.refuse(r.ID, -32602, "missing _meta", "null")
	case r.Method == "tools/list":
		s.list(r)
		s.listed()
	case r.Method == "tools/call":
		go s.call(r)
	default:
		s.refuse(r.ID, -32601, "method not found", "null")
	}
}

func (s *server) discover(r *request) {
	switch {
	case s.is("silent"):
	case s.is("thinks") && s.discovery == nil:
		s.discovery = r.ID
	case s.is("stateless"):
		s.answer(r.ID, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
	default:
		s.refuse(r.ID, -32601, "method not found", "null")
	}
}

func (s *server) initialize(r *request) {
	version := r.Params.Version
	if v := s.mode["version"]; v != "" {
		version = v
	}
	switch {
	case s.is("stateless"):
		s.refuse(r.ID, -32022, "unsupported protocol version", `{"supported":["2026-07-28"]}`)
		if s.is("thinks") {
			time.Sleep(50 * time.Millisecond)
			s.discover(&request{ID: s.discovery})
		}
	case s.is("picky") && version != "2024-11-05":
		s.refuse(r.ID, -32602, "Unsupported protocol version", `{"supported":["2024-10-07","2024-11-05"],"requested":"`+version+`"}`)
	default:
		s.answer(r.ID, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"hostile","version":"0"}}`, version))
	}
}

// listed does what a mode does once the client knows the tools.
func (s *server) listed() {
	switch {
	case s.is("brief") && s.starts > 1:
		os.Exit(5)
	case s.is("deaf"):
		forever()
	case s.is("closes"):
		os.Stdout.Close()
	}
}

// waitCancelled waits until the request is cancelled.
func (s *server) waitCancelled(id json.RawMessage) {
	for {
		s.mu.Lock()
		found := slices.Contains(s.cancelled, string(id))
		s.mu.Unlock()
		if found {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
