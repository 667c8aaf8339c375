// Package replay decides again what a decision log says was decided, under another policy
// or another configuration, and says which calls would get another answer.
//
// What a decision was made with is in its line: the arguments, the counters, the labels, where
// the arguments broke their schema. These recorded facts stand. What the configuration says of
// a tool, and its CEL rules, are worked out anew.
package replay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// maxConfigs bounds the configurations of one log.
const maxConfigs = 64

// Options say how a log is replayed.
type Options struct {
	// Engine makes the policy that is tried, with a configuration.
	Engine func(context.Context, engine.Config) (*engine.Engine, error)
	// Config is the configuration; nil takes for every line the one that it was decided with.
	Config *engine.Config
	// Resimulate works out labels and the counters of tools anew for every session, from what
	// would have been decided before. The default takes them as they are recorded.
	Resimulate bool
	// Progress, when set, is told now and then how many decisions were replayed.
	Progress func(decisions int64)
}

// Player replays logs. Add them, oldest first, then ask for the Report.
type Player struct {
	opts    Options
	fixed   *setting            // of Options.Config
	configs map[string]*setting // by digest
	done    atomic.Int64

	mu       sync.Mutex // guards what follows
	report   Report
	groups   map[groupKey]*Group
	rules    map[ruleKey]string  // that deny, by what they say
	sessions map[string]*session // of Resimulate
}

// setting is a configuration and the policy with it.
type setting struct {
	config engine.Config
	engine *engine.Engine
	rules  ruleCache
}

// New returns a Player.
func New(ctx context.Context, opts Options) (*Player, error) {
	if opts.Engine == nil {
		return nil, errors.New("replaying: there is no policy")
	}
	p := &Player{opts: opts, configs: map[string]*setting{}, groups: map[groupKey]*Group{}, rules: map[ruleKey]string{}, sessions: map[string]*session{}}
	p.report.Why = map[string]int64{}
	if opts.Config != nil {
		e, err := opts.Engine(ctx, *opts.Config)
		if err != nil {
			return nil, err
		}
		p.fixed = &setting{config: *opts.Config, engine: e}
	}
	return p, nil
}

// job is one line that may hold a decision.
type job struct {
	file    string
	line    int
	text    []byte
	setting *setting // nil: that of Custom.Config is not known
}

// Add replays one file. The error is of reading, or of the policy.
func (p *Player) Add(ctx context.Context, name string, r io.Reader) error {
	workers := runtime.GOMAXPROCS(0)
	if p.opts.Resimulate {
		workers = 1 // the order of decisions counts
	}
	jobs := make(chan job, 4*workers)
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for j := range jobs {
				p.play(ctx, j)
			}
		})
	}
	err := p.read(ctx, name, r, jobs)
	close(jobs)
	working.Wait()
	return err
}

var configMark = fmt.Appendf(nil, `"path":%q`, record.ConfigPath)

func (p *Player) read(ctx context.Context, name string, r io.Reader, jobs chan<- job) error {
	lines := record.NewLines(r)
	for lines.Next() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if lines.TooLong() {
			p.unreadable()
			continue
		}
		if bytes.Contains(lines.Bytes(), configMark) {
			is, err := p.configured(ctx, lines.Bytes())
			if err != nil {
				return fmt.Errorf("%s:%d: %w", name, lines.Number(), err)
			}
			if is {
				continue
			}
		}
		jobs <- job{file: name, line: lines.Number(), text: bytes.Clone(lines.Bytes()), setting: p.settingOf(lines.Bytes())}
	}
	return lines.Err()
}

// configured takes a line that holds a configuration, and reports whether it is one.
func (p *Player) configured(ctx context.Context, line []byte) (is bool, err error) {
	var event struct {
		Path   string
		Input  json.RawMessage
		Custom struct{ Config string }
	}
	if json.Unmarshal(line, &event) != nil || event.Path != record.ConfigPath {
		return false, nil //nolint:nilerr // what is no event is counted where the others are read
	}
	sum := sha256.Sum256(event.Input)
	if event.Custom.Config != "sha256:"+hex.EncodeToString(sum[:]) {
		return true, errors.New("the configuration is not the one of its digest: the line was altered")
	}
	if p.fixed != nil || p.configs[event.Custom.Config] != nil {
		return true, nil
	}
	if len(p.configs) >= maxConfigs {
		return true, fmt.Errorf("it holds more than %d configurations", maxConfigs)
	}
	var document struct {
		Codemode struct{ Config engine.Config }
	}
	if err := json.Unmarshal(event.Input, &document); err != nil {
		return true, fmt.Errorf("reading the configuration: %w", err)
	}
	s := &setting{config: document.Codemode.Config}
	if s.engine, err = p.opts.Engine(ctx, s.config); err != nil {
		return true, err
	}
	p.configs[event.Custom.Config] = s
	return true, nil
}

