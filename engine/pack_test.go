package engine

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

var update = flag.Bool("update", false, "write policies/capabilities.json anew")

func TestThePackPassesItsOwnTestsAndTheyReachEveryLine(t *testing.T) {
	var out bytes.Buffer
	result, err := Test(t.Context(), TestOptions{Source: Source{FS: policies.FS}, Threshold: 100, Out: &out})
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if result.Passed < 200 || result.Skipped > 0 {
		t.Errorf("%+v", result)
	}
}

func TestThePackIsCheckedStrictly(t *testing.T) {
	if err := Check(t.Context(), Source{FS: policies.FS}); err != nil {
		t.Error(err)
	}
}

// Whoever works on a policy has the tools of stock OPA, and nothing of ours.
func TestThePackWorksInStockOPA(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs OPA")
	}
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	config, err := packConfig().Document()
	if err != nil {
		t.Fatal(err)
	}
	configFile, input := write("config.json", config), write("input.json", marshal(t, packRequest()))
	pack, bundle := "../policies", filepath.Join(dir, "bundle.tar.gz")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"test", pack}, "PASS: "},
		{[]string{"test", "--coverage", "--threshold", "100", pack}, `"coverage": 100`},
		{[]string{"check", "--strict", "--schema", pack + "/schemas", "--capabilities", pack + "/capabilities.json", pack}, ""},
		{[]string{"eval", "-d", pack, "-d", configFile, "-i", input, "data.codemode.decision.allow", "--format", "raw"}, "true"},
		{[]string{"eval", "-d", pack, "-i", input, "data.codemode.decision.allow", "--format", "raw"}, "false"},
		{[]string{"build", "-b", pack, "--ignore", "*_test.rego", "-r", "v7", "-o", bundle}, ""},
		{[]string{"fmt", "--fail", "-l", pack}, ""},
	} {
		out, err := exec.CommandContext(t.Context(), "go", append([]string{"tool", "opa"}, c.args...)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Fatalf("opa %s: %v\n%s", strings.Join(c.args, " "), err, out)
		}
	}
	// And what OPA built is served.
	e, err := New(t.Context(), Options{Bundle: bundle, Config: packConfig()})
	if err != nil {
		t.Fatal(err)
	}
	if d := e.Decide(t.Context(), packRequest()); !d.Allow || !strings.HasPrefix(d.Revision, "v7@sha256:") {
		t.Errorf("%+v", d)
	}
}

