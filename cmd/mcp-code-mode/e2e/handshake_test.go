//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// held is a server whose only tool server does not start before release.
func held(t *testing.T) (c *client, release func()) {
	t.Helper()
	p := newPlace(t)
	c = p.serve("auto", "--", "sh", "-c", "until [ -e go ]; do sleep 0.05; done; exec "+built.toyserver)
	return c, func() { p.write("go", "") }
}

// TestTheHandshakeDoesNotWaitForServers: it is answered, in every version and by
// server/discover, while the servers that it says nothing about still start; what
// needs them waits for them.
func TestTheHandshakeDoesNotWaitForServers(t *testing.T) {
	for _, version := range []string{stateless, current, older, "2024-11-05"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c, release := held(t)
			if version == stateless {
				c.version = version
				discovers(c)
			} else {
				c.hello(version)
			}
			list, run := c.ask("tools/list", nil), c.start("print((await add(a=1, b=2)).data['sum'])")
			if version == stateless {
				discovers(c)
			} else if m := c.ask("ping", nil).wait(); m.Error != nil {
				t.Errorf("ping: %+v", m.Error)
			}
			if list.answered() || run.answered() {
				t.Error("answered before the server has started")
			}
			release()
			var tools struct {
				Tools []struct{ Name, Description string }
			}
			list.result(&tools)
			if len(tools.Tools) != 1 || !strings.Contains(tools.Tools[0].Description, "async def add(") {
				t.Errorf("tools: %+v", tools)
			}
			wantOutcome(t, run.outcome(), outcome{Stdout: "3\n"})
		})
	}
}

func discovers(c *client) {
	c.t.Helper()
	var got struct {
		SupportedVersions []string
		Capabilities      map[string]any
	}
	c.ask("server/discover", nil).result(&got)
	for _, version := range []string{stateless, current, older} {
		if !slices.Contains(got.SupportedVersions, version) {
			c.t.Errorf("server/discover does not name %s: %v", version, got.SupportedVersions)
		}
	}
	if got.Capabilities["tools"] == nil {
		c.t.Errorf("server/discover does not offer tools: %v", got.Capabilities)
	}
}

func TestAVersionThatDoesNotExistGetsOneThatDoes(t *testing.T) {
	c := newPlace(t).serve("auto", "--", built.toyserver)
	var got struct{ ProtocolVersion string }
	c.ask("initialize", params{"protocolVersion": "1999-01-01", "capabilities": params{}, "clientInfo": params{"name": "e2e", "version": "1"}}).result(&got)
	if !slices.Contains([]string{current, older}, got.ProtocolVersion) {
		t.Errorf("offered %q", got.ProtocolVersion)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.works()
}

// TestProgressIsReportedToThoseWhoAskForIt: with their token, call by call; to
// others not a word.
func TestProgressIsReportedToThoseWhoAskForIt(t *testing.T) {
	for _, version := range []string{stateless, current} {
		t.Run(version, func(t *testing.T) {
			eachDriver(t, func(t *testing.T, driver string) {
				c := newPlace(t).serve(driver, "--allow", "add", "--allow", "echo", "--", built.toyserver)
				c.hello(version)
				code := "await add(a=1, b=2)\nawait echo(text='x')\ntry: await echo(text=1)\nexcept ToolError: pass\nawait add(a=3, b=4)"
				c.run(code)
				if all := c.progress(""); len(all) > 0 {
					t.Errorf("nobody asked for %q", all)
				}
				r := c.ask("tools/call", params{
					"name": "run_python", "arguments": params{"code": code}, "_meta": params{"progressToken": "t0ken"},
				})
				r.outcome()
				// Refused calls have numbers too, but are not on their way.
				want := []string{"call 1: server/add", "call 2: server/echo", "call 4: server/add"}
				if diff := cmp.Diff(want, c.progress("t0ken")); diff != "" {
					t.Errorf("progress (-want +got):\n%s", diff)
				}
				if all := c.progress(""); len(all) != len(want) {
					t.Errorf("progress without the token: %q", all)
				}
			})
		})
	}
}

// TestRunsOfOneClientGoSideBySide: answers come as runs end, each under its own id.
func TestRunsOfOneClientGoSideBySide(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		b := hold(t, driver)
		b.works() // while the other one waits
		if b.run.answered() {
			t.Error("the run that waits has an answer")
		}
		b.run.cancel()
		b.works()
	})
}

