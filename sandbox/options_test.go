package sandbox_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// option is the option that an error is about, "" if it is about none.
func option(err error) string {
	var bad *sandbox.OptionError
	if !errors.As(err, &bad) {
		return ""
	}
	return bad.Option
}

func TestEveryLimitIsChecked(t *testing.T) {
	for want, lim := range map[string]sandbox.Limits{
		"":                   {},
		"Limits.Deadline":    {Deadline: -time.Second},
		"Limits.Memory":      {Memory: math.MaxInt64},
		"Limits.Pids":        {Pids: -1},
		"Limits.CPUs":        {CPUs: math.NaN()},
		"Limits.Files":       {Files: -1},
		"Limits.TmpBytes":    {TmpBytes: -1},
		"Limits.OutputKept":  {OutputKept: -1},
		"Limits.OutputFlood": {OutputFlood: 1 << 40},
		"Limits.InFlight":    {InFlight: sandbox.MaxInFlight + 1},
		"Limits.Arguments":   {Arguments: -1},
	} {
		if err := lim.Check(); option(err) != want || want == "" && err != nil {
			t.Errorf("%+v: got %v, want %s", lim, err, want)
		}
	}
}

// limitsOnly is a driver that starts nothing.
type limitsOnly struct {
	sandbox.Driver
	limits sandbox.Limits
}

func (d limitsOnly) Limits() sandbox.Limits { return d.limits }

func TestOptionsThatCannotBeAreErrorsBeforeAnythingStarts(t *testing.T) {
	bad := limitsOnly{limits: sandbox.Limits{Pids: -1}}
	for want, d := range map[string]sandbox.Driver{"Driver": nil, "Limits.Pids": bad} {
		if _, err := sandbox.Open(t.Context(), d); option(err) != want {
			t.Errorf("opening a sandbox: got %v, want %s", err, want)
		}
		if _, err := sandbox.NewPool(d, sandbox.PoolOptions{}); option(err) != want {
			t.Errorf("making a pool: got %v, want %s", err, want)
		}
	}
	for want, o := range map[string]sandbox.PoolOptions{
		"Warm": {Warm: -1}, "MaxWarm": {MaxWarm: -1}, "MaxConcurrent": {MaxConcurrent: -1}, "MaxQueue": {MaxQueue: -1},
	} {
		if _, err := sandbox.NewPool(limitsOnly{}, o); option(err) != want {
			t.Errorf("making a pool: got %v, want %s", err, want)
		}
	}
}
