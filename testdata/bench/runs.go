package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// The goals, by driver.
var (
	coldGoal      = map[string]time.Duration{docker: 160 * time.Millisecond, gvisor: 50 * time.Millisecond}
	sustainedGoal = map[string]float64{docker: 12, gvisor: 30}
)

const warmGoal, warmGoal99 = 3 * time.Millisecond, 15 * time.Millisecond

// coldStarts is a run that has to start its sandbox, from request to answer.
func (b *bench) coldStarts(ctx context.Context) error {
	r := b.table.add("cold start of a sandbox, `pass` run", "160 ms docker, 50 ms gvisor")
	err := b.each(func(driver string) error {
		s, err := b.coldStart(ctx, driver, "")
		if err != nil {
			return err
		}
		b.cold[driver] = s.p50()
		r.set(driver, ms(s.p50())+" / "+ms(s.p99())+" ms", s.p50() <= coldGoal[driver])
		return nil
	})
	if err != nil || b.image == "" {
		return err
	}
	s, err := repeat(b.n(20, 2), func() (time.Duration, error) { return b.container(ctx, "") })
	r.note(bare, ms(s.p50())+" / "+ms(s.p99())+" ms")
	if err != nil || b.runtime == "" {
		return err
	}
	r = b.table.add(b.withRuntime(), "160 ms")
	usual := b.cold[docker]
	s, err = b.coldStart(ctx, docker, "--runtime "+b.runtime)
	b.cold[docker] = usual
	if err != nil {
		return err
	}
	r.set(docker, ms(s.p50())+" / "+ms(s.p99())+" ms", s.p50() <= coldGoal[docker])
	s, err = repeat(b.n(20, 2), func() (time.Duration, error) { return b.container(ctx, b.runtime) })
	r.note(bare, ms(s.p50())+" / "+ms(s.p99())+" ms")
	return err
}

func (b *bench) coldStart(ctx context.Context, driver, options string) (sample, error) {
	c, err := b.serve(ctx, driver, "--warm 0 "+options, b.toyserver())
	if err != nil {
		return nil, err
	}
	defer c.close()
	if _, err := c.timeRun("pass"); err != nil { // which waits for the driver to be made
		return nil, err
	}
	return repeat(b.n(30, 3), func() (time.Duration, error) {
		b.settle(ctx, driver)
		took, err := c.timeRun("pass")
		b.cold[driver] = min(took, 500*time.Millisecond)
		return took, err
	})
}

// withRuntime is the name of a row that repeats the one above with another runtime.
func (b *bench) withRuntime() string {
	return "the same, with " + b.runtime + " as the engine's runtime"
}

// containerLimit bounds one docker run: many at once have been seen to leave an engine of
// version 20.10 without an answer for any of them.
const containerLimit = time.Minute

// container is what a program that does nothing costs with a container of its own, started by hand
// and confined as ours are.
func (b *bench) container(ctx context.Context, runtime string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, containerLimit)
	defer cancel()
	start := time.Now()
	out, err := b.dockerRun(ctx, runtime).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("docker run: %w: %s", err, out)
	}
	return time.Since(start), nil
}

func (b *bench) dockerRun(ctx context.Context, runtime string) *exec.Cmd {
	args := strings.Fields("run --rm --network none --read-only --tmpfs /tmp:rw,noexec,nosuid,size=16m " +
		"--user 65534:65534 --cap-drop ALL --security-opt no-new-privileges --pids-limit 64 " +
		"--memory 256m --memory-swap 256m --cpus 1 --ulimit nofile=64 --entrypoint /usr/bin/python3")
	if runtime != "" {
		args = append(args, "--runtime", runtime)
	}
	return exec.CommandContext(ctx, "docker", append(args, b.image, "-I", "-S", "-B", "-c", "pass")...)
}

// warmRuns is a run that finds a sandbox waiting.
func (b *bench) warmRuns(ctx context.Context) error {
	r := b.table.add("`run_python(\"pass\")`, warm", "3 / 15 ms")
	return b.each(func(driver string) error {
		c, err := b.warmed(ctx, driver, "--warm 4")
		if err != nil {
			return err
		}
		defer c.close()
		s, err := repeat(b.n(100, 3), func() (time.Duration, error) {
			b.settle(ctx, driver)
			return c.timeRun("pass")
		})
		r.set(driver, ms(s.p50())+" / "+ms(s.p99())+" ms", s.p50() <= warmGoal && s.p99() <= warmGoal99)
		return err
	})
}

