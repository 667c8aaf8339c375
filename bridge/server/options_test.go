package server_test

import (
	"context"
	"errors"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/bridge/server"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
)

func TestNewRefusesOptionsThatCannotBe(t *testing.T) {
	driver := python(t)
	for want, opts := range map[string]server.Options{
		"Driver":         {},
		"Warm":           {Driver: driver, Warm: -1},
		"MaxWarm":        {Driver: driver, MaxWarm: -1},
		"MaxRuns":        {Driver: driver, MaxRuns: -1},
		"StartupTimeout": {Driver: driver, StartupTimeout: -1},
	} {
		_, err := server.New(opts)
		if bad := (*sandbox.OptionError)(nil); !errors.As(err, &bad) || bad.Option != want {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

// The driver has the limits; what they are by default is what the gate takes.
func TestTheRunnerRefusesWhatTheGateWouldRefuse(t *testing.T) {
	b, err := bridge.New(t.Context(), bridge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got := (sandbox.Limits{}).WithDefaults().Arguments; got != b.MaxArguments() {
		t.Errorf("a sandbox may send arguments of %d bytes, and the gate takes %d", got, b.MaxArguments())
	}
}

func TestTheLimitsOfTheDriverAreThoseOfARun(t *testing.T) {
	s := newServer(t, func(o *server.Options) {
		o.Driver = func(ctx context.Context) (sandbox.Driver, error) {
			d, err := process()
			if err != nil {
				return nil, err
			}
			return sandboxtest.WithLimits(d, sandbox.Limits{OutputKept: 5}), nil
		}
	})
	if r, err := s.Run(t.Context(), "print('0123456789')"); err != nil || r.Stdout != "01234" || !r.Truncated {
		t.Errorf("got %+v, %v", r, err)
	}
}

// A driver without sense is an error of the run that wants it, and nothing worse.
func TestADriverThatIsNoneIsAnError(t *testing.T) {
	s := newServer(t, func(o *server.Options) {
		o.Driver = func(context.Context) (sandbox.Driver, error) { return nil, nil }
	})
	_, err := s.Run(t.Context(), "1")
	if bad := (*sandbox.OptionError)(nil); !errors.As(err, &bad) || bad.Option != "Driver" {
		t.Errorf("got %v", err)
	}
}