// TestAStartupThatTakesTooLongIsAnError, which says which server it is.
func TestAStartupThatTakesTooLongIsAnError(t *testing.T) {
	p := newPlace(t)
	c := p.serve("auto", "--startup-timeout", "3", "--config", p.config(map[string]server{
		"good": starts(built.toyserver), "sleepy": starts(built.toyserver, "-delay", "1h"),
	}))
	c.hello(current)
	c.start("1").fails(`"sleepy"`)
	c.judged = true
	if code := c.exit(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	c.nothingLeft()
}

// TestNothingIsWrittenWhereItRuns: a server that serves and runs leaves the working
// directory, home and temporary directory as they were.
func TestNothingIsWrittenWhereItRuns(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		c := serve(t, driver, "--", built.toyserver)
		c.works()
		c.end()
		for _, dir := range []string{c.place.work, c.place.home, c.place.tmp} {
			if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
				t.Errorf("%s holds %v, %v", filepath.Base(dir), entries, err)
			}
		}
	})
}

// TestMoreRunsThanPlacesTakeTurns: each is answered, under its own id.
func TestMoreRunsThanPlacesTakeTurns(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		c := newPlace(t).connect(command{args: []string{"serve", "--sandbox", driver, "--warm", "1", "--", built.toyserver}})
		c.hello(current)
		var runs []*request
		for i := range 12 {
			runs = append(runs, c.start(fmt.Sprintf("print((await add(a=%d, b=1)).data['sum'])", i)))
		}
		for i, run := range runs {
			wantOutcome(t, run.outcome(), outcome{Stdout: fmt.Sprintf("%d\n", i+1)})
		}
	})
}

// TestNothingGrowsWithRuns: neither processes nor open files, whether runs end
// well, are stopped or are cancelled.
func TestNothingGrowsWithRuns(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		c := serve(t, driver, "--", built.toyserver)
		use := func() (files, ahead, others int) {
			open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.pid))
			if err != nil {
				t.Fatal(err)
			}
			others = len(below(c.pid)) + len(c.containers())
			for _, p := range below(c.pid) {
				if p.args[0] == "runsc-sentry" && parent(p.pid) == c.pid && isAhead(p.pid) {
					ahead++
					others -= 1 + len(below(p.pid))
				}
			}
			return len(open), ahead, others
		}
		kept := 0 // sentries that were started ahead
		if driver == "gvisor" {
			kept = min(runtime.NumCPU(), 4)
		}
		round := func() {
			c.prints("print((await add(a=1, b=2)).data['sum'])", "3\n")
			if got := c.run("import os; os._exit(1)"); !got.Stopped {
				t.Errorf("got %+v", got)
			}
			run := c.start("await slow(seconds=3600)")
			eventually(t, "a sandbox runs", func() bool { return len(c.sandboxes()) > 0 })
			run.cancel()
			eventually(t, "no sandbox is left", func() bool { return len(c.sandboxes())+len(c.containers()) == 0 })
		}
		settle := func() (files int) {
			t.Helper()
			eventually(t, "the wrapped server and its keeper alone are left, and what is started ahead", func() bool {
				var ahead, others int
				files, ahead, others = use()
				return others == 2 && ahead == kept
			})
			return files
		}
		round()
		const some = 6 // connections to an engine are kept for a while
		files := settle()
		for range 4 {
			round()
		}
		settle()
		eventually(t, fmt.Sprintf("there are about %d files again", files), func() bool {
			f, _, _ := use()
			return f <= files+some
		})
	})
}

// TestAClientThatLeavesAtOnceIsNoError: one that only wanted to see whether the
// program can be started.
func TestAClientThatLeavesAtOnceIsNoError(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		for _, line := range [][]string{{built.toyserver}, {built.hostile, "mute", "child"}} {
			stdout, stderr, code := p.execute(command{args: append([]string{"serve", "--sandbox", driver, "--"}, line...)})
			if code != 0 || stdout != "" {
				t.Errorf("%s: exit code %d, printed %q\n%s", line, code, stdout, stderr)
			}
		}
	})
}
