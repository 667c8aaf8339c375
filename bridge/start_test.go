package bridge_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

func TestSettingsMustNameKeptTools(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*bridge.Server)
		want   bridge.ConfigError
	}{
		"allow": {func(s *bridge.Server) { s.Allow = []string{"add", "ad"} },
			bridge.ConfigError{Server: "toy", Key: "allow", Reason: `the server has no tool "ad"`, Hint: `did you mean "add"?`}},
		"private": {func(s *bridge.Server) { s.Allow = []string{"add"}; s.Private.Tools = []string{"note"} },
			bridge.ConfigError{Server: "toy", Key: "private", Reason: `the server has no tool "note"`, Hint: "it has add"}},
		"rules": {func(s *bridge.Server) { s.Allow = []string{"add"}; s.Rules = map[string][]string{"Add": {"true"}} },
			bridge.ConfigError{Server: "toy", Key: "rules", Reason: `the server has no tool "Add"`, Hint: `did you mean "add"?`}},
	} {
		t.Run(name, func(t *testing.T) {
			server := bridge.Server{Name: "toy", Transport: newToy().connect("toy")}
			test.change(&server)
			_, err := bridge.New(context.Background(), bridge.Options{Servers: []bridge.Server{server}})
			var got *bridge.ConfigError
			if !errors.As(err, &got) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(test.want, *got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestARuleThatDoesNotCompileStopsStartupAndIsNamed(t *testing.T) {
	_, err := bridge.New(context.Background(), bridge.Options{Servers: []bridge.Server{{
		Name: "toy", Transport: newToy().connect("toy"), Rules: map[string][]string{"add": {"args.titel == 'x'"}},
	}}})
	var got *bridge.ConfigError
	if !errors.As(err, &got) || got.Key != "rules" || !strings.Contains(got.Reason, `tool "add": rule "args.titel == 'x'"`) {
		t.Errorf("error %v", err)
	}
}

func TestAPolicyThatDoesNotLoadStopsStartup(t *testing.T) {
	_, err := bridge.New(context.Background(), bridge.Options{
		Policy: fstest.MapFS{"p.rego": &fstest.MapFile{Data: []byte("package codemode\nallow if")}},
	})
	var got *bridge.PolicyError
	if !errors.As(err, &got) || !strings.Contains(err.Error(), "p.rego:2") {
		t.Errorf("error %v", err)
	}
}

// TestEveryErrorOfNewHasAType walks the ways in which New fails.
func TestEveryErrorOfNewHasAType(t *testing.T) {
	isConfig := func(err error) bool { return errors.As(err, new(*bridge.ConfigError)) }
	isPolicy := func(err error) bool { return errors.As(err, new(*bridge.PolicyError)) }
	isServer := func(err error) bool { return errors.As(err, new(*bridge.ServerError)) }
	isContext := func(err error) bool { return errors.Is(err, context.Canceled) }
	ended, end := context.WithCancel(t.Context())
	end()
	toy := newToy()
	server := func(name string) bridge.Server { return bridge.Server{Name: name, Transport: toy.connect(name)} }
	with := func(name string, change func(*bridge.Server)) bridge.Options {
		s := server(name)
		change(&s)
		return bridge.Options{Servers: []bridge.Server{s}}
	}
	for name, test := range map[string]struct {
		ctx  context.Context
		opts bridge.Options
		is   func(error) bool
	}{
		"two policies":                  {t.Context(), bridge.Options{Policy: fstest.MapFS{}, PolicyBundle: "b.tar.gz"}, isConfig},
		"names without prefix":          {t.Context(), bridge.Options{Unprefixed: true, Servers: []bridge.Server{server("a"), server("b")}}, isConfig},
		"a negative budget":             {t.Context(), bridge.Options{CallsPerRun: -1}, isConfig},
		"no name":                       {t.Context(), bridge.Options{Servers: []bridge.Server{server("")}}, isConfig},
		"one name twice":                {t.Context(), bridge.Options{Servers: []bridge.Server{server("a"), server("a")}}, isConfig},
		"names that meet":               {t.Context(), bridge.Options{Servers: []bridge.Server{server("a-b"), server("a_b")}}, isConfig},
		"neither command nor transport": {t.Context(), with("a", func(s *bridge.Server) { s.Transport = nil }), isConfig},
		"both command and transport":    {t.Context(), with("a", func(s *bridge.Server) { s.Command = &upstream.Command{} }), isConfig},
		"allow of no tool":              {t.Context(), with("a", func(s *bridge.Server) { s.Allow = []string{"gone"} }), isConfig},
		"private of no tool":            {t.Context(), with("a", func(s *bridge.Server) { s.Private.Tools = []string{"gone"} }), isConfig},
		"rules of no tool":              {t.Context(), with("a", func(s *bridge.Server) { s.Rules = map[string][]string{"gone": {"true"}} }), isConfig},
		"a rule that is none":           {t.Context(), with("a", func(s *bridge.Server) { s.Rules = map[string][]string{"add": {"args.a <"}} }), isConfig},
		"an empty policy":               {t.Context(), bridge.Options{Policy: fstest.MapFS{}}, isPolicy},
		"a bundle that is not there":    {t.Context(), bridge.Options{PolicyBundle: "/does/not/exist.tar.gz"}, isPolicy},
		"an empty command":              {t.Context(), with("a", func(s *bridge.Server) { s.Transport, s.Command = nil, &upstream.Command{} }), isServer},
		"a command that is not there": {t.Context(), with("a", func(s *bridge.Server) {
			s.Transport, s.Command = nil, &upstream.Command{Path: "/does/not/exist"}
		}), isServer},
		"a context that has ended": {ended, bridge.Options{Servers: []bridge.Server{server("a")}}, isContext},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := bridge.New(test.ctx, test.opts)
			if err == nil {
				b.Close()
			}
			if err == nil || b != nil || !test.is(err) {
				t.Errorf("got %T %v", err, err)
			}
		})
	}
}

func TestABridgeOfNothingWorks(t *testing.T) {
	b, err := bridge.New(t.Context(), bridge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	_, err = b.NewSession(engine.Principal{}).Call(t.Context(), "no/tool", nil)
	if code(err) != engine.CodeToolNotAllowed || len(b.Tools()) != 0 {
		t.Errorf("got %v and %d tools", err, len(b.Tools()))
	}
}

func TestServerNamesAreCheckedBeforeAnythingStarts(t *testing.T) {
	command := &upstream.Command{Path: "/does/not/exist"}
	for name, servers := range map[string][]bridge.Server{
		"empty":     {{Name: "", Command: command}},
		"slash":     {{Name: "a/b", Command: command}},
		"twice":     {{Name: "a", Command: command}, {Name: "a", Command: command}},
		"no source": {{Name: "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := bridge.New(context.Background(), bridge.Options{Servers: servers})
			var got *bridge.ConfigError
			if !errors.As(err, &got) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestAFailingServerClosesTheOthers(t *testing.T) {
	toy := newToy()
	transport := &watched{Transport: toy.connect("good"), closed: make(chan struct{})}
	_, err := bridge.New(context.Background(), bridge.Options{Servers: []bridge.Server{
		{Name: "good", Transport: transport},
		{Name: "bad", Command: &upstream.Command{Path: "sh", Args: []string{"-c", "echo no token given >&2; exit 3"}}},
	}})
	var got *bridge.ServerError
	if !errors.As(err, &got) || got.Server != "bad" || !strings.Contains(err.Error(), "no token given") {
		t.Errorf("error %v", err)
	}
	select {
	case <-transport.closed:
	case <-time.After(20 * time.Second):
		t.Error("the other server was not closed")
	}
}

// watched tells when its connection was closed.
type watched struct {
	mcp.Transport
	closed chan struct{}
}

func (w *watched) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := w.Transport.Connect(ctx)
	return &watchedConn{c, w, sync.Once{}}, err
}

type watchedConn struct {
	mcp.Connection
	w    *watched
	once sync.Once
}

func (c *watchedConn) Close() error {
	c.once.Do(func() { close(c.w.closed) })
	return c.Connection.Close()
}

func TestToolsOfOneServerKeepTheirNamesAndOfSeveralGetAPrefix(t *testing.T) {
	names := func(b *bridge.Bridge) (names []string) {
		for _, tool := range b.Tools() {
			names = append(names, tool.ID+" as "+tool.Name)
		}
		return names
	}
	allow := []string{"add", "any"}
	one := newBridge(t, newToy(), func(o *bridge.Options) { o.Unprefixed = true; o.Servers[0].Allow = allow })
	if diff := cmp.Diff([]string{"toy/add as add", "toy/any as any_"}, names(one)); diff != "" {
		t.Errorf("single (-want +got):\n%s", diff)
	}
	toy := newToy()
	two := newBridge(t, toy, func(o *bridge.Options) {
		o.Servers = []bridge.Server{
			{Name: "a", Transport: toy.connect("a"), Allow: allow},
			{Name: "b-2", Transport: toy.connect("b-2"), Allow: []string{"add"}},
		}
	})
	want := []string{"a/add as a__add", "a/any as a__any", "b-2/add as b_2__add"}
	if diff := cmp.Diff(want, names(two), cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("several (-want +got):\n%s", diff)
	}
}

func TestToolsOfDifferentServersThatMeetStopStartup(t *testing.T) {
	toy := newToy()
	_, err := bridge.New(context.Background(), bridge.Options{Servers: []bridge.Server{
		{Name: "a-b", Transport: toy.connect("a-b"), Allow: []string{"add"}},
		{Name: "a_b", Transport: toy.connect("a_b"), Allow: []string{"add"}},
	}})
	if err == nil || !strings.Contains(err.Error(), "a-b/add") || !strings.Contains(err.Error(), "a_b/add") {
		t.Errorf("error %v", err)
	}
}
