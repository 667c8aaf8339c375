// Command bench measures what mcp-code-mode costs here, as a user would meet it:
// the built program, over stdio, with both sandboxes. Next to each number stands
// what the same work costs with a container for each program, and with the tools
// called directly, in the same minutes, so that ratios hold on a noisy machine.
//
//	go run ./testdata/bench [-quick] [-only REGEXP] [-runtime NAME] [-bin DIR]
//
// The table goes to stdout, what is being done to stderr. `make bench` builds the
// program and starts this, at the top of the repository.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == replayCommand {
		exit(replay(os.Args[2]))
	}
	b := &bench{}
	flag.BoolVar(&b.quick, "quick", false, "do everything a few times only: to see that it works, not for the numbers")
	flag.Func("only", "measure only what matches this `regexp`, such as 'warm runs|decisions'", func(text string) (err error) {
		b.only, err = regexp.Compile(text)
		return err
	})
	flag.StringVar(&b.bin, "bin", "bin", "where mcp-code-mode and toyserver are")
	flag.StringVar(&b.runtime, "runtime", "crun", "measure starts with this runtime of the Docker engine too, if it has it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(b.run(ctx))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// bench is one run of this program.
type bench struct {
	quick bool
	bin   string
	only  *regexp.Regexp // nil: everything

	dir     string   // for files of its own
	self    string   // this program
	drivers []string // those that work here
	image   string   // of sandboxes in Docker; "" without
	runtime string   // another one of the Docker engine's; "" without
	table   table
	cold    map[string]time.Duration // a cold start, by driver
}

// n is how often something is done.
func (b *bench) n(full, quick int) int {
	if b.quick {
		return quick
	}
	return full
}

func (b *bench) program() string   { return filepath.Join(b.bin, "mcp-code-mode") }
func (b *bench) toyserver() string { return filepath.Join(b.bin, "toyserver") }

func (b *bench) run(ctx context.Context) (err error) {
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.dir) }() // a temporary directory
	b.prepare(ctx)
	if len(b.drivers) == 0 {
		return errors.New("no sandbox works here")
	}
	var failed []error
	for _, step := range []struct {
		what    string
		measure func(context.Context) error
	}{
		{"cold starts", b.coldStarts},
		{"warm runs", b.warmRuns},
		{"runs when no sandbox is warm", b.takenRuns},
		{"bursts", b.bursts},
		{"runs per second", b.sustained},
		{"sequential calls", b.sequentialCalls},
		{"the gate", b.gate},
		{"200 gathered calls of 50 ms", b.slowCalls},
		{"gathered calls", b.gatheredCalls},
		{"large results", b.largeResults},
		{"decisions", b.decisions},
		{"starts of serve", b.starts},
		{"memory", b.memory},
		{"what a model reads", b.descriptions},
	} {
		if b.only != nil && !b.only.MatchString(step.what) {
			continue
		}
		start := time.Now()
		fmt.Fprintf(os.Stderr, "measuring %s … ", step.what)
		err := step.measure(ctx)
		fmt.Fprintf(os.Stderr, "%.1f s\n", time.Since(start).Seconds())
		if ctx.Err() != nil {
			failed = append(failed, errors.New("interrupted"))
			break
		}
		if err != nil {
			err = fmt.Errorf("measuring %s: %w", step.what, err)
			fmt.Fprintln(os.Stderr, err)
			failed = append(failed, err)
		}
	}
	fmt.Println(machine(context.WithoutCancel(ctx)))
	fmt.Println()
	b.table.write(os.Stdout)
	fmt.Println("\nTimes are medians; where there are two, the second is p99. ✗ marks what misses its goal.")
	return errors.Join(failed...)
}

// prepare finds the sandboxes that work here. It also fills the caches.
func (b *bench) prepare(ctx context.Context) {
	b.cold = map[string]time.Duration{}
	for _, driver := range []string{docker, gvisor} {
		if out, err := exec.CommandContext(ctx, b.program(), "run", "--sandbox", driver, "-c", "pass").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "**** NOT MEASURED: %s (%v)\n%s", driver, err, out)
			continue
		}
		b.drivers = append(b.drivers, driver)
	}
	if !slices.Contains(b.drivers, docker) {
		b.runtime = ""
		return
	}
	if b.runtime != "" {
		out, err := exec.CommandContext(ctx, b.program(), "run", "--sandbox", docker, "--runtime", b.runtime, "-c", "pass").CombinedOutput()
		if err != nil {
			fmt.Fprintf(os.Stderr, "not measured: the engine's runtime %s (%v)\n%s", b.runtime, err, out)
			b.runtime = ""
		}
	}
	if _, err := exec.LookPath("docker"); err != nil {
		fmt.Fprintln(os.Stderr, "**** NOT MEASURED: docker run, since there is no docker command")
		return
	}
	if out, err := exec.CommandContext(ctx, b.program(), "build-image").Output(); err == nil {
		b.image = strings.TrimSpace(string(out))
	}
}

// each measures with each driver.
func (b *bench) each(do func(driver string) error) error {
	var failed []error
	for _, driver := range b.drivers {
		if err := do(driver); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", driver, err))
		}
	}
	return errors.Join(failed...)
}

// serve starts the program with options, for the server whose command is given.
func (b *bench) serve(ctx context.Context, driver, options string, server ...string) (*client, error) {
	args := []string{b.program(), "serve", "--sandbox", driver, "--log-level", "error", "--max-calls", "1000000"}
	args = append(args, strings.Fields(options)...)
	return connect(ctx, append(append(args, "--"), server...)...)
}

// settle waits until a sandbox that was taken is replaced and the one used is gone,
// and not for long after that: a machine that has nothing to do takes milliseconds
// to wake up, and so does each program on it. Where no start was measured, one may
// take coldGuess.
func (b *bench) settle(ctx context.Context, driver string) {
	select {
	case <-ctx.Done():
	case <-time.After(30*time.Millisecond + cmp.Or(b.cold[driver], coldGuess)*5/4):
	}
}

const coldGuess = 300 * time.Millisecond
