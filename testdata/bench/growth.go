package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// growth measures how time grows with work, and draws it.
func (b *bench) growth(ctx context.Context) error {
	if b.plot == "" {
		return nil
	}
	p := plot{
		{title: "a warm run that makes one call", x: "tools that exist", y: "ms"},
		{title: "time per call, one after the other and gathered", x: "calls in the run", y: "ms"},
		{title: "runs at the same time, median", x: "runs", y: "ms"},
	}
	err := b.each(func(driver string) error {
		for i, measure := range []func(context.Context, string) ([]series, error){b.toolGrowth, b.callGrowth, b.runGrowth} {
			s, err := measure(ctx, driver)
			if err != nil {
				return err
			}
			p[i].series = append(p[i].series, s...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if b.image != "" {
		s := series{name: bare}
		for _, n := range b.sizes(1, 2, 4, 8, 16, 32, 64) {
			took, err := burst(n, func() (time.Duration, error) { return b.container(ctx, "") })
			if err != nil { // the engine's own trouble, and all else is measured
				fmt.Fprintf(os.Stderr, "%d at once: %v; ", n, err)
				break
			}
			s.add(n, took.p50())
		}
		p[2].series = append(p[2].series, s)
	}
	return os.WriteFile(b.plot, p.svg(), 0o644)
}

// sizes are the steps of work, or the first two.
func (b *bench) sizes(all ...int) []int { return all[:b.n(len(all), 2)] }

// toolGrowth is a run with one call, against the number of tools.
func (b *bench) toolGrowth(ctx context.Context, driver string) ([]series, error) {
	s := series{name: driver}
	for _, n := range b.sizes(10, 100, 1000, 10_000) {
		file, err := b.writeTools(n)
		if err != nil {
			return nil, err
		}
		took, err := b.runsOf(ctx, driver, fmt.Sprintf("await tool_%d(a=1)", n-1), file)
		if err != nil {
			return nil, err
		}
		s.add(n, took.p50())
	}
	return []series{s}, nil
}

func (b *bench) runsOf(ctx context.Context, driver, code, file string) (sample, error) {
	c, err := b.serve(ctx, driver, "", b.self, replayCommand, file)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if _, err := c.timeRun(code); err != nil {
		return nil, err
	}
	return repeat(b.n(11, 2), func() (time.Duration, error) {
		for range 3 {
			b.settle(ctx, driver)
		}
		return c.timeRun(code)
	})
}

// writeTools writes a list of n tools such as servers have.
func (b *bench) writeTools(n int) (file string, err error) {
	tools := make([]map[string]any, n)
	for i := range tools {
		tools[i] = map[string]any{
			"name":        fmt.Sprintf("tool_%d", i),
			"description": "Do what this tool does, with what it is given.",
			"inputSchema": json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer","description":"a number"},"b":{"type":"string"}},"required":["a"]}`),
		}
	}
	text, err := json.Marshal(map[string]any{"tools": tools})
	if err != nil {
		return "", err
	}
	file = filepath.Join(b.dir, fmt.Sprintf("%d.json", n))
	return file, os.WriteFile(file, text, 0o600)
}

// callGrowth is the time per call, against the calls of a run.
func (b *bench) callGrowth(ctx context.Context, driver string) ([]series, error) {
	c, err := b.warmed(ctx, driver, "")
	if err != nil {
		return nil, err
	}
	defer c.close()
	all := []series{{name: driver}, {name: driver + ", gathered"}}
	for _, n := range b.sizes(1, 10, 100, 1000, 10_000) {
		for i, code := range []string{
			fmt.Sprintf("for i in range(%d): await add(a=i, b=1)", n),
			fmt.Sprintf("await asyncio.gather(*[add(a=i, b=1) for i in range(%d)])\n0", n),
		} {
			took, err := repeat(b.n(3, 1), func() (time.Duration, error) {
				b.settle(ctx, driver)
				return c.timeRun(code)
			})
			if err != nil {
				return nil, err
			}
			all[i].add(n, took.p50()/time.Duration(n))
		}
	}
	return all, nil
}

// runGrowth is the median of runs that come at the same time, against how many.
func (b *bench) runGrowth(ctx context.Context, driver string) ([]series, error) {
	c, err := b.warmed(ctx, driver, "")
	if err != nil {
		return nil, err
	}
	defer c.close()
	s := series{name: driver}
	for _, n := range b.sizes(1, 2, 4, 8, 16, 32, 64) {
		for range 5 {
			b.settle(ctx, driver)
		}
		took, err := burst(n, func() (time.Duration, error) { return c.timeRun("pass") })
		if err != nil {
			return nil, err
		}
		s.add(n, took.p50())
	}
	return []series{s}, nil
}

// burst does the same n times at once.
func burst(n int, do func() (time.Duration, error)) (sample, error) {
	took, errs := make(sample, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { took[i], errs[i] = do() })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return took, nil
}
