package upstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream/internal/keeper"
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

func serverPID(u *Upstream) int { return u.live.Load().ch.(*stdio).proc.pid }

func keeperPID(u *Upstream) int { return u.live.Load().ch.(*stdio).proc.tree.keeper.PID() }

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
	for _, modes := range []string{"", "child", "detached", "daemon", "daemon stubborn", "stubborn", "hangs-on", "child stubborn", "deaf", "closes", "chatty", "loud"} {
		t.Run(modes, func(t *testing.T) {
			t.Parallel()
			u := startTest(t, mode(strings.Fields(modes)...))
			pids := []int{serverPID(u)}
			if strings.Contains(modes, "child") || strings.Contains(modes, "detached") || strings.Contains(modes, "daemon") {
				pids = append(pids, childOf(t, u))
			}
			if !strings.Contains(modes, "deaf") && modes != "closes" {
				if _, err := u.Call(testContext(t), "empty", nil); err != nil {
					t.Error(err)
				}
			}
			pids = append(pids, keeperPID(u))
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
	for _, mode := range []string{"child", "daemon"} {
		u := startTest(t, mode2(mode))
		child := childOf(t, u)
		if _, err := u.Call(testContext(t), "kill", nil); !errors.Is(err, ErrUnavailable) {
			t.Errorf("error %v", err)
		}
		eventually(t, "the "+mode+" of the crashed server is gone", func() bool { return gone(child) })
	}
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
		u, err := Start(context.Background(), mode2(os.Getenv(asHostMode), "stubborn"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("\nPIDS %d %d\n", serverPID(u), childOf(t, u))
		select {}
	}
	for _, mode := range []string{"child", "detached", "daemon"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAKilledHostLeavesNothingBehind$")
		cmd.Env = append(os.Environ(), asHost+"="+hostile, asHostMode+"="+mode)
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
		eventually(t, "its "+mode+" is gone", func() bool { return gone(child) })
	}
}

// Where no keeper can be started, a server works as it did, and what did not leave
// it ends with it.
func TestAServerWithoutAKeeperEndsWithItsGroup(t *testing.T) {
	was := startKeeper
	startKeeper = func(*exec.Cmd) (*keeper.Keeper, error) { return nil, keeper.ErrNone }
	defer func() { startKeeper = was }()
	for _, modes := range []string{"child", "detached", "child stubborn"} {
		u := startTest(t, mode(strings.Fields(modes)...))
		pids := []int{serverPID(u), childOf(t, u)}
		if _, err := u.Call(testContext(t), "empty", nil); err != nil {
			t.Error(err)
		}
		u.Close()
		for _, pid := range pids {
			if !gone(pid) {
				t.Errorf("%s: process %d is still there", modes, pid)
			}
		}
	}
}

// A keeper that is killed takes its server along.
func TestAKilledKeeperLeavesNoServer(t *testing.T) {
	u := startTest(t, mode("stubborn"))
	first := serverPID(u)
	if err := syscall.Kill(keeperPID(u), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server is gone", func() bool { return gone(first) })
	eventually(t, "that is noticed", func() bool { return u.live.Load().isDead() })
	eventually(t, "a call works again", func() bool { _, err := u.Call(testContext(t), "empty", nil); return err == nil })
}
