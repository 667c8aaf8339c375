package upstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// childOf returns the number of the process that a server started, from its stderr.
func childOf(t *testing.T, u *Upstream) int {
	t.Helper()
	pid := 0
	eventually(t, "the server reports its child", func() bool {
		tail := u.live.Load().ch.(*stdio).proc.tail.String()
		_, after, found := strings.Cut(tail, "child ")
		if found {
			fmt.Sscan(after, &pid)
		}
		return found
	})
	return pid
}

// gone reports whether a process has ended (a zombie has).
func gone(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(rest, "Z") || strings.HasPrefix(rest, "X")
}

func serverPID(u *Upstream) int { return u.live.Load().ch.(*stdio).proc.cmd.Process.Pid }

func TestAServerThatClosesItsOutputIsStartedAgain(t *testing.T) {
	u := startTest(t, mode("closes"))
	first := serverPID(u)
	eventually(t, "its output ends", func() bool { return u.live.Load().isDead() })
	_, _ = u.Call(testContext(t), "pid", nil)
	if !gone(first) {
		t.Error("the first process is still there")
	}
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	for _, modes := range []string{"", "child", "detached", "stubborn", "hangs-on", "child stubborn", "deaf", "closes", "chatty", "loud"} {
		t.Run(modes, func(t *testing.T) {
			t.Parallel()
			u := startTest(t, mode(strings.Fields(modes)...))
			pids := []int{serverPID(u)}
			if strings.Contains(modes, "child") || modes == "detached" {
				pids = append(pids, childOf(t, u))
			}
			if !strings.Contains(modes, "deaf") && modes != "closes" {
				if _, err := u.Call(testContext(t), "empty", nil); err != nil {
					t.Error(err)
				}
			}
			guard := u.live.Load().ch.(*stdio).proc.tree.guard.cmd
			if guard != nil {
				pids = append(pids, guard.Process.Pid)
			}
			if err := u.Close(); err != nil {
				t.Error(err)
			}
			for _, pid := range pids {
				if !gone(pid) {
					t.Errorf("process %d is still there", pid)
				}
			}
			if _, err := u.Call(testContext(t), "empty", nil); !errors.Is(err, ErrUnavailable) {
				t.Errorf("a call after Close: %v", err)
			}
			if err := u.Close(); err != nil {
				t.Errorf("closing again: %v", err)
			}
		})
	}
}

func TestAShellAroundAServerIsEndedWithTheServer(t *testing.T) {
	u := startTest(t, Options{Command: &Command{Path: "sh", Args: []string{"-c", hostile + " hangs-on; true"}}})
	inner := 0
	fmt.Sscan(pidOf(t, u), &inner)
	outer := serverPID(u)
	if inner == outer {
		t.Skip("SKIPPED: this shell replaced itself by the server")
	}
	u.Close()
	if !gone(inner) || !gone(outer) {
		t.Error("the server or its shell is still there")
	}
}

func TestACrashLeavesNothingBehind(t *testing.T) {
	u := startTest(t, mode())
	if _, err := u.Call(testContext(t), "child", nil); err != nil {
		t.Fatal(err)
	}
	child := childOf(t, u)
	if _, err := u.Call(testContext(t), "kill", nil); !errors.Is(err, ErrUnavailable) {
		t.Errorf("error %v", err)
	}
	eventually(t, "the child of the crashed server is gone", func() bool { return gone(child) })
}

func TestAFailedStartLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	counter := filepath.Join(dir, "starts")
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, mode2("mute", "child", "stubborn", "counter="+counter)); err == nil {
		t.Fatal("it started")
	}
	b, _ := os.ReadFile(counter)
	for _, line := range strings.Fields(string(b)) {
		pid := 0
		fmt.Sscan(line, &pid)
		if !gone(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
}

// TestAKilledHostLeavesNothingBehind runs this test binary as the host and kills it.
func TestAKilledHostLeavesNothingBehind(t *testing.T) {
	if os.Getenv(asHost) != "" {
		u, err := Start(context.Background(), mode2("child", "stubborn"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("\nPIDS %d %d\n", serverPID(u), childOf(t, u))
		select {}
	}
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("SKIPPED: what a server started is only ended with /bin/sh here:", err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestAKilledHostLeavesNothingBehind$")
	cmd.Env = append(os.Environ(), asHost+"="+hostile)
	out := &syncBuffer{}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var server, child int
	eventually(t, "the host starts its server", func() bool {
		_, after, found := strings.Cut(out.String(), "PIDS ")
		n, _ := fmt.Sscan(after, &server, &child)
		return found && n == 2
	})
	if gone(server) || gone(child) {
		t.Fatal("they are gone before the host is")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	eventually(t, "the server is gone", func() bool { return gone(server) })
	eventually(t, "what it started is gone", func() bool { return gone(child) })
}
