package main

import (
	"context"
	"time"
)

const startGoal = 100 * time.Millisecond

// starts is the time from the start of serve to its answered tools/list.
func (b *bench) starts(ctx context.Context) error {
	r := b.table.add("start of `serve` to answered `tools/list`", "100 ms")
	n := b.n(20, 2)
	err := b.each(func(driver string) error {
		s, err := repeat(n, func() (time.Duration, error) {
			start := time.Now()
			c, err := b.serve(ctx, driver, "", b.toyserver())
			if err != nil {
				return 0, err
			}
			defer b.settle(ctx, driver)
			defer c.close()
			_, _, err = c.ask("tools/list", []byte("{}"))
			return time.Since(start), err
		})
		r.set(driver, ms(s.p50())+" / "+ms(s.p99())+" ms", s.p50() <= startGoal)
		return err
	})
	if err != nil {
		return err
	}
	s, err := repeat(n, func() (time.Duration, error) {
		start := time.Now()
		session, err := b.dial(ctx, b.toyserver())
		if err != nil {
			return 0, err
		}
		defer func() { _ = session.Close() }() // the server is done with either way
		_, err = session.ListTools(ctx, nil)
		return time.Since(start), err
	})
	r.note(direct, ms(s.p50())+" / "+ms(s.p99())+" ms")
	return err
}
