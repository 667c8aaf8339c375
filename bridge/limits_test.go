package bridge_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
)

// The nearest limit counts: of the tool, of its server, of all servers.
func TestTheLimitsOfAToolAreTheNearestThatAreSet(t *testing.T) {
	for name, test := range map[string]struct {
		all, server, tool bridge.CallLimits
		want              int // KiB
	}{
		"none":             {want: 64},
		"all":              {all: bridge.CallLimits{Result: 100 << 10}, want: 100},
		"server":           {all: bridge.CallLimits{Result: 100 << 10}, server: bridge.CallLimits{Result: 10 << 10}, want: 10},
		"tool":             {server: bridge.CallLimits{Result: 10 << 10}, tool: bridge.CallLimits{Result: 5 << 20}, want: 5 << 10},
		"tool's time only": {server: bridge.CallLimits{Result: 10 << 10}, tool: bridge.CallLimits{Timeout: time.Minute}, want: 10},
	} {
		t.Run(name, func(t *testing.T) {
			s := newBridge(t, newToy(), func(o *bridge.Options) {
				o.Limits, o.Servers[0].Limits = test.all, test.server
				o.Servers[0].ToolLimits = map[string]bridge.CallLimits{"big": test.tool}
			}).NewSession(engine.Principal{})
			most := test.want << 10
			if got, err := call(t, s, "toy/big", fmt.Sprintf(`{"bytes":%d}`, most)); err != nil || len(got.Text) != most {
				t.Errorf("a result of %d bytes: got %d, %v", most, len(got.Text), err)
			}
			_, err := call(t, s, "toy/big", fmt.Sprintf(`{"bytes":%d}`, most+1))
			var e *bridge.ToolError
			if !errors.As(err, &e) || e.Code != bridge.CodeResultTooLarge || len(e.Partial) != most ||
				!strings.Contains(e.Message, fmt.Sprintf("%d bytes", most+1)) || !strings.Contains(e.Message, "--max-result") {
				t.Errorf("a result of %d bytes: %v", most+1, err)
			}
		})
	}
}

// The largest arguments that can be allowed pass the whole gate, and are on record.
func TestArgumentsUpToTheLimitPass(t *testing.T) {
	toy := newToy()
	var log syncLog
	s := newBridge(t, toy, func(o *bridge.Options) {
		o.MaxArguments = bridge.MaxArguments
		o.Limits.Result = 2 << 20
		o.Record = record.New(&log)
	}).NewSession(engine.Principal{})
	frame := len(`{"text":""}`)
	for _, char := range []string{"x", "\u2028", `<`} {
		text := strings.Repeat(char, (bridge.MaxArguments-frame)/len(char))
		if got, err := call(t, s, "toy/echo", `{"text":"`+text+`"}`); err != nil || got.Text != text {
			t.Errorf("%d bytes of %q: got %d, %v", len(text), char, len(got.Text), err)
		}
	}
	if n := strings.Count(log.String(), `"path":"codemode/decision"`); n != 3 {
		t.Errorf("%d records", n)
	}
	if _, err := call(t, s, "toy/echo", `{"text":"`+strings.Repeat("\n", 3)+strings.Repeat(" ", bridge.MaxArguments)+`"}`); err == nil {
		t.Error("more was taken")
	}
}

func TestImpossibleLimitsAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*bridge.Options)
		key    string
	}{
		"arguments":  {func(o *bridge.Options) { o.MaxArguments = bridge.MaxArguments + 1 }, "max-arguments"},
		"a result":   {func(o *bridge.Options) { o.Limits.Result = bridge.MaxResult + 1 }, "limits"},
		"below zero": {func(o *bridge.Options) { o.Servers[0].Limits.Timeout = -1 }, "limits"},
		"a tool's time": {func(o *bridge.Options) {
			o.Servers[0].ToolLimits = map[string]bridge.CallLimits{"echo": {Timeout: 2 * time.Hour}}
		}, "limits"},
		"no such tool": {func(o *bridge.Options) { o.Servers[0].ToolLimits = map[string]bridge.CallLimits{"ecko": {}} }, "limits"},
	} {
		opts := bridge.Options{Servers: []bridge.Server{{Name: "toy", Transport: newToy().connect("toy")}}}
		test.change(&opts)
		b, err := bridge.New(t.Context(), opts)
		if err == nil {
			b.Close()
		}
		if bad := (*bridge.ConfigError)(nil); !errors.As(err, &bad) || bad.Key != test.key {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
