package main

import (
	"context"
	"sync"
	"time"
)

// The goals of bursts, by driver: a program of four in a row, and twelve programs.
var (
	rowGoal    = map[string]time.Duration{docker: 60 * time.Millisecond, gvisor: 15 * time.Millisecond}
	twelveGoal = map[string]time.Duration{docker: 1200 * time.Millisecond, gvisor: 350 * time.Millisecond}
)

// idle is how long nothing is done before a burst, in times of settle. All that may be
// ready is ready by then.
const idle = 12

// bursts are programs that come faster than sandboxes are started, first to a program that
// nobody has used for more than one run, and then again: by then it keeps as many ready.
func (b *bench) bursts(ctx context.Context) error {
	row := b.table.add("a program of four in a row, after an idle time (the first time, later)", "60 ms docker, 15 ms gvisor")
	twelve := b.table.add("twelve programs, four at a time, after an idle time (the first time, later)", "1200 ms docker, 350 ms gvisor")
	return b.each(func(driver string) error {
		first, later, err := b.burst(ctx, driver, func(c *client) error { return inTurn(c, 4) })
		if err != nil {
			return err
		}
		each := first.p50() / 4
		row.set(driver, ms(each)+", "+ms(later.p50()/4)+" ms", each <= rowGoal[driver])
		if first, later, err = b.burst(ctx, driver, func(c *client) error { return atOnce(c, 12, 4) }); err != nil {
			return err
		}
		twelve.set(driver, ms(first.p50())+", "+ms(later.p50())+" ms", first.p50() <= twelveGoal[driver])
		return nil
	})
}

// burst is how long something takes of a serve that has just been started and is ready, and
// how long when it is done once more.
func (b *bench) burst(ctx context.Context, driver string, do func(*client) error) (first, later sample, err error) {
	timed := func(c *client) (time.Duration, error) {
		for range idle {
			b.settle(ctx, driver)
		}
		start := time.Now()
		err := do(c)
		return time.Since(start), err
	}
	first, err = repeat(b.n(7, 1), func() (time.Duration, error) {
		c, err := b.warmed(ctx, driver, "")
		if err != nil {
			return 0, err
		}
		defer c.close()
		took, err := timed(c)
		if err != nil {
			return 0, err
		}
		again, err := timed(c)
		later = append(later, again)
		return took, err
	})
	return first, later, err
}

// inTurn runs n programs, one after the other.
func inTurn(c *client, n int) error {
	for range n {
		if _, err := c.timeRun("pass"); err != nil {
			return err
		}
	}
	return nil
}

// atOnce runs n programs, so many of them at any time.
func atOnce(c *client, n, clients int) error {
	errs := make([]error, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() { errs[i] = inTurn(c, n/clients) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
