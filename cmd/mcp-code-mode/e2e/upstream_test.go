//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestServersThatMisbehaveCostACallAtMost: what a wrapped server does wrong fails
// its call with a code, in words that hold nothing of the host; the next call and
// the next run work, and at the end nothing is left of any of them.
func TestServersThatMisbehaveCostACallAtMost(t *testing.T) {
	cases := []struct{ name, mode, call, want string }{
		{"prints_banners", "banner", "empty", "finished"},
		{"exits", "", "die", "upstream_unavailable"},
		{"is_killed", "", "kill", "upstream_unavailable"},
		{"answers_20_MB", "", "big", "result_too_large"},
		{"answers_20_MB_and_the_id", "", "big_last", "result_too_large"},
		{"answers_invalid_JSON", "", "invalid", "upstream_unavailable"},
		{"answers_half_a_line", "", "cut_off", "upstream_unavailable"},
		{"answers_very_deep", "", "very_deep", "upstream_unavailable"},
		{"answers_twice", "", "duplicate", "finished"},
		{"answers_nobody", "chatty", "unknown_ids", "finished"},
		{"asks_for_input", "asks", "asks_input", "upstream_unavailable"},
		{"writes_to_stderr", "loud", "empty", "finished"},
		{"has_a_child", "", "child", "finished"},
		{"has_a_detached_child", "", "detached", "finished"},
		{"has_a_child_and_is_stubborn", "stubborn child", "empty", "finished"},
	}
	servers := map[string]server{}
	for _, test := range cases {
		servers[test.name] = starts(append([]string{built.hostile}, strings.Fields(test.mode)...)...)
	}
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		c := p.connect(command{args: []string{"serve", "--sandbox", driver, "--warm", "1", "--config", p.config(servers)}})
		c.hello(current)
		for _, test := range cases {
			got := c.run(fmt.Sprintf(`
try: await %[1]s__%[2]s()
except ToolError as e:
    print(e.code)
    assert e.code == "tool_error" or "/" not in str(e).replace("%[1]s/%[2]s", ""), str(e)
else: print("finished")
await %[1]s__empty()
print("next call")`, test.name, test.call))
			if want := (outcome{Stdout: test.want + "\nnext call\n"}); !cmp.Equal(got, want) {
				t.Errorf("a server that %s (-want +got):\n%s", test.name, cmp.Diff(want, got))
			}
		}
		all := ""
		for _, test := range cases {
			all += "await " + test.name + "__empty()\n"
		}
		c.prints(all+"print('all of them, in another run')", "all of them, in another run\n")
	})
}

// TestACallThatIsNeverAnsweredEndsWithTheRun: at the deadline, and the server is
// told that nobody waits any more.
func TestACallThatIsNeverAnsweredEndsWithTheRun(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		c := serve(t, driver, "--deadline", "2", "--", built.hostile)
		wantOutcome(t, c.run("print('calling', flush=True)\nawait hang()"), outcome{
			Stdout: "calling\n", Error: new("stopped: deadline of 2 s reached"), Stopped: true,
		})
		c.prints("print(len((await cancelled()).split()))", "1\n")
	})
}

// TestAServerThatSpeaksAnotherDialectIsWrapped: of the handshake.
func TestAServerThatSpeaksAnotherDialectIsWrapped(t *testing.T) {
	for _, mode := range []string{"silent", "fragile", "stateless", "picky", "paged", "loud", "version=2025-03-26"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := newPlace(t).serve("auto", "--", built.hostile, mode)
			c.hello(current)
			var tools struct {
				Tools []struct{ Description string }
			}
			c.ask("tools/list", nil).result(&tools)
			if len(tools.Tools) != 1 || !strings.Contains(tools.Tools[0].Description, "misbehaves") && mode != "paged" {
				t.Errorf("tools: %+v", tools)
			}
		})
	}
}

// TestAToolThatChangedWithARestartIsRefused: a server must not get another tool
// called under the name of one that was looked at.
func TestAToolThatChangedWithARestartIsRefused(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		c := p.serve(driver, "--", built.hostile, "changes", "counter="+filepath.Join(p.work, "starts"))
		c.hello(current)
		c.prints(`
for call in die(), pid(), env():
    try: await call
    except ToolError as e: print(e.tool, e.code)
await empty()
print("the same tool works")`, "server/die upstream_unavailable\nserver/pid upstream_unavailable\nserver/env upstream_unavailable\nthe same tool works\n")
	})
}

// TestAServersSecretsAreItsOwn: the environment of a server, set in the config or
// by --env, is seen by that server and by nobody else.
func TestAServersSecretsAreItsOwn(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		one, two := starts(built.hostile), starts(built.hostile)
		one.Env = map[string]string{"TOKEN": "s3cret-of-one"}
		c := p.connect(command{
			args: []string{"serve", "--sandbox", driver, "--warm", "0", "--config", p.config(map[string]server{"one": one, "two": two})},
			env:  []string{"HOST_SECRET=s3cret-of-host"},
		})
		c.hello(current)
		c.prints(`
import os
mine, other = await one__env(), await two__env()
seen = {"mine": mine, "other": other, "sandbox": str(os.environ)}
print([(who, "s3cret-of-one" in text, "s3cret-of-host" in text) for who, text in seen.items()])`,
			"[('mine', True, False), ('other', False, False), ('sandbox', False, False)]\n")

		single := newPlace(t).connect(command{
			args: []string{"serve", "--sandbox", driver, "--warm", "0", "--env", "GIVEN", "--", built.hostile},
			env:  []string{"GIVEN=s3cret-given", "HOST_SECRET=s3cret-of-host"},
		})
		single.hello(current)
		single.prints(`
import os
seen = {"server": await env(), "sandbox": str(os.environ)}
print([(who, "s3cret-given" in text, "s3cret-of-host" in text) for who, text in seen.items()])`,
			"[('server', True, False), ('sandbox', False, False)]\n")
	})
}

// TestAServerThatFailsToStartEndsTheProgram: the request that waits is told which
// one and why, stderr is too, the other servers are ended, and the exit code is 1.
func TestAServerThatFailsToStartEndsTheProgram(t *testing.T) {
	for what, failing := range map[string]server{
		"it crashes":                    starts(built.hostile, "crash"),
		"it never answers":              starts(built.hostile, "mute", "child"),
		"it is not an MCP server":       starts("sh", "-c", "echo no token given >&2; exit 3"),
		"it leaves a child and crashes": starts("sh", "-c", "sleep 4711 & echo no token given >&2; exit 3"),
	} {
		t.Run(strings.ReplaceAll(what, " ", "_"), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			log := filepath.Join(p.work, "starts")
			c := p.serve("auto", "--startup-timeout", "5", "--config", p.config(map[string]server{
				"good": starts(built.hostile, "counter="+log), "bad": failing,
			}))
			c.hello(current)
			c.ask("tools/list", nil).fails(`"bad"`)
			c.judged = true
			if code := c.exit(); code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			c.nothingLeft()
			want := []string{"mcp-code-mode: ", `"bad"`}
			if strings.Contains(what, "crashes") {
				want = append(want, "its stderr")
			}
			for _, text := range want {
				if !strings.Contains(c.stderr.String(), text) {
					t.Errorf("stderr lacks %q", text)
				}
			}
			if _, err := os.Stat(log); err != nil {
				t.Errorf("the good server was not even started: %v", err)
			}
		})
	}
}
