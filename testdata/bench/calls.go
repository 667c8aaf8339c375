package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	slowGoal       = 800 * time.Millisecond
	throughputGoal = 3000.0 // calls per second
	largeGoal      = 100.0  // MB/s
	largeBytes     = 60 << 10
	largeCount     = 200
)

var callGoal = map[string]time.Duration{docker: 600 * time.Microsecond, gvisor: 500 * time.Microsecond}

// timed is code that prints, in ns, the median and the p99 of a statement done n
// times, after a few that do not count.
func timed(n int, statement string) string {
	return fmt.Sprintf(`
from time import perf_counter_ns as now
took = []
for i in range(%d):
    start = now()
    %s
    took.append(now() - start)
took = sorted(took[20:])
print(took[len(took) // 2], took[len(took) * 99 // 100])
`, n+20, statement)
}

// runTimed runs such code.
func (c *client) runTimed(code string) (p50, p99 time.Duration, err error) {
	out, _, err := c.run(code)
	if err != nil {
		return 0, 0, err
	}
	_, err = fmt.Sscan(out, &p50, &p99)
	return p50, p99, err
}

// sequentialCalls is one call from Python through the gate to a server on stdio
// and back, one after the other.
func (b *bench) sequentialCalls(ctx context.Context) error {
	r := b.table.add("one call, from Python to the server and back", "0.6 ms docker, 0.5 ms gvisor")
	n := b.n(3000, 50)
	p50, p99 := map[string][]time.Duration{}, map[string][]time.Duration{}
	var directly sample
	for range b.n(rounds, 1) {
		err := b.each(func(driver string) error {
			c, err := b.warmed(ctx, driver, "")
			if err != nil {
				return err
			}
			defer c.close()
			half, most, err := c.runTimed(timed(n, "await add(a=i, b=1)"))
			p50[driver], p99[driver] = append(p50[driver], half), append(p99[driver], most)
			return err
		})
		if err != nil {
			return err
		}
		s, _, err := b.directly(ctx, n, 1, "add", `{"a":1,"b":1}`, b.toyserver())
		if err != nil {
			return err
		}
		directly = append(directly, s...)
	}
	for _, driver := range b.drivers {
		half := median(p50[driver])
		r.set(driver, ms(half)+" / "+ms(median(p99[driver]))+" ms", half <= callGoal[driver])
	}
	r.note(direct, ms(directly.p50())+" / "+ms(directly.p99())+" ms")
	return nil
}

// slowCalls is a program that gathers 200 calls to a tool that takes 50 ms.
func (b *bench) slowCalls(ctx context.Context) error {
	r := b.table.add("200 calls of 50 ms in one `gather`", "0.8 s")
	n := b.n(5, 1)
	err := b.each(func(driver string) error {
		c, err := b.warmed(ctx, driver, "")
		if err != nil {
			return err
		}
		defer c.close()
		s, err := repeat(n, func() (time.Duration, error) {
			b.settle(ctx, driver)
			return c.timeRun("await asyncio.gather(*[slow(seconds=0.05) for _ in range(200)])\n0")
		})
		r.set(driver, digits(s.p50().Seconds())+" s", s.p50() <= slowGoal)
		return err
	})
	if err != nil {
		return err
	}
	s, err := repeat(n, func() (time.Duration, error) {
		_, took, err := b.directly(ctx, 200, inFlight, "slow", `{"seconds":0.05}`, b.toyserver())
		return took, err
	})
	r.note(direct, digits(s.p50().Seconds())+" s")
	return err
}

// gatheredCalls is how many calls per second a program gathers.
func (b *bench) gatheredCalls(ctx context.Context) error {
	r := b.table.add("gathered calls to a fast server", "3,000 /s")
	n := b.n(6000, 200)
	rate := func(took time.Duration) float64 { return float64(n) / took.Seconds() }
	err := b.each(func(driver string) error {
		c, err := b.warmed(ctx, driver, "")
		if err != nil {
			return err
		}
		defer c.close()
		s, err := repeat(b.n(3, 1), func() (time.Duration, error) {
			b.settle(ctx, driver)
			return c.timeRun(fmt.Sprintf("len(await asyncio.gather(*[add(a=i, b=1) for i in range(%d)]))", n))
		})
		r.set(driver, digits(rate(s.p50()))+" /s", rate(s.p50()) >= throughputGoal)
		return err
	})
	if err != nil {
		return err
	}
	_, took, err := b.directly(ctx, n, inFlight, "add", `{"a":1,"b":1}`, b.toyserver())
	r.note(direct, digits(rate(took))+" /s")
	return err
}

// largeResults is a program that reads 60 KiB 200 times, from a server that has it
// ready.
func (b *bench) largeResults(ctx context.Context) error {
	r := b.table.add("a 60 KiB result, 200 times in one run", "100 MB/s")
	file := filepath.Join(b.dir, "large.json")
	list := fmt.Sprintf(`{"tools":[{"name":%q,"inputSchema":{"type":"object"}}]}`, largeTool)
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		return err
	}
	server := []string{b.self, replayCommand, file}
	rate := func(took time.Duration) float64 { return largeBytes * largeCount / 1e6 / took.Seconds() }
	err := b.each(func(driver string) error {
		c, err := b.serve(ctx, driver, "", server...)
		if err != nil {
			return err
		}
		defer c.close()
		if _, err := c.timeRun("pass"); err != nil {
			return err
		}
		s, err := repeat(b.n(5, 1), func() (time.Duration, error) {
			for range 4 {
				b.settle(ctx, driver)
			}
			return c.timeRun(fmt.Sprintf("len(await asyncio.gather(*[%s() for _ in range(%d)]))", largeTool, largeCount))
		})
		r.set(driver, digits(rate(s.p50()))+" MB/s", rate(s.p50()) >= largeGoal)
		return err
	})
	if err != nil {
		return err
	}
	_, took, err := b.directly(ctx, largeCount, inFlight, largeTool, "{}", server...)
	if err != nil {
		return err
	}
	r.note(direct, digits(rate(took))+" MB/s")
	return b.wire(ctx)
}

// wire is what the wire between the host and the runner carries by itself, one result
// after the other. BenchmarkSandbox measures it, with the runner in a plain process.
func (b *bench) wire(ctx context.Context) error {
	r := b.table.add("of which the wire, by itself", "100 MB/s")
	out, err := goBench(ctx, "./sandbox", "BenchmarkSandbox/60KiB-result", b.n(3000, 20))
	if err != nil {
		return err
	}
	rate, err := metric(out, "MB/s")
	r.each(b.drivers, digits(rate)+" MB/s", rate >= largeGoal)
	return err
}
