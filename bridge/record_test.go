package bridge_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// packWith is the built-in pack and one more file.
func packWith(t *testing.T, name, rego string) fs.FS {
	t.Helper()
	tree := fstest.MapFS{name: &fstest.MapFile{Data: []byte(rego)}}
	err := fs.WalkDir(policies.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(policies.FS, path)
		tree[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// event is a line of the decision log.
type event struct {
	Labels          map[string]string
	DecisionID      string `json:"decision_id"`
	BatchDecisionID string `json:"batch_decision_id"`
	TraceID         string `json:"trace_id"`
	SpanID          string `json:"span_id"`
	Path            string
	Input           map[string]any
	Result          map[string]any
	Erased, Masked  []string
	Error           *record.Error
	RequestedBy     string `json:"requested_by"`
	Timestamp       string
	Metrics         map[string]int64
	RequestID       int `json:"req_id"`
	Custom          record.Custom
}

func (l *syncLog) events(t *testing.T, path string) []event {
	t.Helper()
	var all []event
	for line := range strings.Lines(l.of(path)) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// Whoever holds the log knows who asked, in which trace, what decided with which
// configuration, and what came of it.
func TestAnEventTellsTheWholeCall(t *testing.T) {
	var log syncLog
	b := newBridge(t, newToy(), func(o *bridge.Options) { o.Record, o.Version = record.New(&log), "1.2.3" })
	run := b.NewSession(engine.Principal{}).NewRun(bridge.RunOptions{
		Principal:   engine.Principal{Client: "editor", Version: "7"},
		TraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	})
	for _, call := range []wire.Call{
		{Tool: "toy/echo", Args: map[string]any{"text": "hello"}},
		{Tool: "toy/fail", Args: map[string]any{}},
		{Tool: "toy/nothing", Args: map[string]any{}},
	} {
		run.Call(context.Background(), call)
	}
	config := log.events(t, record.ConfigPath)
	if len(config) != 1 {
		t.Fatalf("%d lines of the configuration", len(config))
	}
	decisions, outcomes := log.events(t, record.Path), log.events(t, record.OutcomePath)
	if len(decisions) != 3 || len(outcomes) != 2 {
		t.Fatalf("%d decisions and %d outcomes", len(decisions), len(outcomes))
	}
	var raw struct{ Input json.RawMessage }
	if err := json.Unmarshal([]byte(log.of(record.ConfigPath)), &raw); err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(raw.Input); config[0].Custom.Config != "sha256:"+hex.EncodeToString(sum[:]) {
		t.Errorf("the digest of %s is not %s", raw.Input, config[0].Custom.Config)
	}
	for _, e := range append(decisions, outcomes...) {
		if e.TraceID != "0af7651916cd43dd8448eb211c80319c" || e.SpanID != "b7ad6b7169203331" || e.RequestedBy != "editor" ||
			e.RequestID != 1 || e.Labels["version"] != "1.2.3" || e.Custom.Config != config[0].Custom.Config || e.Timestamp == "" {
			t.Errorf("%+v", e)
		}
	}
	sum := sha256.Sum256([]byte("hello"))
	want := map[string]any{"outcome": "ok", "bytes": 5.0, "sha256": hex.EncodeToString(sum[:]), "received_bytes": 32.0}
	if diff := cmp.Diff(want, outcomes[0].Result); diff != "" {
		t.Error(diff)
	}
	if outcomes[1].Result["outcome"] != "tool_error" || outcomes[1].Error == nil || outcomes[1].Error.Message != "it failed" {
		t.Errorf("%+v", outcomes[1])
	}
	for i, o := range outcomes {
		if o.BatchDecisionID != decisions[i].DecisionID || o.DecisionID == o.BatchDecisionID || o.Metrics[record.CallTime] <= 0 {
			t.Errorf("outcome %d: %+v", i, o)
		}
	}
}

func TestAParentThatIsNoTraceIsNone(t *testing.T) {
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for parent, want := range map[string]bool{
		good: true, strings.Replace(good, "00", "01", 1) + "-more": true,
		"": false, "x": false, good + "-more": false, strings.Replace(good, "00", "ff", 1): false, strings.ToUpper(good): false,
		"00-00000000000000000000000000000000-b7ad6b7169203331-01": false, "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01": false,
		"00-0af7651916cd43dd8448eb211c80319\"-b7ad6b7169203331-01": false,
	} {
		var log syncLog
		b := newBridge(t, newToy(), func(o *bridge.Options) { o.Record = record.New(&log) })
		b.NewSession(engine.Principal{}).NewRun(bridge.RunOptions{TraceParent: parent}).Call(context.Background(), wire.Call{Tool: "toy/x"})
		if e := log.events(t, record.Path)[0]; (e.TraceID != "") != want {
			t.Errorf("%q: trace %q", parent, e.TraceID)
		}
	}
}

// A hostile program can not fill the disk by being refused: what its calls leave in the log is
// bounded, and the size and hash of the rest are there.
func TestTheArgumentsOfRefusedCallsAreBounded(t *testing.T) {
	var log syncLog
	b := newBridge(t, newToy(), func(o *bridge.Options) { o.Record = record.New(&log); o.Servers[0].Allow = []string{} })
	run := b.NewSession(engine.Principal{}).NewRun(bridge.RunOptions{})
	args := map[string]any{"text": strings.Repeat("x", bridge.MaxRefusedArguments-20)}
	for range bridge.MaxRefused {
		if reply := run.Call(context.Background(), wire.Call{Tool: "toy/echo", Args: args}); reply.Err == nil {
			t.Fatal("not refused")
		}
	}
	if n := len(log.String()); n > bridge.MaxRefusedArgumentsRun+bridge.MaxRefused*2048 {
		t.Errorf("the log has %d bytes", n)
	}
	decisions := log.events(t, record.Path)
	first, last := decisions[0], decisions[len(decisions)-1]
	if len(decisions) != bridge.MaxRefused || len(first.Erased) > 0 || !cmp.Equal(last.Erased, []string{"/input/call/args"}) {
		t.Fatalf("%d decisions; erased of the first %v, of the last %v", len(decisions), first.Erased, last.Erased)
	}
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	if got := last.Custom.Cut["/input/call/args"]; got != record.DigestOf(text) {
		t.Errorf("digest %v", got)
	}
}

const masking = `package system.log

mask contains "/input/call/args/text" if input.input.tool.id in {"toy/echo", "toy/any"}
mask contains {"op": "upsert", "path": "/input/call/args/a%20b~1c", "value": "***"} if input.input.call.args["a b/c"]
drop if input.input.tool.id == "toy/note"
`

// What the team masks is nowhere: not in the line, not in errors and denials that quote it, not in
// what came of the call, and not on standard error.
func TestWhatIsMaskedIsNowhere(t *testing.T) {
	const secret = "hunter2-is-the-password"
	var log, stderr syncLog
	rego := `package codemode.rules.own

deny contains {"code": "bad", "message": sprintf("%s is not good", [input.call.args.text])} if endswith(input.call.args.text, "!")
deny contains {"code": "bad", "message": "too many"} if to_number(input.call.args.text) > 5
`
	tree := packWith(t, "log.rego", masking).(fstest.MapFS)
	tree["codemode/rules/own/own.rego"] = &fstest.MapFile{Data: []byte(rego)}
	toy := newToy()
	b := newBridge(t, toy, func(o *bridge.Options) {
		o.Record, o.Policy = record.New(&log), tree
		o.Logger = slog.New(slog.NewTextHandler(&stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Servers[0].Rules = map[string][]string{"echo": {`int(args.text) > 5 || size(args.text) > 0`}}
	})
	s := b.NewSession(engine.Principal{})
	for _, args := range []string{`{"text":"` + secret + `"}`, `{"text":"` + secret + `!"}`, `{"a b/c":"` + secret + `","text":"5"}`} {
		for _, tool := range []string{"toy/echo", "toy/any"} {
			_, _ = call(t, s, tool, args)
		}
	}
	for what, text := range map[string]string{"the log": log.String(), "standard error": stderr.String()} {
		for _, part := range []string{secret, secret[:8], secret[8:]} {
			if strings.Contains(text, part) {
				t.Errorf("%s tells %q:\n%s", what, part, text)
			}
		}
		if !strings.Contains(text, "[masked]") {
			t.Errorf("%s lacks what quoted the secret:\n%s", what, text)
		}
	}
	decisions := log.events(t, record.Path)
	last := decisions[len(decisions)-1]
	if diff := cmp.Diff([]string{"/input/call/args/text"}, last.Erased); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/input/call/args/a%20b~1c"}, last.Masked); diff != "" {
		t.Error(diff)
	}
	if got := last.Input["call"].(map[string]any)["args"]; !cmp.Equal(got, map[string]any{"a b/c": "***"}) {
		t.Errorf("arguments %v", got)
	}
}

// A dropped event leaves id, time, tool, outcome and hash: no call is without a record.
func TestADroppedEventLeavesWhatEveryCallMustLeave(t *testing.T) {
	var log syncLog
	b := newBridge(t, newToy(), func(o *bridge.Options) {
		o.Record, o.Policy = record.New(&log), packWith(t, "log.rego", masking)
	})
	if _, err := call(t, b.NewSession(engine.Principal{}), "toy/note", `{}`); err != nil {
		t.Fatal(err)
	}
	e := log.events(t, record.Path)[0]
	if e.DecisionID == "" || e.Timestamp == "" || e.Custom.Dropped == nil || len(e.Custom.Dropped.SHA256) != 64 {
		t.Errorf("%+v", e)
	}
	if diff := cmp.Diff(map[string]any{"tool": map[string]any{"id": "toy/note"}}, e.Input); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"allow": true}, e.Result); diff != "" {
		t.Error(diff)
	}
}

// When the masking fails, nothing is known about what may be shown: the call is not made, and the
// line holds no more than a dropped one.
func TestAMaskThatFailsDeniesAndShowsNothing(t *testing.T) {
	var log syncLog
	var stderr bytes.Buffer
	toy := newToy()
	b := newBridge(t, toy, func(o *bridge.Options) {
		o.Record, o.Logger = record.New(&log), slog.New(slog.NewTextHandler(&stderr, nil))
		o.Policy = packWith(t, "log.rego", "package system.log\n"+`mask contains sprintf("/input/%d", [to_number(input.input.call.args.text)])`)
	})
	s := b.NewSession(engine.Principal{})
	if _, err := call(t, s, "toy/echo", `{"text":"hunter2"}`); code(err) != engine.CodePolicyError {
		t.Errorf("the call: %v", err)
	}
	if toy.received() != "" || strings.Contains(log.String()+stderr.String(), "hunter2") || !strings.Contains(stderr.String(), "not masked") {
		t.Errorf("the server saw %q, the log is %s, the operator read %s", toy.received(), log.String(), stderr.String())
	}
	e := log.events(t, record.Path)[0]
	if e.Error == nil || e.Error.Code != "mask_error" || e.Result["allow"] != false {
		t.Errorf("%+v", e)
	}
	if _, err := call(t, s, "toy/note", `{}`); err != nil {
		t.Errorf("a call that needs no mask: %v", err)
	}
}

func TestHiddenTextsAreFoundWhateverIsAroundThem(t *testing.T) {
	for _, c := range []struct {
		secret any
		text   string
		want   string
	}{
		{"secret", "a secret, and a secret", "a [masked], and a [masked]"},
		{"long-secret-text", `quoted "long-secr…`, `quoted "[masked]…`},
		{"two\nlines\tof it", `parsing "two\nlines\tof it"`, `parsing "[masked]"`},
		{json.Number("12345"), "the number 12345", "the number [masked]"},
		{map[string]any{"key-of-it": []any{"value"}}, "key-of-it is value", "[masked] is [masked]"},
		{"ab", "about", "[masked]"},
		{"ab", "nothing of it", "nothing of it"},
		{nil, "nothing", "nothing"},
		{"", "nothing", "nothing"},
		{"überraschung", "die überraschung ist da", "die [masked] ist da"},
	} {
		if got := bridge.Hide(c.secret, c.text); got != c.want {
			t.Errorf("hiding %v in %q gives %q, want %q", c.secret, c.text, got, c.want)
		}
	}
	if n := len(bridge.Hide("secret", strings.Repeat("secret ", 1<<20))); n > 10_000 {
		t.Errorf("a long text stays long: %d", n)
	}
}
