//go:build linux

package docker

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/sandboxtest"
)

const (
	outliveEnv = "DOCKER_TEST_OUTLIVE" // index of what the role runs
	runtimeEnv = "DOCKER_TEST_RUNTIME"
	afterDeath = 10 * time.Second // in which all must be gone
)

// outliveRole runs one program, says the user of its sandbox when that is at it, and
// waits to be killed.
func outliveRole() {
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	n, err := strconv.Atoi(os.Getenv(outliveEnv))
	check(err)
	d, err := New(ctx, Options{Runner: sandbox.RunnerSource, Runtime: os.Getenv(runtimeEnv)})
	check(err)
	o := &observed{Driver: d}
	check(sandboxtest.Outlive(ctx, o, sandboxtest.Outliving[n]))
	fmt.Println(o.inst.uid, o.inst.id)
	select {}
}

// An observed driver shows the instance it started last.
type observed struct {
	*Driver
	inst *instance
}

func (o *observed) Start(ctx context.Context) (sandbox.Instance, error) {
	i, err := o.Driver.Start(ctx)
	if err != nil {
		return nil, err
	}
	o.inst = i.(*instance)
	return i, nil
}

// processesOf lists the host's processes of a user, without those that are dead and
// only have not been waited for.
func processesOf(t *testing.T, uid string) (found []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		_, rest, _ := strings.Cut(string(text), "\nUid:\t")
		if user, _, _ := strings.Cut(rest, "\t"); user == uid && !strings.Contains(string(text), "\nState:\tZ") {
			found = append(found, filepath.Base(filepath.Dir(path)))
		}
	}
	return found
}

func TestNoProgramOutlivesTheDeathOfItsOwner(t *testing.T) {
	needEngine(t)
	newDriver(t, Options{}) // so that the image is there
	outlived(t, "")         // root's engine, or the processes would have other ids on the host
}

// outlived kills the owner of each program and sees all of the program's processes
// end. A runtime that is named gets the programs for which it may make a difference.
func outlived(t *testing.T, runtime string) {
	for n, program := range sandboxtest.Outliving {
		if runtime != "" && !program.First && program.Name != "does not read" {
			continue
		}
		t.Run(program.Name, func(t *testing.T) {
			child := asRole(t, "outlive", fmt.Sprintf("%s=%d", outliveEnv, n), runtimeEnv+"="+runtime)
			out, err := child.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = child.Process.Kill()
				_ = child.Wait()
			}()
			line, err := bufio.NewReader(out).ReadString('\n')
			uid, id, _ := strings.Cut(strings.TrimSpace(line), " ")
			if err != nil || id == "" {
				t.Fatalf("the owner said %q, %v", line, err)
			}
			if found := processesOf(t, uid); runtime != "runsc" && !program.Ends && len(found) < 2 {
				t.Errorf("processes %v: not the first one and the runner", found)
			}
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			gone := func() bool { return len(processesOf(t, uid)) == 0 && !running(t, id) }
			for !gone() {
				if time.Since(start) > afterDeath {
					t.Errorf("%v after its owner: processes %v, container running: %v", afterDeath, processesOf(t, uid), running(t, id))
					kill(t, id)
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
			t.Logf("all gone after %v", time.Since(start).Round(time.Millisecond))
		})
	}
}

// running reports whether the engine holds the container for running.
func running(t *testing.T, id string) bool {
	t.Helper()
	en, _, err := connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer en.close()
	c, err := en.ContainerInspect(t.Context(), id)
	return err == nil && c.State.Running
}

func kill(t *testing.T, id string) {
	t.Helper()
	en, _, err := connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer en.close()
	_ = en.ContainerRemove(t.Context(), id, container.RemoveOptions{Force: true})
}

// What a process leaves that dies while it starts sandboxes: nothing that runs, and
// what was never started is removed by the next.
func TestNothingRunsOfStartsThatDeathBrokeOff(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{})
	for after := 5 * time.Millisecond; after < time.Second; after *= 2 {
		child := asRole(t, "starter")
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		owner, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		owner = strings.TrimSpace(owner)
		time.Sleep(after) // at whatever it is by then
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
		start := time.Now()
		for quiet := 0; quiet < 20; quiet++ { // looks: the engine goes on with what it was told
			left := ownedBy(t, d.engine, owner)
			if slices.ContainsFunc(left, func(c string) bool { return strings.Contains(c, "running") }) {
				quiet = 0
			}
			if time.Since(start) > 3*afterDeath {
				t.Fatalf("killed after %v: %v", after, left)
			}
			time.Sleep(50 * time.Millisecond)
		}
		eventually(t, "the next one removes the rest", func() bool {
			d.engine.reap(d.log)
			return len(ownedBy(t, d.engine, owner)) == 0
		})
	}
}

// starterRole starts sandboxes, four at once, until it is killed.
func starterRole() {
	d, err := New(context.Background(), Options{Runner: sandbox.RunnerSource})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for range 4 {
		go func() {
			for {
				if i, err := d.Start(context.Background()); err == nil {
					go i.Kill()
				}
			}
		}()
	}
	fmt.Println(d.labels[labelOwner])
	select {}
}