// warmed serves the toy server and waits until the sandboxes are warm.
func (b *bench) warmed(ctx context.Context, driver, options string) (*client, error) {
	c, err := b.serve(ctx, driver, options, b.toyserver())
	if err != nil {
		return nil, err
	}
	if _, err := c.timeRun("pass"); err != nil {
		c.close()
		return nil, err
	}
	for range 6 {
		b.settle(ctx, driver)
	}
	return c, nil
}

// takenRuns is a run that comes when the only warm sandbox has just been taken, by a
// program that goes on for a while. Cold starts are taken in turn with it, at the same
// pace: a machine that has slept starts everything later than one that is busy.
func (b *bench) takenRuns(ctx context.Context) error {
	r := b.table.add("the same, every warm one taken (a cold start, in turn)", "a cold start")
	return b.each(func(driver string) error {
		warm, err := b.warmed(ctx, driver, "--warm 1")
		if err != nil {
			return err
		}
		defer warm.close()
		none, err := b.warmed(ctx, driver, "--warm 0")
		if err != nil {
			return err
		}
		defer none.close()
		var cold sample
		taken, err := repeat(b.n(20, 2), func() (time.Duration, error) {
			b.settle(ctx, driver)
			first := make(chan error, 1)
			go func() {
				_, err := warm.timeRun("await asyncio.sleep(0.6)")
				first <- err
			}()
			time.Sleep(5 * time.Millisecond) // a refill starts later than that
			took, err := warm.timeRun("pass")
			if err = errors.Join(err, <-first); err != nil {
				return 0, err
			}
			for range 3 { // as long as the other took
				b.settle(ctx, driver)
			}
			alone, err := none.timeRun("pass")
			cold = append(cold, alone)
			return took, err
		})
		// A tenth is what two samples of the same thing differ by on a busy machine.
		r.set(driver, fmt.Sprintf("%s / %s ms (%s)", ms(taken.p50()), ms(taken.p99()), ms(cold.p50())), taken.p50() <= cold.p50()*11/10)
		return err
	})
}

// sustained is how many programs in fresh sandboxes a second holds when 8 at a
// time are asked for, all the time.
func (b *bench) sustained(ctx context.Context) error {
	r := b.table.add("fresh sandboxes, 8 clients", "12 /s docker, 30 /s gvisor")
	err := b.each(func(driver string) error {
		rate, err := b.served(ctx, driver, "")
		r.set(driver, digits(rate)+" /s", rate >= sustainedGoal[driver])
		return err
	})
	if err != nil || b.image == "" {
		return err
	}
	rate, err := b.rate(ctx, func(ctx context.Context) error {
		_, err := b.container(ctx, "")
		return err
	})
	r.note(bare, digits(rate)+" /s")
	if err != nil || b.runtime == "" {
		return err
	}
	r = b.table.add(b.withRuntime(), "12 /s")
	if rate, err = b.served(ctx, docker, "--runtime "+b.runtime); err != nil {
		return err
	}
	r.set(docker, digits(rate)+" /s", rate >= sustainedGoal[docker])
	rate, err = b.rate(ctx, func(ctx context.Context) error {
		_, err := b.container(ctx, b.runtime)
		return err
	})
	r.note(bare, digits(rate)+" /s")
	return err
}

// served is the rate of programs that serve runs for 8 clients.
func (b *bench) served(ctx context.Context, driver, options string) (float64, error) {
	c, err := b.warmed(ctx, driver, options)
	if err != nil {
		return 0, err
	}
	defer c.close()
	return b.rate(ctx, func(context.Context) error {
		_, err := c.timeRun("pass")
		return err
	})
}

// rate keeps 8 at work and counts what they do in a second, once what was ready
// at the start is used up.
func (b *bench) rate(ctx context.Context, do func(context.Context) error) (float64, error) {
	warmUp, counted := 2*time.Second, 8*time.Second
	if b.quick {
		warmUp, counted = 0, time.Second
	}
	from := time.Now().Add(warmUp)
	to := from.Add(counted)
	var done atomic.Int64
	clients, ctx := errgroup.WithContext(ctx)
	for range 8 {
		clients.Go(func() error {
			for ctx.Err() == nil && time.Now().Before(to) {
				if err := do(ctx); err != nil {
					return err
				}
				if now := time.Now(); now.After(from) && now.Before(to) {
					done.Add(1)
				}
			}
			return nil
		})
	}
	err := clients.Wait()
	return float64(done.Load()) / counted.Seconds(), err
}
