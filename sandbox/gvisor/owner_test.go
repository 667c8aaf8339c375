//go:build linux && (amd64 || arm64)

package gvisor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// roleEnv makes a process of the test binary play one of the roles.
const roleEnv = "GVISOR_TEST_ROLE"

var roles = map[string]func() error{
	"owner":              playOwner,
	"outlive":            playOutlive,
	"without namespaces": playWithoutNamespaces,
}

// sentryExe is the value of runscEnv for a child: "" if it can be its own.
func sentryExe() string {
	if selfExe == "/proc/self/exe" {
		return ""
	}
	return selfExe
}

// role is a command of this binary that plays a role.
func role(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Args[0] = name // under its own name it would be runsc
	cmd.Env = append(os.Environ(), roleEnv+"="+name, runscEnv+"="+sentryExe())
	cmd.Stderr = os.Stderr
	return cmd
}

// report is what the owner of sandboxes says before it is killed.
type report struct {
	State  string
	Groups []string
}

// playOwner starts sandboxes, reports, and waits to be killed.
func playOwner() error {
	ctx := context.Background()
	d, err := New(ctx, Options{Runner: sandbox.RunnerSource})
	if err != nil {
		return err
	}
	for _, code := range []string{
		"", // waits for input
		"await begun()\nwhile True: pass",
		"import os, time\nawait begun()\nif os.fork() == 0:\n    while True: pass\nwhile True: time.sleep(1)",
	} {
		s, err := sandbox.Open(ctx, d)
		if err != nil {
			return err
		}
		if code == "" {
			continue
		}
		if err := s.Init(ctx, []wire.Tool{{Name: "begun", ID: "test/begun"}}); err != nil {
			return err
		}
		begun := make(chan struct{})
		go s.Exec(ctx, code, func(context.Context, wire.Call) wire.Reply {
			close(begun)
			return wire.Reply{}
		})
		<-begun
	}
	r := report{State: d.state.dir.Name()}
	for _, h := range d.groups {
		r.Groups = append(r.Groups, h.dir)
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		return err
	}
	select {}
}

func TestTheDeathOfTheOwnerEndsItsSandboxes(t *testing.T) {
	newTestDriver(t, Options{}) // so that the snapshot is there
	cmd := role(t, "owner")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&r); err != nil {
		t.Errorf("reading the owner's report: %v", err)
	}
	all := descendants(t, cmd.Process.Pid)
	if len(all) < 6 { // three sentries and what runs in them
		t.Errorf("the owner has only %d processes below it", len(all))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	for deadline := time.Now().Add(20 * time.Second); len(alive(t, all)) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d processes outlive their owner", len(alive(t, all)), len(all))
		}
	}
	newTestDriver(t, Options{}) // removes what is left
	for _, path := range append(r.Groups, r.State) {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there (%v)", path, err)
		}
	}
}

// playOutlive runs one program until it is at what it tries, says so, and waits to be
// killed.
func playOutlive() error {
	n, err := strconv.Atoi(os.Getenv("GVISOR_TEST_OUTLIVE"))
	if err != nil {
		return err
	}
	d, err := New(context.Background(), Options{Runner: sandbox.RunnerSource})
	if err != nil {
		return err
	}
	if err := sandboxtest.Outlive(context.Background(), d, sandboxtest.Outliving[n]); err != nil {
		return err
	}
	fmt.Println("at it")
	select {}
}

func TestNoProgramOutlivesTheDeathOfItsOwner(t *testing.T) {
	newTestDriver(t, Options{}) // so that the snapshot is there
	for n, program := range sandboxtest.Outliving {
		if program.First {
			continue // here it is the runner's own
		}
		t.Run(program.Name, func(t *testing.T) {
			cmd := role(t, "outlive")
			cmd.Env = append(cmd.Env, fmt.Sprintf("GVISOR_TEST_OUTLIVE=%d", n))
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_, err = bufio.NewReader(out).ReadString('\n')
			all := descendants(t, cmd.Process.Pid)
			if err != nil || len(all) < 2 && !program.Ends {
				t.Errorf("%d processes, %v", len(all), err)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it was killed
			for deadline := time.Now().Add(10 * time.Second); len(alive(t, all)) > 0; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%d of %d processes outlive their owner", len(alive(t, all)), len(all))
				}
			}
		})
	}
}

// playWithoutNamespaces tries to start a sandbox where user namespaces are turned
// off.
func playWithoutNamespaces() error {
	if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
		return err
	}
	err := Probe(context.Background())
	fmt.Printf("%v\nhint: %s\n", err, hint.Of(err))
	return nil
}

func TestWithoutUserNamespacesTheReasonIsClear(t *testing.T) {
	cmd := role(t, "without namespaces")
	// The number of namespaces is a limit of each namespace: a new one has its
	// own to turn off.
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"making user and PID namespaces", "hint: user namespaces are turned off", "user.max_user_namespaces", "--sandbox docker"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("got %q, want it to say %q", out, want)
		}
	}
}
