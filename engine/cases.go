package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
)

// casesSuffix is how files of cases end. Stock OPA skips them.
const casesSuffix = ".cases"

// Bounds on the cases of a policy.
const (
	maxCases      = 10_000
	maxCasesFile  = 1 << 20         // bytes
	maxCasesTime  = 5 * time.Second // for all of them
	defaultClient = "a client"
)

// caseFile is one NAME.cases: calls that must be refused and calls that must go out, written by
// people who need not know Rego.
type caseFile struct {
	name  string // with the policy's
	cases []policyCase
	conf  Config
}

// The parts of a file. A server that is not named allows every tool.
type caseDocument struct {
	Servers map[string]struct {
		Allow   []string            `yaml:"allow"`   // default every tool
		Private []string            `yaml:"private"` // default none
		Rules   map[string][]string `yaml:"rules"`   // by tool
	} `yaml:"servers"`
	Limits struct {
		CallsPerRun   int `yaml:"calls_per_run"`
		ArgumentBytes int `yaml:"argument_bytes"`
	} `yaml:"limits"`
	Refuse []policyCase `yaml:"refuse"`
	Allow  []policyCase `yaml:"allow"`
	Pass   []policyCase `yaml:"pass"` // not refused with the code, whatever else is said
}

// policyCase is one call as a person says it.
type policyCase struct {
	Tool        string           `yaml:"tool"` // server/name
	Args        map[string]any   `yaml:"args"`
	Code        string           `yaml:"code"`        // of refuse: one of the reasons
	Labels      []string         `yaml:"labels"`      // of the session
	Annotations map[string]bool  `yaml:"annotations"` // of the tool
	Known       *bool            `yaml:"known"`       // default true
	Fits        *bool            `yaml:"fits"`        // whether the arguments fit the tool's schema; default true
	Holds       *bool            `yaml:"holds"`       // whether the tool's CEL rules hold; default true
	ArgsBytes   int              `yaml:"args_bytes"`  // default what they are
	Calls       int64            `yaml:"calls"`       // of the run, this one included; default 1
	CallsByTool map[string]int64 `yaml:"calls_by_tool"`
	Client      string           `yaml:"client"`
	Time        time.Time        `yaml:"time"` // default noon of a working day
	Note        string           `yaml:"note"` // for readers

	allow, pass bool
	line        int
}

// UnmarshalYAML notes the line, for messages.
func (c *policyCase) UnmarshalYAML(node *yaml.Node) error {
	type fields policyCase // without this method
	if err := onlyKeys(node, "tool", "args", "code", "labels", "annotations", "known", "fits", "holds", "args_bytes",
		"calls", "calls_by_tool", "client", "time", "note"); err != nil {
		return err
	}
	if err := node.Decode((*fields)(c)); err != nil {
		return err
	}
	c.line = node.Line
	return nil
}

func onlyKeys(node *yaml.Node, known ...string) error {
	for i := 0; node.Kind == yaml.MappingNode && i < len(node.Content); i += 2 {
		if key := node.Content[i]; !slices.Contains(known, key.Value) {
			return fmt.Errorf("line %d: a case has no %q; it has %s", key.Line, key.Value, strings.Join(known, ", "))
		}
	}
	return nil
}

// cases reads every file of cases.
func (t tree) cases(src Source) ([]caseFile, error) {
	var all []caseFile
	var problems []error
	count := 0
	for _, name := range t.names() {
		if !strings.HasSuffix(name, casesSuffix) {
			continue
		}
		file, err := readCases(t[name])
		if count += len(file.cases); err == nil && count > maxCases {
			err = fmt.Errorf("more than %d cases", maxCases)
		}
		file.name = path.Join(src.prefix(), name)
		if err != nil {
			f := check.New(check.BadCases, nil, err.Error(), "")
			f.File = file.name
			problems = append(problems, &foundError{f})
		}
		all = append(all, file)
	}
	return all, errors.Join(problems...)
}

