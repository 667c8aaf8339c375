//go:build linux && (amd64 || arm64)

package gvisor

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

func TestNothingIsLeftBehind(t *testing.T) {
	ownState(t)
	newTestDriver(t, Options{}).Close() // what is made once
	before := takeCensus(t)
	d, err := New(t.Context(), Options{Runner: sandbox.RunnerSource})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n)*20*time.Millisecond+time.Millisecond)
			defer cancel()
			if n%2 == 0 {
				ctx = t.Context()
			}
			i, err := d.Start(ctx) // every other one is abandoned under way
			if err != nil {
				return
			}
			switch n % 4 {
			case 0:
				i.Kill()
				i.Wait()
			case 1, 2: // left to Close
			case 3:
				ready(t, i)
				i.Kill()
			}
		})
	}
	all.Wait()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.Start(t.Context()); err == nil {
		t.Error("a closed driver started a sandbox")
	}
	if err := d.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	settles(t, before)
	withoutGroups(t, d, "")
}

// ready reads the runner's first line.
func ready(t *testing.T, i sandbox.Instance) {
	t.Helper()
	line, err := bufio.NewReader(i).ReadString('\n')
	if err != nil || !strings.Contains(line, "ready") {
		t.Errorf("runner said %q (%v)", line, err)
	}
}

func TestAnAbandonedStartLeavesNothing(t *testing.T) {
	ownState(t)
	d := newTestDriver(t, Options{})
	before := takeCensus(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("changed my mind"))
	if _, err := d.Start(ctx); err == nil || !strings.Contains(err.Error(), "changed my mind") {
		t.Errorf("got %v", err)
	}
	for _, after := range []time.Duration{time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond, 40 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		if i, err := d.Start(ctx); err == nil {
			i.Kill()
			i.Wait()
		} else if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", after, err)
		}
		cancel()
	}
	settles(t, before)
	withoutGroups(t, d, "*")
}

func TestInstanceKeepsItsPromises(t *testing.T) {
	d := newTestDriver(t, Options{})
	i, err := d.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ready(t, i)
	var exits [3]sandbox.Exit
	var all sync.WaitGroup
	for n := range exits {
		all.Go(func() { exits[n] = i.Wait() })
	}
	all.Go(func() {
		if n, err := io.Copy(io.Discard, i); n != 0 || err != nil {
			t.Errorf("a read during Kill got %d bytes and %v, want the end of the stream", n, err)
		}
	})
	time.Sleep(10 * time.Millisecond)
	i.Kill()
	i.Kill()
	all.Wait()
	i.Kill()
	if want := (sandbox.Exit{Code: -1}); exits != [3]sandbox.Exit{want, want, want} || i.Wait() != want {
		t.Errorf("got exits %+v, want all %+v", exits, want)
	}
	if _, err := i.Write([]byte("x")); err == nil {
		t.Error("writing to a dead sandbox succeeded")
	}
	if n, err := i.Read(make([]byte, 10)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("reading from a dead sandbox: %d bytes, %v", n, err)
	}
}

func TestEndOfInputEndsTheSandboxAndItsStatusIsKnown(t *testing.T) {
	d := newTestDriver(t, Options{})
	i, err := d.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i.stdin.Close()
	if exit := i.Wait(); exit.Code != 0 || exit.Memory {
		t.Errorf("got %+v, want status 0", exit)
	}
	ready(t, i) // what it wrote before is not lost
}

func TestWhatTheMachineSaysLastIsInItsDetail(t *testing.T) {
	d := newTestDriver(t, Options{Cold: true})
	d.command = []string{"/usr/bin/python3", "-I", "-S", "-c", "import sys; sys.stderr.write('x' * 5000 + 'the end\\n'); sys.exit(7)"}
	i, err := d.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exit := i.Wait()
	if exit.Code != 7 || len(exit.Detail) > 4<<10 || !strings.HasSuffix(exit.Detail, "xxthe end") || len(exit.Detail) < 2<<10 {
		t.Errorf("status %d, detail of %d bytes: %q", exit.Code, len(exit.Detail), exit.Detail)
	}
	d.command = []string{"/absent"}
	if _, err := d.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "/absent") {
		t.Errorf("starting a program that is not there: %v", err)
	}
}

func TestStateOfDeadProcessesIsRemovedAndThatOfLivingOnesKept(t *testing.T) {
	d := newTestDriver(t, Options{})
	parent, err := stateParent()
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(parent, statePrefix+"0123456789abcdef")
	group := filepath.Join(t.TempDir(), groupPrefix+"0123456789abcdef")
	// Neither has the shape of what we make.
	foreign, elsewhere := filepath.Join(parent, statePrefix+"notes"), filepath.Join(t.TempDir(), "group")
	if err := errors.Join(
		os.Mkdir(dead, 0o700), os.MkdirAll(filepath.Join(group, "sandbox"), 0o700),
		os.WriteFile(filepath.Join(dead, "socket"), nil, 0o600),
		os.WriteFile(filepath.Join(dead, groupsName), []byte(group+"\n"+filepath.Join("/never/made", filepath.Base(group))+"\n"+elsewhere+"\n"), 0o600),
		os.MkdirAll(foreign, 0o700), os.Mkdir(elsewhere, 0o700),
	); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(foreign) })
	newTestDriver(t, Options{})
	for _, path := range []string{dead, group} {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there (%v)", path, err)
		}
	}
	for _, path := range []string{d.state.dir.Name(), foreign, elsewhere} { // the first is a living driver's
		if _, err := os.Stat(path); err != nil {
			t.Errorf("it is gone: %v", err)
		}
	}
	i, err := d.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ready(t, i)
}

// Where a lock cannot be asked for, as when too many files are open, nobody knows
// whether its owner lives.
func TestStateWhoseLockCannotBeOpenedIsKept(t *testing.T) {
	parent := t.TempDir()
	unknown := filepath.Join(parent, statePrefix+"0123456789abcdef")
	if err := os.MkdirAll(filepath.Join(unknown, lockName), 0o700); err != nil { // a directory, which is no lock
		t.Fatal(err)
	}
	reapStates(parent, slog.New(slog.DiscardHandler))
	if _, err := os.Stat(unknown); err != nil {
		t.Errorf("it is gone: %v", err)
	}
}

func TestWhatWasSaidBeforeComesFirst(t *testing.T) {
	i := &instance{rest: []byte("last words")} // of a sentry that has ended already
	i.precede([]byte("ready\n"))
	if text, err := io.ReadAll(i); string(text) != "ready\nlast words" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
}

// A program that embeds us has descriptors of its own open, any number of them, and
// closes some while a sandbox starts.
func TestStartsDoNotDependOnWhichDescriptorsAreOpen(t *testing.T) {
	d := newTestDriver(t, Options{})
	for top := uintptr(20); top < 90; top++ {
		var open []*os.File
		for len(open) == 0 || open[len(open)-1].Fd() < top {
			f, err := os.Open(os.DevNull)
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, f)
		}
		m := &machine{id: newID()}
		err := d.prepare(m, machineSpec(d.limits, d.command))
		closeFiles(open)
		if err == nil {
			var i *instance
			if i, err = d.spawn(m); err == nil {
				i.Kill()
				i.Wait()
			}
		}
		m.release()
		if err != nil {
			t.Errorf("prepared above descriptor %d: %v", top, err)
		}
	}
}