func TestCapabilitiesAreOPAsWithoutWhatReachesOutside(t *testing.T) {
	want, err := CapabilitiesJSON()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("../policies/capabilities.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := fs.ReadFile(policies.FS, "capabilities.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("policies/capabilities.json is not what the engine enforces; go test ./engine -run Capabilities -update")
	}
	read, err := ast.LoadCapabilitiesJSON(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	if read.AllowNet == nil || len(read.AllowNet) != 0 {
		t.Errorf("allow_net is %#v: every host is allowed", read.AllowNet)
	}
	for _, name := range []string{
		"http.send", "opa.runtime", "net.lookup_ip_addr", "rand.intn", "time.now_ns", "uuid.rfc4122",
		"io.jwt.decode_verify", "io.jwt.encode_sign", "io.jwt.encode_sign_raw", "json.match_schema", "json.verify_schema",
		"crypto.x509.parse_and_verify_certificates", "crypto.x509.parse_and_verify_certificates_with_options",
	} {
		if read.ContainsBuiltin(name) {
			t.Errorf("%s is allowed", name)
		}
	}
	removed := len(ast.CapabilitiesForThisVersion().Builtins) - len(read.Builtins)
	if removed != 13 {
		t.Errorf("%d builtins are left out, want the 13 above: a new OPA has others", removed)
	}
}

// Take anything away from the pack and one of its tests turns red.
func TestEveryRuleOfThePackIsGuardedByATest(t *testing.T) {
	for _, family := range []string{"allowlist", "arguments", "budget", "private"} {
		t.Run("without "+family, func(t *testing.T) {
			survives(t, func(modules map[string]*ast.Module) {
				delete(modules, "codemode/rules/"+family+"/"+family+".rego")
			})
		})
	}
	whole := parsePack(t).modules
	for _, file := range slices.Sorted(maps.Keys(whole)) {
		if isTest(file) {
			continue
		}
		for i, rule := range whole[file].Rules {
			t.Run(fmt.Sprintf("without %s:%d", file, rule.Loc().Row), func(t *testing.T) {
				survives(t, func(modules map[string]*ast.Module) {
					modules[file].Rules[i].Body = ast.NewBody(ast.NewExpr(ast.BooleanTerm(false)))
				})
			})
			for j, expr := range rule.Body {
				if len(rule.Body) == 1 && rule.Default || expr.Generated || isTrue(expr) {
					continue
				}
				t.Run(fmt.Sprintf("without %s at %s:%d", expr, file, expr.Loc().Row), func(t *testing.T) {
					survives(t, func(modules map[string]*ast.Module) {
						modules[file].Rules[i].Body[j] = ast.NewExpr(ast.BooleanTerm(true))
					})
				})
			}
		}
	}
}

func isTrue(e *ast.Expr) bool {
	term, ok := e.Terms.(*ast.Term)
	return ok && term.Equal(ast.BooleanTerm(true))
}

func parsePack(t *testing.T) *policy {
	t.Helper()
	p, err := parse(t.Context(), Source{FS: policies.FS}, loadOptions{tests: true, print: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// survives fails when a mutant of the pack passes all tests. One that does not compile is as dead.
func survives(t *testing.T, mutate func(map[string]*ast.Module)) {
	t.Helper()
	p := parsePack(t)
	mutate(p.modules)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	results, err := p.startTests(ctx, runOptions{})
	if err != nil {
		return
	}
	killed := false
	for r := range results {
		if !r.Pass() {
			killed = true
			stop()
		}
	}
	if !killed {
		t.Error("every test still passes")
	}
}

// packConfig and packRequest are what the pack's own tests start from, as Go values.
func packConfig() Config {
	return Config{Servers: map[string]ServerConfig{
		"tracker": {
			Allow: SomeTools("create_issue", "find_issue"),
			Rules: map[string][]string{"create_issue": {"size(args.title) <= 200"}},
		},
		"notes": {Allow: AllTools(), Private: AllTools()},
	}}
}

func packRequest() *Request {
	return &Request{
		Hook: HookCall,
		Tool: Tool{
			ID: "tracker/create_issue", Server: "tracker", Name: "create_issue", Known: true,
			Annotations:      map[string]bool{"readOnlyHint": false},
			DefinitionSHA256: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
		},
		Call: Call{
			ID: "call-1", Seq: 3, Args: map[string]any{"title": "The import drops the last line"}, ArgsBytes: 42,
			Rules: []RuleResult{{Rule: "size(args.title) <= 200", OK: true}},
		},
		Run:       Run{ID: "run-1", Calls: 3, InFlight: 1, ElapsedMS: 12},
		Session:   Session{ID: "session-1", Calls: 3},
		Principal: Principal{Client: "test", Version: "1"},
		TimeNS:    1_700_000_000_000_000_000,
	}
}

func newPack(t testing.TB) *Engine {
	t.Helper()
	e, err := New(t.Context(), Options{Policy: policies.FS, Config: packConfig(), Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestThePackDecides(t *testing.T) {
	e := newPack(t)
	for _, c := range []struct {
		name  string
		alter func(*Request)
		codes []string
		label []string
	}{
		{"a call that nothing speaks against", func(*Request) {}, nil, nil},
		{"a tool off the allowlist", func(r *Request) { r.Tool.Name = "delete_issue"; r.Call.Rules = nil }, []string{CodeToolNotAllowed}, nil},
		{"everything at once", func(r *Request) {
			r.Tool.Known = false
			r.Call.ArgsBytes = 16385
			r.Call.Violations = []Violation{{Path: "/title", Message: "got number, want string"}}
			r.Call.Rules[0].OK = false
			r.Run.Calls = 201
			r.Session.Labels = []string{"private"}
		}, []string{CodeToolNotAllowed, CodeArgumentsTooLarge, CodeArgumentsInvalid, CodeRuleNotMet, CodeBudgetExhausted, CodePrivateData}, nil},
		{"a private tool", func(r *Request) { r.Tool.Private = true }, nil, []string{"private"}},
	} {
		r := packRequest()
		c.alter(r)
		d := e.Decide(t.Context(), r)
		if d.Allow != (c.codes == nil) || !slices.Equal(codes(d), c.codes) || !slices.Equal(d.Effects.LabelsAdd, c.label) {
			t.Errorf("%s: %+v", c.name, d)
		}
		if d.Revision != e.Revision() {
			t.Errorf("%s: revision %q", c.name, d.Revision)
		}
	}
}

func codes(d Decision) []string {
	var out []string
	for _, denial := range d.Denials {
		out = append(out, denial.Code)
	}
	return out
}

func TestVisibleToolsAreThoseThatCanBeCalled(t *testing.T) {
	got, err := newPack(t).Visible(t.Context(), []Tool{
		{ID: "tracker/create_issue", Server: "tracker", Name: "create_issue", Known: true},
		{ID: "tracker/delete_issue", Server: "tracker", Name: "delete_issue", Known: true},
		{ID: "tracker/find_issue", Server: "tracker", Name: "find_issue"},
		{ID: "notes/anything", Server: "notes", Name: "anything", Known: true, Private: true},
	})
	want := map[string]bool{"tracker/create_issue": true, "tracker/delete_issue": false, "tracker/find_issue": false, "notes/anything": true}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v %v", got, err)
	}
}

// The allowlist refuses what is not on the list, whoever grants it, in its own package too.
func TestNoGrantGoesPastTheAllowlist(t *testing.T) {
	for name, pkg := range map[string]string{"mine": "codemode.rules.mine", "allowlist": "codemode.rules.allowlist"} {
		file := "codemode/rules/" + name + "/more.rego"
		e, err := New(t.Context(), Options{Config: packConfig(), Policy: packWith(t, file, "package "+pkg+"\n\ngrant if true\n")})
		if err != nil {
			t.Fatal(err)
		}
		r := packRequest()
		r.Tool.Name, r.Call.Rules = "delete_everything", nil
		if d := e.Decide(t.Context(), r); d.Allow || codes(d)[0] != CodeToolNotAllowed {
			t.Errorf("%s: %+v", pkg, d)
		}
	}
}
