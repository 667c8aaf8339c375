//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// busy is a server and a run of it that is in the middle of a call.
type busy struct {
	*client
	log string // of the toy server: a line for each call that reached it
	run *request
}

// hold brings a server into the middle of a run: the code has printed "before" and
// its call has reached the toy server, which will not answer.
func hold(t *testing.T, driver string, args ...string) *busy {
	t.Helper()
	return holdIn(newPlace(t), driver, args...)
}

func holdIn(p *place, driver string, args ...string) *busy {
	p.t.Helper()
	b := &busy{log: filepath.Join(p.work, "calls")}
	b.client = p.serve(driver, append(args, "--", built.toyserver, "-log", b.log)...)
	b.hello(current)
	b.run = b.start("print('before', flush=True)\nawait slow(seconds=3600)")
	eventually(p.t, "the call reaches the server", func() bool {
		text, _ := os.ReadFile(b.log)
		return strings.Contains(string(text), `"slow"`)
	})
	return b
}

func TestKillingTheProgramLeavesNothingBehind(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		b := hold(t, driver, "--warm", "2")
		eventually(t, "two sandboxes wait", func() bool { return len(b.sandboxes()) >= 3 })
		b.kill()
		// What only a living program can remove, the next one does.
		next := b.place.serve(driver, "--", built.toyserver)
		next.hello(current)
		next.works()
		next.end()
	})
}

// TestKillingTheProgramEndsCodeThatNeverLetsGo: code that lets nothing else in its
// process run does not notice that the program is gone. Its sandbox does.
func TestKillingTheProgramEndsCodeThatNeverLetsGo(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		log := filepath.Join(p.work, "calls")
		c := p.serve(driver, "--", built.toyserver, "-log", log)
		c.hello(current)
		c.start("import re\nawait echo(text='now')\nre.match('(a+)+$', 'a' * 60 + 'b')")
		eventually(t, "the code runs", func() bool { text, _ := os.ReadFile(log); return strings.Contains(string(text), "now") })
		c.judged = true
		c.look()
		c.signal(syscall.SIGKILL)
		c.exit()
		c.nobodyLeft()
	})
}

func TestKillingASandboxEndsItsRunOnly(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		b := hold(t, driver)
		pids := b.sandboxes()
		if len(pids) != 1 {
			t.Fatalf("there are %d sandboxes", len(pids))
		}
		if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		got := b.run.outcome()
		if !got.Stopped || !strings.HasPrefix(got.err(), "stopped: the sandbox ended") || got.Stdout != "before\n" {
			t.Errorf("got %+v %q", got, got.err())
		}
		b.works()
	})
}

// TestKillingAWaitingSandboxIsNotNoticed: another one takes its place.
func TestKillingAWaitingSandboxIsNotNoticed(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		c := newPlace(t).serve(driver, "--warm", "1", "--", built.toyserver)
		c.hello(current)
		c.works()
		// One that is killed before it is ready has failed to start instead: then the
		// next one gets more time.
		looks, ripe := map[int]int{}, 20
		eventually(t, "one that waited was killed", func() bool {
			for _, pid := range c.sandboxes() {
				if looks[pid]++; looks[pid] == ripe {
					_ = syscall.Kill(pid, syscall.SIGKILL)
					ripe *= 2
				}
			}
			return strings.Contains(c.stderr.String(), "a warm sandbox died while it waited")
		})
		c.works()
	})
}

func TestKillingAServerFailsItsCallOnly(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		log := filepath.Join(p.work, "calls")
		c := p.serve(driver, "--", built.toyserver, "-log", log)
		c.hello(current)
		run := c.start(`
try: await slow(seconds=3600)
except ToolError as e: print(e.code)
print((await add(a=1, b=2)).data["sum"])`)
		eventually(t, "the call reaches the server", func() bool { text, _ := os.ReadFile(log); return len(text) > 0 })
		pids := c.servers(built.toyserver)
		if len(pids) != 1 {
			t.Fatalf("there are %d toy servers", len(pids))
		}
		if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, run.outcome(), outcome{Stdout: "upstream_unavailable\n3\n"})
		c.works()
	})
}

func TestAClientThatLeavesEndsTheRun(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		hold(t, driver, "--warm", "1").end()
	})
}

func TestASignalEndsTheRun(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			eachDriver(t, func(t *testing.T, driver string) {
				b := hold(t, driver)
				b.judged = true
				b.look()
				b.signal(signal)
				if code := b.exit(); code != 0 {
					t.Errorf("exit code %d, want 0", code)
				}
				b.nothingLeft()
			})
		})
	}
}

// TestCancellingARunEndsItsSandboxAndItsCalls: at once, while the program lives on.
func TestCancellingARunEndsItsSandboxAndItsCalls(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		c := newPlace(t).serve(driver, "--", built.hostile)
		c.hello(current)
		run := c.start("print(len((await empty())))\nawait hang()")
		eventually(t, "the sandbox runs", func() bool { return len(c.sandboxes()) == 1 })
		run.cancel()
		eventually(t, "the sandbox is gone", func() bool { return len(c.sandboxes()) == 0 && len(c.containers()) == 0 })
		c.works()
	})
}

// TestCancellingARunTellsTheServers that nobody waits for their answers.
func TestCancellingARunTellsTheServers(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		c := newPlace(t).serve(driver, "--", built.hostile)
		c.hello(current)
		run := c.ask("tools/call", params{
			"name": "run_python", "arguments": params{"code": "await asyncio.gather(hang(), hang(), hang())"},
			"_meta": params{"progressToken": "t"},
		})
		eventually(t, "three calls are on their way", func() bool { return len(c.progress("t")) >= 3 })
		run.cancel()
		c.prints(`
while len((await cancelled()).split()) < 3: await asyncio.sleep(0.01)
print("all three")`, "all three\n")
	})
}

// TestAClientThatIsGoneEndsTheProgram: one that was killed, so that nobody reads
// any more either.
func TestAClientThatIsGoneEndsTheProgram(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		b := hold(t, driver)
		b.judged = true
		b.look()
		b.out.Close()
		b.in.Close()
		b.exit()
		b.nothingLeft()
	})
}

// TestStoppingRunOnTheCommandLine: the same holds without a client.
func TestKillingOneRunOnTheCommandLineLeavesNothingBehind(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			p := newPlace(t)
			log := filepath.Join(p.work, "calls")
			s := p.background("run", "--sandbox", driver, "-c", "await slow(seconds=3600)", "--", built.toyserver, "-log", log)
			eventually(t, "the call reaches the server", func() bool { text, _ := os.ReadFile(log); return len(text) > 0 })
			s.look()
			s.signal(signal)
			s.exit()
			if signal == syscall.SIGKILL {
				s.nobodyLeft()
				p.execute(command{args: []string{"run", "--sandbox", driver, "-c", "pass"}})
			}
			s.nothingLeft()
		}
	})
}
