package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/policies"
)

const (
	decisionGoal = 60 * time.Microsecond
	gateGoal     = 100 * time.Microsecond
)

// decisions is one answer of OPA with the built-in pack, among few and many tools,
// for the first calls of a session and for those after 10,000 that went to all
// tools in turn.
func (b *bench) decisions(ctx context.Context) error {
	type measurement struct {
		row    *row
		decide func() (time.Duration, error)
		took   sample
	}
	var all []*measurement
	for _, tools := range []int{10, 10_000} {
		for _, calls := range []int{1, 10_000} {
			decide, err := decider(ctx, tools, calls)
			if err != nil {
				return err
			}
			title := fmt.Sprintf("one decision, %s tools, call %s", thousands(tools), thousands(calls))
			all = append(all, &measurement{row: b.table.add(title, "60 µs"), decide: decide})
		}
	}
	for range rounds {
		for _, m := range all {
			s, err := repeat(b.n(2000, 20), m.decide)
			if err != nil {
				return err
			}
			m.took = append(m.took, s...)
		}
	}
	for _, m := range all {
		m.row.each(b.drivers, us(m.took.p50())+" / "+us(m.took.p99())+" µs", m.took.p50() <= decisionGoal)
	}
	return nil
}

func thousands(n int) string {
	if n >= 1000 {
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return strconv.Itoa(n)
}

// decider decides about one call after the other in a session of so many tools, starting
// with the call of that number.
func decider(ctx context.Context, tools, call int) (decide func() (time.Duration, error), err error) {
	names := make([]string, tools)
	for i := range names {
		names[i] = fmt.Sprintf("tool_%d", i)
	}
	e, err := engine.New(ctx, engine.Options{Policy: policies.FS, Config: engine.Config{Servers: map[string]engine.ServerConfig{
		"server": {Allow: engine.SomeTools(names...)},
	}}})
	if err != nil {
		return nil, err
	}
	session := engine.Session{ID: "a session", CallsByTool: map[string]int64{}}
	for i := range call - 1 {
		session.Calls++
		session.CallsByTool["server/"+names[i%len(names)]]++
	}
	i := call - 1
	return func() (time.Duration, error) {
		name := names[i%len(names)]
		i++
		session.Calls++
		request := &engine.Request{
			Hook: engine.HookCall,
			Tool: engine.Tool{ID: "server/" + name, Server: "server", Name: name, Known: true, Annotations: map[string]bool{"readOnlyHint": true}},
			Call: engine.Call{ID: "a call", Seq: session.Calls, ArgsBytes: 75, Args: map[string]any{
				"title": "The import drops the last line", "priority": json.Number("2"), "labels": []any{"bug", "import"},
			}},
			Run:     engine.Run{ID: "a run", Calls: 1, InFlight: 1, ElapsedMS: 12},
			Session: session,
			TimeNS:  time.Now().UnixNano(),
		}
		start := time.Now()
		d := e.Decide(ctx, request)
		took := time.Since(start)
		if !d.Allow {
			return 0, fmt.Errorf("refused: %v", d.Denials)
		}
		session.CallsByTool[request.Tool.ID]++
		return took, nil
	}, nil
}

// gate is what the gate itself adds to a call: all of it but the server's answer.
// BenchmarkGate measures it, with a server that answers at once.
func (b *bench) gate(ctx context.Context) error {
	r := b.table.add("of which the gate", "0.1 ms")
	out, err := goBench(ctx, "./bridge", "BenchmarkGate/add", b.n(2000, 20))
	if err != nil {
		return err
	}
	p50, err := metric(out, "p50-ns")
	if err != nil {
		return err
	}
	p99, err := metric(out, "p99-ns")
	took := time.Duration(p50)
	r.each(b.drivers, ms(took)+" / "+ms(time.Duration(p99))+" ms", took <= gateGoal)
	return err
}

// goBench runs rounds of n times one Go benchmark and returns what it prints.
func goBench(ctx context.Context, pkg, name string, n int) (string, error) {
	pattern := "^" + strings.ReplaceAll(name, "/", "$/^") + "$"
	out, err := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", pattern,
		"-benchtime", fmt.Sprintf("%dx", n), "-count", strconv.Itoa(rounds), pkg).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go test: %w\n%s", err, out)
	}
	return string(out), nil
}

// metric reads a number off the output of a benchmark: the median of its rounds.
func metric(out, unit string) (float64, error) {
	var found []float64
	fields := strings.Fields(out)
	for i, f := range fields[1:] {
		if f == unit {
			x, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return 0, err
			}
			found = append(found, x)
		}
	}
	if len(found) == 0 {
		return 0, fmt.Errorf("the benchmark does not report %s:\n%s", unit, out)
	}
	slices.Sort(found)
	return found[len(found)/2], nil
}
