package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/replay"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

// pack is the built-in pack with more files: name, text, name, text.
func pack(more ...string) fs.FS {
	tree := fstest.MapFS{}
	_ = fs.WalkDir(policies.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(policies.FS, path)
		tree[path] = &fstest.MapFile{Data: data}
		return err
	})
	for i := 0; i < len(more); i += 2 {
		tree[more[i]] = &fstest.MapFile{Data: []byte(more[i+1])}
	}
	return tree
}

// server is an MCP server with tools that answer "done".
func server(tools ...string) mcp.Transport {
	s := mcp.NewServer(&mcp.Implementation{Name: "server", Version: "1"}, nil)
	for _, name := range tools {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},"secret":{"type":"string"}}}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
			})
	}
	here, there := mcp.NewInMemoryTransports()
	go func() { _ = s.Run(context.Background(), there) }() // ends with the connection
	return here
}

// recorded makes calls, "tool args" each, of one session, and returns the log.
func recorded(t testing.TB, change func(*bridge.Options), calls ...string) string {
	t.Helper()
	var log bytes.Buffer
	opts := bridge.Options{
		Servers: []bridge.Server{{Name: "s", Transport: server("read", "write", "mail"), Private: bridge.Private{Tools: []string{"mail"}}}},
		Record:  record.New(&log),
	}
	if change != nil {
		change(&opts)
	}
	b, err := bridge.New(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	session := b.NewSession(engine.Principal{Client: "editor"})
	for _, call := range calls {
		tool, args, _ := strings.Cut(call, " ")
		_, _ = session.Call(context.Background(), "s/"+tool, json.RawMessage(args))
	}
	return log.String()
}

func with(policy fs.FS) func(context.Context, engine.Config) (*engine.Engine, error) {
	return func(ctx context.Context, config engine.Config) (*engine.Engine, error) {
		return engine.New(ctx, engine.Options{Policy: policy, Config: config})
	}
}

func play(t testing.TB, opts replay.Options, logs ...string) replay.Report {
	t.Helper()
	p, err := replay.New(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	for i, log := range logs {
		if err := p.Add(context.Background(), fmt.Sprintf("log%d", i), strings.NewReader(log)); err != nil {
			t.Fatal(err)
		}
	}
	return p.Report()
}

const freeze = `package codemode.rules.freeze

# METADATA
# custom: {code: frozen}
deny contains {"code": "frozen", "message": "nothing is written now"} if input.tool.name == "write"
`

func TestTheSamePolicyGivesTheSameAnswers(t *testing.T) {
	rules := func(o *bridge.Options) {
		o.Servers[0].Rules = map[string][]string{"write": {"args.n < 5", "size(args.secret) < 100"}}
	}
	log := recorded(t, rules, `read {"n":1}`, `write {"n":2,"secret":"x"}`, `write {"n":7,"secret":"x"}`, `read {"n":"x"}`, `nothing {}`, `mail {}`, `read {}`)
	for _, resimulate := range []bool{false, true} {
		r := play(t, replay.Options{Engine: with(policies.FS), Resimulate: resimulate}, log)
		if r.Decisions != 7 || r.Same != 7 || len(r.Groups) != 0 {
			t.Errorf("%+v", r)
		}
	}
}

func TestAFlipIsGroupedAndHasAnExample(t *testing.T) {
	log := recorded(t, nil, `read {}`, `write {"n":1}`, `write {"n":2}`)
	r := play(t, replay.Options{Engine: with(pack("codemode/rules/freeze/freeze.rego", freeze))}, log)
	if len(r.Groups) != 1 {
		t.Fatalf("%+v", r)
	}
	g := r.Groups[0]
	if g.Example.Line == 0 || g.Example.DecisionID == "" || !strings.Contains(string(g.Example.Args), `"n":`) {
		t.Errorf("example %+v", g.Example)
	}
	g.Example = replay.Example{}
	want := replay.Group{Now: "deny", Code: "frozen", Rule: "freeze.deny (codemode/rules/freeze/freeze.rego:5)", Tool: "s/write", Client: "editor", Count: 2}
	if diff := cmp.Diff(want, g); diff != "" {
		t.Error(diff)
	}
	// And back: what the stricter one denied, the built-in pack allows.
	strict := recorded(t, func(o *bridge.Options) { o.Policy = pack("codemode/rules/freeze/freeze.rego", freeze) }, `write {}`)
	if r := play(t, replay.Options{Engine: with(policies.FS)}, strict); len(r.Groups) != 1 || r.Groups[0].Now != "allow" || r.Groups[0].Code != "frozen" {
		t.Errorf("%+v", r)
	}
}

// Each line is decided with the configuration it was recorded with, or all with another one,
// whose lists, labels and CEL rules count.
func TestTheConfigurationIsTheRecordedOneOrAnother(t *testing.T) {
	log := recorded(t, nil, `read {"n":1}`, `read {"n":9}`, `write {}`, `mail {}`)
	narrow := recorded(t, func(o *bridge.Options) { o.Servers[0].Allow, o.Servers[0].Private = []string{"read"}, bridge.Private{} }, `write {}`)
	if r := play(t, replay.Options{Engine: with(policies.FS)}, log, narrow); r.Same != 5 {
		t.Errorf("as recorded: %+v", r)
	}
	other := engine.Config{Servers: map[string]engine.ServerConfig{"s": {
		Allow: engine.SomeTools("read", "mail"), Rules: map[string][]string{"read": {"args.n < 5"}},
	}}}
	r := play(t, replay.Options{Engine: with(policies.FS), Config: &other}, log, narrow)
	got := map[string]int64{}
	for _, g := range r.Groups {
		got[g.Now+" "+g.Code+" "+g.Tool] = g.Count
	}
	want := map[string]int64{"deny rule_not_met s/read": 1, "deny tool_not_allowed s/write": 1}
	if diff := cmp.Diff(want, got); diff != "" || r.Changed != 1 { // mail is not private any more
		t.Errorf("%s\n%+v", diff, r)
	}
}

// What a decision depends on and the log does not show makes it undecidable; what it does not
// depend on does not.
func TestWhatReadsHiddenArgumentsIsUndecidable(t *testing.T) {
	mask := "package system.log\nmask contains \"/input/call/args/secret\"\ndrop if input.input.tool.name == \"mail\""
	log := recorded(t, func(o *bridge.Options) { o.Policy = pack("log.rego", mask) }, `write {"secret":"x","n":1}`, `write {"n":2}`, `mail {}`)
	reads := func(what string) fs.FS {
		return pack("codemode/rules/own/own.rego", "package codemode.rules.own\n\ndeny contains {\"code\": \"own\", \"message\": \"no\"} if "+what)
	}
	config := engine.Config{Servers: map[string]engine.ServerConfig{"s": {Allow: engine.AllTools(), Rules: map[string][]string{"write": {"args.n < 5"}}}}}
	for name, c := range map[string]struct {
		opts        replay.Options
		undecidable int64
	}{
		"nothing of it":       {replay.Options{Engine: with(reads("input.call.args.n == 7"))}, 1},
		"the hidden argument": {replay.Options{Engine: with(reads("input.call.args.secret == \"y\""))}, 2},
		"all arguments":       {replay.Options{Engine: with(reads("count(input.call.args) > 5"))}, 2},
		"a CEL rule":          {replay.Options{Engine: with(policies.FS), Config: &config}, 2},
	} {
		if r := play(t, c.opts, log); r.Undecidable != c.undecidable || r.Decisions != 3 || r.Flips != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Arguments of refused calls that were cut count as hidden, and still as an object.
func TestWhatReadsCutArgumentsIsUndecidable(t *testing.T) {
	large := fmt.Sprintf(`write {"secret":%q}`, strings.Repeat("x", bridge.MaxRefusedArguments))
	log := recorded(t, func(o *bridge.Options) { o.Servers[0].Allow, o.Servers[0].Private = []string{"read"}, bridge.Private{} }, large)
	if r := play(t, replay.Options{Engine: with(policies.FS)}, log); r.Same != 1 {
		t.Errorf("%+v", r)
	}
	reads := pack("codemode/rules/own/own.rego", "package codemode.rules.own\n\ndeny contains {\"code\": \"own\", \"message\": \"no\"} if input.call.args.n == 1")
	if r := play(t, replay.Options{Engine: with(reads)}, log); r.Undecidable != 1 {
		t.Errorf("%+v", r)
	}
}

// With Resimulate a label counts from where the new policy puts it.
func TestLabelsAreWorkedOutAnewOnDemand(t *testing.T) {
	log := recorded(t, nil, `write {}`, `read {}`)
	label := pack("codemode/rules/own/own.rego", "package codemode.rules.own\n\nlabels_add contains \"private\" if input.tool.name == \"write\"")
	if r := play(t, replay.Options{Engine: with(label)}, log); r.Flips != 0 || r.Changed != 1 {
		t.Errorf("recorded facts: %+v", r)
	}
	r := play(t, replay.Options{Engine: with(label), Resimulate: true}, log)
	if r.Flips != 1 || r.Groups[0].Code != "private_data" || r.Groups[0].Tool != "s/read" {
		t.Errorf("resimulated: %+v", r)
	}
}

func TestFilesThatAreNoLogAreReadToTheirEnd(t *testing.T) {
	log := recorded(t, nil, `read {}`)
	lines := strings.SplitAfter(log, "\n")
	r := play(t, replay.Options{Engine: with(policies.FS)},
		"nothing\n{}\n[]\n"+strings.Repeat("x", record.MaxLine+2)+"\n"+`{"path":"codemode/decision"}`+"\n"+lines[1], log)
	if r.Same != 1 || r.Undecidable != 2 || r.Unreadable != 3 {
		t.Errorf("%+v", r)
	}
	p, err := replay.New(context.Background(), replay.Options{Engine: with(policies.FS)})
	if err != nil {
		t.Fatal(err)
	}
	altered := strings.Replace(lines[0], `"calls_per_run":200`, `"calls_per_run":201`, 1)
	if err := p.Add(context.Background(), "log", strings.NewReader(altered)); err == nil {
		t.Error("a configuration that is not that of its digest is taken")
	}
}

func BenchmarkReplay(b *testing.B) {
	log := recorded(b, nil, `read {"n":1}`)
	lines := strings.SplitAfter(log, "\n")
	const decisions = 1000
	text := lines[0] + strings.Repeat(lines[1], decisions)
	for b.Loop() {
		if r := play(b, replay.Options{Engine: with(policies.FS)}, text); r.Same != decisions {
			b.Fatalf("%+v", r)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/decisions, "µs/decision")
}

func ExamplePlayer() {
	p, err := replay.New(context.Background(), replay.Options{Engine: with(policies.FS)})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := p.Add(context.Background(), "decisions.jsonl", strings.NewReader("")); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d calls would get another answer\n", p.Report().Flips, p.Report().Decisions)
	// Output: 0 of 0 calls would get another answer
}
