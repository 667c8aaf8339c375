//go:build linux

package docker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// ownerRole holds three containers: one running, one that cannot notice the end
// of its stdin, and one that was never started.
func ownerRole() {
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	d, err := New(ctx, Options{Runner: sandbox.RunnerSource})
	check(err)
	_, err = d.Start(ctx)
	check(err)
	paused, err := d.Start(ctx)
	check(err)
	check(d.engine.ContainerPause(ctx, paused.(*instance).id))
	_, err = d.engine.create(ctx, &launch{image: d.image, labels: d.labels, ids: dockerIDs})
	check(err)
	fmt.Println(d.labels[labelOwner])
	select {}
}

func TestNothingIsLeftOfAnOwnerThatWasKilled(t *testing.T) {
	needEngine(t)
	d := newDriver(t, Options{})
	mine := start(t, d)
	child := asRole(t, "owner")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	owner, err := bufio.NewReader(out).ReadString('\n')
	owner = strings.TrimSpace(owner)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(ownedBy(t, d.engine, owner)); n != 3 {
		t.Fatalf("the child has %d containers", n)
	}
	d.engine.reap(d.log)
	if n := len(ownedBy(t, d.engine, owner)); n != 3 {
		t.Fatalf("the living child has %d containers left", n)
	}

	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadAll(out) // until it is dead; not yet waited for, so a zombie
	eventually(t, "the end of its stdin ends the running one", func() bool { return len(ownedBy(t, d.engine, owner)) == 2 })
	newDriver(t, Options{})
	eventually(t, "the next start removes the rest", func() bool { return len(ownedBy(t, d.engine, owner)) == 0 })
	_ = child.Wait()
	if n := len(ownedBy(t, d.engine, d.labels[labelOwner])); n != 1 {
		t.Errorf("%d containers of ours are left", n)
	}
	mine.Kill()
	mine.Wait()
}

func TestWhoIsLeftBehind(t *testing.T) {
	mine := ownLabels()[labelOwner]
	host, _, _ := strings.Cut(mine, "/")
	now, old := time.Now().Unix(), time.Now().Add(-2*abandoned).Unix()
	for _, test := range []struct {
		what    string
		owner   string
		state   container.ContainerState
		created int64
		want    bool
	}{
		{"ours", mine, container.StateRunning, old, false},
		{"ours, not started yet", mine, container.StateCreated, now, false},
		{"a dead process's", host + "/999999999/1", container.StateRunning, now, true},
		{"a process's that had our id before", fmt.Sprintf("%s/%d/1", host, os.Getpid()), container.StateRunning, now, true},
		{"another host's", "0123456789abcdef/999999999/1", container.StateRunning, old, false},
		{"another host's, dead for hours", "0123456789abcdef/999999999/1", container.StateExited, old, true},
		{"another host's, dead just now", "0123456789abcdef/999999999/1", container.StateExited, now, false},
		{"of a process with a strange id", host + "/-1/1", container.StateRunning, now, false},
		{"with a broken label", "x", container.StateRunning, now, false},
	} {
		c := container.Summary{State: test.state, Created: test.created, Labels: map[string]string{labelOwner: test.owner}}
		if got := leftBehind(c); got != test.want {
			t.Errorf("%s: left behind is %v", test.what, got)
		}
	}
}

func TestWhatTheEngineOnlyListsIsNotLeftBehind(t *testing.T) {
	var removed []string
	list := fmt.Sprintf(`[{"Id": "listed", "State": "dead", "Created": 1, "Labels": {%q: "1"}},
		{"Id": "there", "State": "exited", "Created": 1, "Labels": {%[1]q: "1"}}]`, labelOurs)
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/containers/json"):
			_, _ = io.WriteString(w, list)
		case strings.Contains(r.URL.Path, "/containers/listed"):
			http.Error(w, `{"message": "No such container: listed"}`, http.StatusNotFound)
		case r.Method == http.MethodDelete:
			removed = append(removed, path.Base(r.URL.Path))
			w.WriteHeader(http.StatusNoContent)
		default: // the ping, and the other container
			_, _ = io.WriteString(w, "{}")
		}
	}))
	defer engine.Close()
	t.Setenv("DOCKER_HOST", "tcp://"+engine.Listener.Addr().String())
	en, _, err := connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer en.close()
	var log bytes.Buffer
	en.reap(slog.New(slog.NewTextHandler(&log, nil)))
	if !slices.Equal(removed, []string{"there"}) || strings.Contains(log.String(), "listed") {
		t.Errorf("removed %v, logged %s", removed, log.String())
	}
}

func TestEngineRestartedUnderSandboxes(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"gently": syscall.SIGTERM, "hard": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			engine := ownEngine(t, "{}")
			d := newDriver(t, Options{})
			idle, busy := start(t, d), open(t, d)
			ended := make(chan sandbox.Outcome)
			go func() {
				o, err := busy.Exec(context.Background(), "print('going', flush=True)\nawait asyncio.sleep(1000)", nil)
				if err != nil {
					t.Errorf("running: %v", err)
				}
				ended <- o
			}()
			engine.stop(signal)
			if o := <-ended; !o.Stopped || o.Error == "" {
				t.Errorf("got %+v", o)
			}
			idle.Wait()
			busy.Close()
			if _, err := d.Start(t.Context()); err == nil {
				t.Error("a sandbox started without an engine")
			} else {
				wantError(t, err, "starting sandbox: Docker engine at "+engine.host)
			}
			engine.start()
			works(t, d)
			eventually(t, "nothing is left", func() bool { return len(ownedBy(t, d.engine, d.labels[labelOwner])) == 0 })
		})
	}
}

func TestEngineThatHangs(t *testing.T) {
	engine := ownEngine(t, "{}")
	d := newDriver(t, Options{})
	i := start(t, d)
	reading := make(chan error)
	go func() {
		_, err := io.ReadAll(i)
		reading <- err
	}()
	engine.signal(syscall.SIGSTOP)
	defer engine.signal(syscall.SIGCONT)

	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := d.Start(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("starting: error %v", err)
	}
	if _, err := New(t.Context(), Options{Runner: sandbox.RunnerSource}); err == nil {
		t.Error("a driver was made without an engine")
	} else {
		wantError(t, err, "no answer in time", engine.host, "(DOCKER_HOST)")
	}
	i.Kill()
	if err := <-reading; err == nil {
		t.Error("reading ended without an error")
	}
	if exit := i.Wait(); exit.Code != -1 {
		t.Errorf("got %+v", exit)
	}

	engine.signal(syscall.SIGCONT)
	works(t, d)
	eventually(t, "nothing is left", func() bool { return len(ownedBy(t, d.engine, d.labels[labelOwner])) == 0 })
}

func TestCloseDoesNotHangWithTheEngine(t *testing.T) {
	engine := ownEngine(t, "{}")
	d, err := New(t.Context(), Options{Runner: sandbox.RunnerSource})
	if err != nil {
		t.Fatal(err)
	}
	i := start(t, d)
	engine.signal(syscall.SIGSTOP)
	go func() { _, _ = d.Start(context.Background()) }()
	time.Sleep(100 * time.Millisecond)
	wantError(t, d.Close(), "does not answer, and may still hold", i.name())
	engine.signal(syscall.SIGCONT)
	// The runner's stdin has ended meanwhile; what was being made goes with us.
	eventually(t, "the running one is gone", func() bool {
		_, err := d.engine.ContainerInspect(t.Context(), i.name())
		return err != nil
	})
}
