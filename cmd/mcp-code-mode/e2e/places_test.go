//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestAnOrdinaryUserRunsCodeInGVisor: without root, without Docker's socket,
// without a home, with a cache that is empty, and a umask that lets nobody else
// read. The first start is killed while it fills the cache.
func TestAnOrdinaryUserRunsCodeInGVisor(t *testing.T) {
	t.Parallel()
	needDriver(t, "gvisor")
	p := newPlace(t)
	p.cache = filepath.Join(p.work, "not made yet")
	how := command{
		args:    []string{"run", "--sandbox", "gvisor", "-c", "import os; print(os.getuid(), (await add(a=1, b=2)).data['sum'])", "--", p.borrow(built.toyserver)},
		env:     []string{"HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST"},
		through: []string{"/bin/sh", "-c", `umask 077; exec "$@"`, "sh"},
		program: p.borrow(built.program),
	}
	if os.Geteuid() == 0 {
		how.user = "12345"
		for dir := filepath.Dir(p.home); dir != os.TempDir(); dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for _, dir := range []string{p.home, p.tmp, p.run, p.work} {
			if err := os.Chown(dir, 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}
	}
	first := p.begin(how, p.null(), p.null())
	eventually(t, "Python is unpacked", func() bool { return strings.Contains(first.stderr.String(), "unpacking Python") })
	first.signal(syscall.SIGKILL)
	first.exit()
	first.nobodyLeft()

	for range 2 {
		stdout, stderr, code := p.execute(how)
		if code != 0 || stdout != "65534 3\n" {
			t.Fatalf("exit code %d, printed %q\n%s", code, stdout, stderr)
		}
	}
	left, _ := filepath.Glob(filepath.Join(p.cache, "*", ".staging*"))
	if len(left) > 0 {
		t.Errorf("what the killed program had begun is still there: %q", left)
	}
}

// borrow copies a program to where another user may start it. A copy of our own
// making could still be open for writing, in a child, when it is started.
func (p *place) borrow(program string) string {
	p.t.Helper()
	dir := filepath.Join(filepath.Dir(p.home), "bin")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	output(p.t, "cp", program, dir)
	return filepath.Join(dir, filepath.Base(program))
}

// TestItRunsWhereverItIsStarted: whatever whoever starts it has forgotten or turned
// off.
func TestItRunsWhereverItIsStarted(t *testing.T) {
	shell := func(script string) []string { return []string{"/bin/sh", "-c", script + `; exec "$@"`, "sh"} }
	places := map[string]command{
		"without variables":     {env: []string{"PATH", "HOME", "TMPDIR", "XDG_RUNTIME_DIR", "LANG"}},
		"directories not there": {env: []string{"HOME=/none", "TMPDIR=/none/tmp", "XDG_RUNTIME_DIR=/none/run"}},
		"relative directories":  {env: []string{"HOME=.", "TMPDIR=.", "XDG_RUNTIME_DIR=run"}},
		"a read-only directory": {dir: "/proc/self"},
		"a directory removed":   {through: shell("mkdir gone; cd gone; rmdir ../gone")},
		"umask 077":             {through: shell("umask 077")},
		"stdin closed":          {through: shell("exec <&-")},
		"stderr closed":         {through: shell("exec 2>&-")},
		"256 open files":        {through: shell("ulimit -n 256")},
		"an odd locale":         {env: []string{"LANG=tr_TR.ISO-8859-9", "LC_ALL=C", "TERM=none", "COLUMNS=1"}},
		"proxies":               {env: []string{"HTTP_PROXY=http://127.0.0.1:1", "HTTPS_PROXY=http://127.0.0.1:1", "ALL_PROXY=socks5://127.0.0.1:1"}},
		"Python's variables":    {env: []string{"PYTHONHOME=/none", "PYTHONPATH=/none", "PYTHONSTARTUP=/none", "PYTHONINSPECT=1"}},
	}
	eachDriver(t, func(t *testing.T, driver string) {
		for name, how := range places {
			p := newPlace(t)
			how.args = []string{"run", "--sandbox", driver, "-c", "print('grüße', 6 * 7)"}
			if stdout, stderr, code := p.execute(how); code != 0 || stdout != "grüße 42\n" {
				t.Errorf("%s: exit code %d, printed %q\n%s", name, code, stdout, stderr)
			}
		}
	})
}

// TestAnOpenFileOfTheClientReachesNobody: neither the servers nor the sandboxes
// inherit what the client happened to have open.
func TestAnOpenFileOfTheClientReachesNobody(t *testing.T) {
	eachDriver(t, func(t *testing.T, driver string) {
		p := newPlace(t)
		secret := p.write("secret", "s3cret")
		c := p.connect(command{
			args:    []string{"serve", "--sandbox", driver, "--warm", "1", "--", built.toyserver},
			through: []string{"/bin/sh", "-c", `exec 8<secret 9<secret; exec "$@"`, "sh"},
		})
		c.hello(current)
		c.works()
		eventually(t, "a server and a sandbox run", func() bool { return len(c.servers(built.toyserver)) > 0 && len(c.sandboxes()) > 0 })
		if held := links(c.pid); !strings.Contains(held, secret) {
			t.Fatalf("the program itself does not have it: %s", held)
		}
		// A process that is being made has it for a moment, until it becomes another program.
		eventually(t, "none of its processes has the client's file", func() bool {
			return !slices.ContainsFunc(below(c.pid), func(p process) bool { return strings.Contains(links(p.pid), secret) })
		})
	})
}

// links says what the descriptors of a process are.
func links(pid int) string {
	var all []string
	entries, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, entry := range entries {
		to, _ := os.Readlink(entry)
		all = append(all, to)
	}
	return strings.Join(all, " ")
}