func readCases(data []byte) (caseFile, error) {
	var f caseFile
	if len(data) > maxCasesFile {
		return f, fmt.Errorf("larger than %d bytes", maxCasesFile)
	}
	var doc caseDocument
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return f, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return f, errors.New("there is a second document in it, which nobody would try: take out the line ---")
	}
	for i := range doc.Allow {
		doc.Allow[i].allow = true
	}
	for i := range doc.Pass {
		doc.Pass[i].pass = true
	}
	f.cases = slices.Concat(doc.Refuse, doc.Allow, doc.Pass)
	f.conf = doc.config(f.cases)
	if len(f.cases) == 0 {
		return f, errors.New("there is no case in it: write some below refuse, allow and pass")
	}
	for _, c := range f.cases {
		if server, name, ok := strings.Cut(c.Tool, "/"); !ok || server == "" || name == "" {
			return f, fmt.Errorf("line %d: a case needs a tool, as server/name", c.line)
		}
		if c.allow && c.Code != "" {
			return f, fmt.Errorf("line %d: a call that goes out has no code", c.line)
		}
		if c.pass && c.Code == "" {
			return f, fmt.Errorf("line %d: a call that passes needs the code that it is not refused with", c.line)
		}
	}
	return f, nil
}

// config is what the cases are decided with: what the file says, and otherwise every tool allowed.
func (d *caseDocument) config(cases []policyCase) Config {
	c := Config{Servers: map[string]ServerConfig{}, Limits: Limits{CallsPerRun: d.Limits.CallsPerRun, ArgumentBytes: d.Limits.ArgumentBytes}}
	for _, one := range cases {
		server, _, _ := strings.Cut(one.Tool, "/")
		if _, said := d.Servers[server]; !said {
			c.Servers[server] = ServerConfig{Allow: AllTools()}
		}
	}
	for name, s := range d.Servers {
		conf := ServerConfig{Allow: AllTools(), Private: SomeTools(s.Private...), Rules: s.Rules}
		if s.Allow != nil {
			conf.Allow = SomeTools(s.Allow...)
		}
		c.Servers[name] = conf
	}
	return c
}

// request is the call of a case.
func (c *policyCase) request(conf Config) (*Request, error) {
	server, name, _ := strings.Cut(c.Tool, "/")
	args, err := jsonValue(c.Args)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	private := conf.Servers[server].Private.Has(name)
	r := &Request{
		Hook:      HookCall,
		Tool:      Tool{ID: c.Tool, Server: server, Name: name, Known: c.Known == nil || *c.Known, Private: private, Annotations: c.Annotations},
		Call:      Call{ID: "case", Seq: 1, Args: args, ArgsBytes: len(text)},
		Run:       Run{ID: "case", Calls: max(c.Calls, 1), InFlight: 1},
		Session:   Session{ID: "case", Labels: c.Labels, LabelSources: map[string]string{}, Calls: max(c.Calls, 1), CallsByTool: c.CallsByTool},
		Principal: Principal{Client: defaultClient, Version: "1"},
		TimeNS:    c.Time.UnixNano(),
	}
	if private {
		r.Tool.Labels = []string{"private"}
	}
	if c.Time.IsZero() {
		r.TimeNS = time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC).UnixNano()
	}
	if c.ArgsBytes > 0 {
		r.Call.ArgsBytes = c.ArgsBytes
	}
	if c.Client != "" {
		r.Principal.Client = c.Client
	}
	if c.Fits != nil && !*c.Fits {
		r.Call.Violations = []Violation{{Message: "does not fit"}}
	}
	for _, rule := range conf.Servers[server].Rules[name] {
		r.Call.Rules = append(r.Call.Rules, RuleResult{Rule: rule, OK: c.Holds == nil || *c.Holds})
	}
	return r, nil
}

// jsonValue makes of what YAML gives what a Request takes.
func jsonValue(args map[string]any) (any, error) {
	if args == nil {
		args = map[string]any{}
	}
	text, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("the arguments are no JSON: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	err = dec.Decode(&v)
	return v, err
}
