//go:build linux && (amd64 || arm64)

package gvisor

import (
	"bufio"
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

func TestProcessorsAreHandedOutInTurn(t *testing.T) {
	p := newProcessors(1)
	p.allowed = []int{2, 3, 7}
	for i, want := range []int{2, 3, 7, 2} {
		set := p.take()
		if set == nil || set.Count() != 1 || !set.IsSet(want) {
			t.Errorf("sandbox %d got %v, want processor %d", i, set, want)
		}
	}
	if n := p.seen(); n != minSeen {
		t.Errorf("a sandbox sees %d processors, want %d", n, minSeen)
	}
	p.allowed = []int{5}
	if n := p.seen(); n != 1 {
		t.Errorf("a sandbox sees %d processors on a machine with one", n)
	}
}

func TestPartOfAProcessorIsOneAndAllNeedsNoPlace(t *testing.T) {
	p := newProcessors(1.5)
	p.allowed = []int{0, 1, 2}
	if set := p.take(); set == nil || set.Count() != 2 {
		t.Errorf("1.5 processors became %v, want two", set)
	}
	p.allowed = []int{4, 5}
	if set := p.take(); set != (*unix.CPUSet)(nil) {
		t.Errorf("got %v although a sandbox may use all processors there are", set)
	}
	if n := p.seen(); n != 2 {
		t.Errorf("a sandbox sees %d processors, want 2", n)
	}
}

// TestCodeOfASandboxRunsOnItsProcessorsOnly starts processes before and after a
// sandbox's code runs and looks where the kernel lets them run.
func TestCodeOfASandboxRunsOnItsProcessorsOnly(t *testing.T) {
	d := newTestDriver(t, Options{})
	if len(d.cpus.allowed) < 2 {
		t.Skip("there is one processor only")
	}
	d.cpus.next.Store(0)
	i, err := d.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ready(t, i)
	const code = "import os, threading, time\nfor n in range(3):\n    if os.fork() == 0:\n        while True: pass\n" +
		"for n in range(4): threading.Thread(target=time.sleep, args=(30,)).start()\nprint('on')\nwhile True: pass"
	if _, err := fmt.Fprintf(i, "{\"op\":\"exec\",\"cell\":1,\"code\":%s}\n", strconv.Quote(code)); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(i).ReadString('\n'); err != nil || !strings.Contains(line, "on") {
		t.Errorf("the code said %q (%v)", line, err)
	}
	pid := i.cmd.Process.Pid
	list, err := children(pid)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := childrenByParent(pid)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	slices.Sort(slow)
	if len(list) < 5 || !slices.Equal(list, slow) {
		t.Errorf("processes of the sandbox: %v, by their parents: %v", list, slow)
	}
	for _, child := range list {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", child))
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			var set unix.CPUSet
			tid, err := strconv.Atoi(filepath.Base(task))
			if err == nil {
				err = unix.SchedGetaffinity(tid, &set)
			}
			if err != nil || set.Count() != 1 || !set.IsSet(d.cpus.allowed[0]) {
				t.Errorf("thread %d of process %d may run on %v (%v), want processor %d", tid, child, set, err, d.cpus.allowed[0])
			}
		}
	}
	i.Kill()
	i.Wait()
}

func TestPartOfAProcessorIsAQuotaWhereThereAreControlGroups(t *testing.T) {
	var log bytes.Buffer
	d := newTestDriver(t, Options{Limits: sandbox.Limits{CPUs: 0.5}, Cold: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	i, err := d.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if warned := strings.Contains(log.String(), "0.5"); warned == d.limitsShares() {
		t.Errorf("there are control groups for processors: %v; the log says %q", d.limitsShares(), log.String())
	}
	if !d.limitsShares() {
		t.Skip("none can be used here")
	}
	found := false
	for _, g := range i.cgroups.groups {
		for _, file := range []string{"cpu.cfs_quota_us", "cpu.max"} {
			if text, err := os.ReadFile(filepath.Join(g.dir, file)); err == nil {
				found = true
				if !strings.HasPrefix(string(text), "50000") {
					t.Errorf("%s is %q", file, text)
				}
			}
		}
	}
	if !found {
		t.Error("no control group has a quota")
	}
	ready(t, i)
	i.Kill()
	i.Wait()
}
