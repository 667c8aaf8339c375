package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// newBridge starts a bridge over toy servers, one by default.
func newBridge(t *testing.T, toy *toy, change func(*bridge.Options)) *bridge.Bridge {
	t.Helper()
	opts := bridge.Options{Servers: []bridge.Server{{Name: "toy", Transport: toy.connect("toy")}}}
	if change != nil {
		change(&opts)
	}
	b, err := bridge.New(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func call(t *testing.T, s *bridge.Session, tool, args string) (bridge.Result, error) {
	t.Helper()
	return s.Call(context.Background(), tool, json.RawMessage(args))
}

func code(err error) string {
	var e *bridge.ToolError
	if errors.As(err, &e) {
		return e.Code
	}
	return fmt.Sprint(err)
}

type brokenDisk struct{}

func (brokenDisk) Write([]byte) (int, error) {
	return 0, errors.New("no space left on /var/log/secret")
}

func TestNoRecordNoCall(t *testing.T) {
	toy := newToy()
	b := newBridge(t, toy, func(o *bridge.Options) {
		o.Record = record.New(brokenDisk{})
		o.Servers[0].Private.Tools = []string{"note"}
	})
	s := b.NewSession(engine.Principal{})
	_, err := call(t, s, "toy/note", `{}`)
	if code(err) != engine.CodePolicyError || strings.Contains(err.Error(), "/var/log") {
		t.Errorf("call without a record: %v", err)
	}
	if got := toy.received(); got != "" {
		t.Errorf("the server saw %q", got)
	}
	if got := s.Labels(); len(got) > 0 {
		t.Errorf("a call that was not made left the labels %v", got)
	}
}

func TestASlowToolTimesOutAndTheSessionSurvives(t *testing.T) {
	b := newBridge(t, newToy(), func(o *bridge.Options) {
		o.Servers[0].ToolLimits = map[string]bridge.CallLimits{"slow": {Timeout: 50 * time.Millisecond}}
	})
	s := b.NewSession(engine.Principal{})
	if _, err := call(t, s, "toy/slow", `{}`); code(err) != bridge.CodeTimeout || !strings.Contains(err.Error(), "no answer within 50ms (--call-timeout)") {
		t.Errorf("slow tool: %v", err)
	}
	if got, err := call(t, s, "toy/echo", `{"text":"still here"}`); err != nil || got.Text != "still here" {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
}

func TestResultsUpToTheLimitArePassedOnWhole(t *testing.T) {
	s := newBridge(t, newToy(), nil).NewSession(engine.Principal{})
	for _, size := range []int{0, 1, 63 << 10, 64 << 10} {
		got, err := call(t, s, "toy/big", fmt.Sprintf(`{"bytes":%d}`, size))
		if err != nil || len(got.Text) != size {
			t.Errorf("result of %d bytes: %d bytes, %v", size, len(got.Text), err)
		}
	}
	if _, err := call(t, s, "toy/big", `{"bytes":66560}`); code(err) != bridge.CodeResultTooLarge {
		t.Errorf("65 KiB: %v", err)
	}
}

// An upstream may fill a result with what is no payload: blocks without
// members, white space.
func TestTheLimitOfAResultHoldsForAllOfIt(t *testing.T) {
	for name, content := range map[string]string{
		"empty blocks":   `[` + strings.Repeat(`{},`, 30_000) + `{}]`,
		"other members":  `[{"type":"text","text":"","x":"` + strings.Repeat("x", 64<<10) + `"}]`,
		"unknown blocks": `[{"type":"video","data":"` + strings.Repeat("x", 64<<10) + `"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			reply := bridge.Bounded(upstream.Result{Content: json.RawMessage(content)})
			if reply.Err == nil || reply.Err.Code != bridge.CodeResultTooLarge {
				t.Errorf("%d bytes of content were passed on", len(reply.Content))
			}
		})
	}
	spaces := `[{"type":"text","text":"a"},` + strings.Repeat(" ", 1<<20) + `{"type":"text","text":"b"}]`
	if got := bridge.Bounded(upstream.Result{Content: json.RawMessage(spaces)}); got.Text != "a\nb" || len(got.Content) > 100 {
		t.Errorf("white space: text %q, %d bytes of content", got.Text, len(got.Content))
	}
}

func TestArgumentsThatAreTooLargeAreRefusedUnseen(t *testing.T) {
	toy := newToy()
	var log syncLog
	b := newBridge(t, toy, func(o *bridge.Options) {
		o.Record = record.New(&log)
		o.Policy = allowAll
		o.Servers[0].Rules = map[string][]string{"echo": {"true"}}
	})
	s := b.NewSession(engine.Principal{})
	big := `{"text":"` + strings.Repeat("<", 64<<10) + `"}`
	if _, err := call(t, s, "toy/echo", big); code(err) != engine.CodeArgumentsTooLarge {
		t.Errorf("large arguments under a policy that allows everything: %v", err)
	}
	if got := log.decisions(); toy.received() != "" || len(got) > 4096 || !strings.Contains(got, `"args_bytes":65547`) || !strings.Contains(got, `"ok":false`) {
		t.Errorf("the server saw %d bytes, the record is %.300q", len(toy.received()), got)
	}
}

func TestRefusalsWithoutEndAreNotDecidedWithoutEnd(t *testing.T) {
	var log syncLog
	b := newBridge(t, newToy(), func(o *bridge.Options) { o.Record = record.New(&log); o.CallsPerRun = 1 })
	run := b.NewSession(engine.Principal{}).NewRun(bridge.RunOptions{})
	for i := range bridge.MaxRefused + 10 {
		v := run.Decide(context.Background(), wire.Call{Tool: "toy/nothing"})
		if reply := v.Answer(); reply.Err == nil || (v.End == "more than 1000 refused calls") != (i >= bridge.MaxRefused) {
			t.Fatalf("call %d: %+v, end %q", i+1, reply, v.End)
		}
	}
	reply := run.Call(context.Background(), wire.Call{Tool: "toy/nothing"})
	if reply.Err == nil || reply.Err.Code != engine.CodeBudgetExhausted {
		t.Errorf("reply %+v", reply)
	}
	decisions := slices.DeleteFunc(strings.Split(log.String(), "\n"), func(line string) bool { return !strings.Contains(line, `"path":"codemode/decision"`) })
	if last := decisions[len(decisions)-1]; len(decisions) != bridge.MaxRefused+1 || !strings.Contains(last, "more than 1000 refused calls") || !strings.Contains(last, `"allow":false`) {
		t.Errorf("%d decisions on record, want %d; the last is %s", len(decisions), bridge.MaxRefused+1, last)
	}
}

// TestOneRunsCallsDoNotKeepAnothersWaiting: each run has one call decided at a
// time, as a sandbox does, and the session takes them in turn.
func TestOneRunsCallsDoNotKeepAnothersWaiting(t *testing.T) {
	b := newBridge(t, newToy(), func(o *bridge.Options) { o.CallsPerRun = 1 })
	s := b.NewSession(engine.Principal{})
	large := map[string]any{"text": slices.Repeat([]any{map[string]any{}}, 20_000)}
	var decided atomic.Int64
	started, stop := make(chan struct{}), make(chan struct{})
	var busy sync.WaitGroup
	busy.Go(func() {
		run := s.NewRun(bridge.RunOptions{})
		for {
			run.Decide(context.Background(), wire.Call{Tool: "toy/echo", Args: large}).Answer()
			if decided.Add(1) == 1 {
				close(started)
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	<-started
	const calls = 20
	before, run := decided.Load(), s.NewRun(bridge.RunOptions{})
	for range calls {
		run.Call(context.Background(), wire.Call{Tool: "toy/nothing", Args: map[string]any{}})
	}
	if n := decided.Load() - before; n > 5*calls {
		t.Errorf("%d calls of one run were decided while another had %d", n, calls)
	}
	close(stop)
	busy.Wait()
}

func TestACallOfARunThatHasEndedEarnsNothing(t *testing.T) {
	toy := newToy()
	b := newBridge(t, toy, func(o *bridge.Options) { o.Servers[0].Private.All = true })
	s := b.NewSession(engine.Principal{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Call(ctx, "toy/note", nil); err == nil {
		t.Error("the call went out")
	}
	if len(s.Labels()) > 0 || toy.received() != "" {
		t.Errorf("labels %v, the server saw %q", s.Labels(), toy.received())
	}
}

var allowAll = fstest.MapFS{"p.rego": &fstest.MapFile{Data: []byte(`package codemode
decision := {"allow": true, "denials": [], "effects": {"labels_add": []}}
visible := true
`)}}

func TestAPolicyThatAllowsEverythingCanNotInventATool(t *testing.T) {
	b := newBridge(t, newToy(), func(o *bridge.Options) { o.Policy = allowAll })
	s := b.NewSession(engine.Principal{})
	if _, err := call(t, s, "toy/nothing", `{}`); code(err) != engine.CodeToolNotAllowed {
		t.Errorf("invented tool: %v", err)
	}
	if _, err := call(t, s, "toy/echo", `{"text":"hi"}`); err != nil {
		t.Errorf("real tool under the same policy: %v", err)
	}
}

// Two calls that race must be decided one after the other: whatever the order,
// nothing that is not private may be let through after a private one.
func TestDecideAndCommitIsOneStepPerSession(t *testing.T) {
	var log syncLog
	b := newBridge(t, newToy(), func(o *bridge.Options) {
		o.Record = record.New(&log)
		o.Servers[0].Private.Tools = []string{"note"}
	})
	run := b.NewSession(engine.Principal{}).NewRun(bridge.RunOptions{})
	var calls sync.WaitGroup
	for i := range 60 {
		id, args := "toy/echo", map[string]any{"text": "x"}
		if i == 30 {
			id, args = "toy/note", map[string]any{}
		}
		calls.Go(func() { run.Call(context.Background(), wire.Call{Tool: id, Args: args}) })
	}
	calls.Wait()
	private, seq := false, int64(0)
	for line := range strings.Lines(log.decisions()) {
		var entry struct {
			Input  engine.Request
			Result engine.Decision
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		if seq++; entry.Input.Call.Seq != seq {
			t.Errorf("record %d is of call %d", seq, entry.Input.Call.Seq)
		}
		if entry.Result.Allow == private && entry.Input.Tool.ID == "toy/echo" {
			t.Errorf("call %d: allow %v, after a private call %v", seq, entry.Result.Allow, private)
		}
		private = private || entry.Input.Tool.ID == "toy/note"
	}
	if seq != 60 || !private {
		t.Errorf("%d records, private call among them: %v", seq, private)
	}
}

type syncLog struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *syncLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *syncLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// decisions are the lines of decisions, without those of the configuration and of outcomes.
func (l *syncLog) decisions() string { return l.of(record.Path) }

func (l *syncLog) of(path string) string {
	var lines strings.Builder
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, fmt.Sprintf(`"path":%q`, path)) {
			lines.WriteString(line)
		}
	}
	return lines.String()
}