var digestMark = []byte(`"custom":{"config":"`)

// settingOf is the setting of the digest at the end of a line, after everything that code can
// choose: what follows are the links of the chain.
func (p *Player) settingOf(line []byte) *setting {
	if p.fixed != nil {
		return p.fixed
	}
	at := bytes.LastIndex(line, digestMark)
	if at < 0 {
		return nil
	}
	digest, _, _ := bytes.Cut(line[at+len(digestMark):], []byte(`"`))
	return p.configs[string(digest)]
}

func (p *Player) unreadable() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report.Unreadable++
}

// decided is a decision of the log.
type decided struct {
	id      string
	input   map[string]any
	tool    engine.Tool // as far as it is asked for here
	session string      // id
	client  string
	allow   bool
	denials []engine.Denial
	labels  []string // that were added

	hiddenPaths []string       // erased or masked
	cut         map[string]any // those of them that we emptied, and not the team's policy
}

func (p *Player) play(ctx context.Context, j job) {
	value, err := strictjson.Decode(j.text, lineBounds)
	event, ok := value.(map[string]any)
	if err != nil || !ok {
		p.unreadable()
		return
	}
	if event["path"] != record.Path {
		return
	}
	var d decided
	if n := p.done.Add(1); p.opts.Progress != nil && n%1000 == 0 {
		p.opts.Progress(n)
	}
	if why := d.read(event); why != "" {
		p.undecidable(why)
		return
	}
	if j.setting == nil {
		p.undecidable("its configuration is in none of the files before it: give them too, or --config")
		return
	}
	why := p.prepare(ctx, &d, j.setting)
	if why == "" {
		why = d.unread(j.setting.engine)
	}
	if why != "" {
		p.undecidable(why)
		return
	}
	now := j.setting.engine.Replay(ctx, d.input)
	now = overrule(&d, now)
	if p.opts.Resimulate {
		p.commit(&d, now)
	}
	p.compare(ctx, j, &d, now)
}

// lineBounds bound the values of a line; its size is bounded already.
var lineBounds = strictjson.Bounds{Bytes: record.MaxLine, Values: record.MaxLine}

// read reads an event; why says what is missing.
func (d *decided) read(event map[string]any) (why string) {
	custom := object(event["custom"])
	if custom["dropped"] != nil {
		return "the event was dropped by data.system.log.drop"
	}
	d.id, d.cut = text(event["decision_id"]), object(custom["cut"])
	d.hiddenPaths = append(texts(event["erased"]), texts(event["masked"])...)
	result := object(event["result"])
	allow, ok := result["allow"].(bool)
	if !ok {
		return "its result is not there"
	}
	d.allow, d.labels = allow, texts(object(result["effects"])["labels_add"])
	for _, denial := range list(result["denials"]) {
		d.denials = append(d.denials, engine.Denial{Code: text(object(denial)["code"]), Message: text(object(denial)["message"])})
	}
	d.input = object(event["input"])
	for _, part := range []string{"tool", "call", "run", "session", "principal"} {
		if object(d.input[part]) == nil {
			return "its input is not there, or not all of it"
		}
	}
	tool := object(d.input["tool"])
	known, ok := tool["known"].(bool)
	d.tool = engine.Tool{ID: text(tool["id"]), Server: text(tool["server"]), Name: text(tool["name"]), Known: known}
	if !ok || d.tool.ID == "" {
		return "its tool is not there"
	}
	d.session, d.client = text(object(d.input["session"])["id"]), text(object(d.input["principal"])["client"])
	return ""
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func texts(v any) []string {
	var all []string
	for _, one := range list(v) {
		all = append(all, text(one))
	}
	return all
}
