package mcpcodemode_test

import (
	"errors"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/record"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/schema"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/stub"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/engine/celrule"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/docker"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor"
)

// isA reports whether an error wraps one of a type.
func isA[T error](err error) bool {
	var typed T
	return errors.As(err, &typed)
}

// TestZeroOptionsWorkOrFailAtOnce: what is missing is an error of the constructor,
// of a type, and never the end of a goroutine. Drivers of zero options work where
// their kind of sandbox does: their examples show it.
func TestZeroOptionsWorkOrFailAtOnce(t *testing.T) {
	impossible := sandbox.Limits{Memory: -1}
	for name, test := range map[string]struct {
		try func() error
		ok  func(error) bool
	}{
		"bridge.New": {func() error {
			b, err := bridge.New(t.Context(), bridge.Options{})
			if err == nil {
				err = b.Close()
			}
			return err
		}, func(err error) bool { return err == nil }},
		"server.New":   {func() error { _, err := server.New(server.Options{}); return err }, isA[*sandbox.OptionError]},
		"sandbox.Open": {func() error { _, err := sandbox.Open(t.Context(), nil); return err }, isA[*sandbox.OptionError]},
		"sandbox.NewPool": {func() error {
			_, err := sandbox.NewPool(nil, sandbox.PoolOptions{})
			return err
		}, isA[*sandbox.OptionError]},
		"docker.New": {func() error {
			_, err := docker.New(t.Context(), docker.Options{Limits: impossible})
			return err
		}, isA[*sandbox.OptionError]},
		"gvisor.New": {func() error {
			_, err := gvisor.New(t.Context(), gvisor.Options{Limits: impossible})
			return err
		}, func(err error) bool { return isA[*sandbox.OptionError](err) || errors.Is(err, gvisor.ErrUnsupported) }},
		"upstream.Start": {func() error {
			_, err := upstream.Start(t.Context(), upstream.Options{})
			return err
		}, isA[*upstream.OptionError]},
		"engine.New":      {func() error { _, err := engine.New(t.Context(), engine.Options{}); return err }, isA[*engine.LoadError]},
		"celrule.Compile": {func() error { _, err := celrule.Compile("", nil); return err }, func(err error) bool { return err != nil }},
		"schema.Compile":  {func() error { _, err := schema.Compile(nil); return err }, func(err error) bool { return err != nil }},
		"stub.Render":     {func() error { _, err := stub.Render(stub.Tool{}, "f"); return err }, func(err error) bool { return err != nil }},
		"record.Open":     {func() error { _, err := record.Open(""); return err }, func(err error) bool { return err != nil }},
		"record.New":      {func() error { return record.New(nil).Write(&record.Entry{}) }, func(err error) bool { return err != nil }},
	} {
		t.Run(name, func(t *testing.T) {
			if err := test.try(); !test.ok(err) {
				t.Errorf("got %T: %v", err, err)
			}
		})
	}
}
