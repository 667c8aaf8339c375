package upstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAServerThatCannotStartIsNamedWithTheEndOfItsStderr(t *testing.T) {
	u, err := Start(testContext(t), Options{Name: "notes", Command: &Command{Path: hostile, Args: []string{"crash"}}})
	if err == nil {
		u.Close()
		t.Fatal("it started")
	}
	want := `starting "notes": the server ended (exit status 3), its stderr with:
  hostile: can not open the  [31mdatabase
  hostile: giving up`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	if !errors.Is(err, ErrUnavailable) {
		t.Errorf("the error is not %v", ErrUnavailable)
	}
}

func TestAProgramThatDoesNotExistIsNamed(t *testing.T) {
	for path, want := range map[string]string{
		"no-such-server":    `starting "notes": "no-such-server" is not in PATH`,
		"/no/such/server":   `starting "notes": executing "/no/such/server": fork/exec /no/such/server: no such file or directory`,
		"./testdata/server": `starting "notes": executing "./testdata/server": fork/exec ./testdata/server: no such file or directory`,
		"":                  `starting "notes": option Command.Path: it is empty`,
	} {
		u, err := Start(testContext(t), Options{Name: "notes", Command: &Command{Path: path}})
		if err == nil {
			u.Close()
			t.Errorf("%q started", path)
		} else if err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
	}
}

func TestAServerThatNeverAnswersIsEndedWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, err := Start(ctx, mode2("mute", "loud"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(err.Error(), "its stderr ends with:\n  complaint ") {
		t.Errorf("the error does not end with the server's stderr: %v", err)
	}
}

func mode2(modes ...string) Options {
	o := mode(modes...)
	o.Name = "test"
	return o
}

func TestEveryKindOfHandshakeEndsWithTheRightVersion(t *testing.T) {
	for modes, want := range map[string]string{
		"":                   latest,
		"stateless":          stateless,
		"silent":             latest,
		"fragile":            latest,
		"version=2025-06-18": "2025-06-18",
		"version=2024-10-07": "2024-10-07",
		"picky":              "2024-11-05",
		"banner":             latest,
		"chatty":             latest,
		"loud":               latest,
		"slow=2500ms":        latest,
		// Slow to start is not the same as silent: the late answer counts.
		"slow=2500ms stateless": stateless,
		// So does one that comes after the refusal of what was tried meanwhile.
		"thinks stateless": stateless,
	} {
		t.Run(modes, func(t *testing.T) {
			t.Parallel()
			u := startTest(t, mode(strings.Fields(modes)...))
			if got := u.live.Load().version; got != want {
				t.Errorf("version %q, want %q", got, want)
			}
			r, err := u.Call(testContext(t), "raw", []byte(`{"a":1}`))
			if err != nil || textOf(t, r) != `{"a":1}` {
				t.Errorf("got %s, %v", r.Content, err)
			}
		})
	}
}

func TestAVersionNobodyKnowsIsRefused(t *testing.T) {
	for _, v := range []string{"2027-01-01", "banana", "2025-13"} {
		_, err := Start(testContext(t), mode2("version="+v))
		if err == nil || !strings.Contains(err.Error(), "which is not supported") {
			t.Errorf("version %q: error %v", v, err)
		}
	}
}

func TestJunkOnStdoutIsSkippedAndNotLoggedAboveDebug(t *testing.T) {
	log, out := logTo(slog.LevelInfo)
	o := mode("banner")
	o.Logger = log
	u := startTest(t, o)
	for range 100 {
		if _, err := u.Call(testContext(t), "empty", nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); strings.Count(got, "\n") != 1 || strings.Contains(got, "Starting") {
		t.Errorf("the log says:\n%s", got)
	}
}

func TestRequestsOfTheServerAreTurnedDownUnread(t *testing.T) {
	u := startTest(t, mode())
	r, err := u.Call(testContext(t), "asks", nil)
	if err != nil {
		t.Fatal(err)
	}
	const no = ` {"code":-32601,"message":"this client offers nothing to servers"}`
	want := "ping {}\nroots/list" + no + "\nsampling/createMessage" + no + "\nelicitation/create" + no + "\nno/such" + no
	if diff := cmp.Diff(want, textOf(t, r)); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

func TestARequestForInputDuringACallHarmsNobody(t *testing.T) {
	u := startTest(t, mode("asks"))
	for range 10 {
		if _, err := u.Call(testContext(t), "empty", nil); err != nil {
			t.Error(err)
		}
	}
}

func TestAServersEnvironmentIsExactlyTheOneGiven(t *testing.T) {
	t.Setenv("HOST_SECRET", "hunter2")
	t.Setenv("LANG", "xx_YY")
	for _, c := range []struct {
		env  []string
		want string
		not  string
	}{
		{[]string{"ONLY=this"}, "ONLY=this", ""},
		{[]string{}, "", ""},
		{nil, "", "HOST_SECRET"},
	} {
		u := startTest(t, Options{Command: &Command{Path: hostile, Env: c.env}})
		r, err := u.Call(testContext(t), "env", nil)
		if err != nil {
			t.Fatal(err)
		}
		got := textOf(t, r)
		if c.env != nil && got != c.want {
			t.Errorf("environment %q, want %q", got, c.want)
		}
		if c.env == nil && (strings.Contains(got, c.not) || !strings.Contains(got, "LANG=xx_YY") || !strings.Contains(got, "PATH=")) {
			t.Errorf("default environment:\n%s", got)
		}
	}
}

func TestAProgramIsFoundInThePathOfItsOwnEnvironment(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(hostile, filepath.Join(dir, "my-server")); err != nil {
		t.Fatal(err)
	}
	u := startTest(t, Options{Command: &Command{Path: "my-server", Env: []string{"PATH=/nowhere:" + dir}, Dir: dir}})
	r, err := u.Call(testContext(t), "directory", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := textOf(t, r); got != dir {
		t.Errorf("working directory %q, want %q", got, dir)
	}
}

func TestCallsRunInParallel(t *testing.T) {
	t.Parallel()
	u := toy(t)
	var wg sync.WaitGroup
	// A thousand calls that wait at the same time: one after the other they would
	// outlast the context by far.
	ctx := testContext(t)
	for range 1000 {
		wg.Go(func() {
			if _, err := u.Call(ctx, "slow", []byte(`{"seconds":1}`)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestEveryCallGetsItsOwnAnswer(t *testing.T) {
	u := toy(t)
	var wg sync.WaitGroup
	ctx := testContext(t)
	for i := range 1000 {
		wg.Go(func() {
			r, err := u.Call(ctx, "add", fmt.Appendf(nil, `{"a":%d,"b":100000000000000000000000000000}`, i))
			if want := fmt.Sprintf(`{"sum":1%029d}`, i); err != nil || string(r.Structured) != want {
				t.Errorf("got %s, %v; want %s", r.Structured, err, want)
			}
		})
	}
	wg.Wait()
}

func TestCancellingReturnsAtOnceAndTellsTheServer(t *testing.T) {
	u := startTest(t, mode())
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		p := u.live.Load()
		for waiting := 0; waiting == 0; time.Sleep(50 * time.Millisecond) {
			p.mu.Lock()
			waiting = len(p.pending)
			p.mu.Unlock()
		}
		cancel()
	}()
	if _, err := u.Call(ctx, "late", nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	id := fmt.Sprint(u.live.Load().last.Load())
	eventually(t, "the server hears of the cancellation", func() bool {
		r, err := u.Call(testContext(t), "cancelled", nil)
		return err == nil && textOf(t, r) == id
	})
	// The answer that came too late reached nobody else.
	for range 10 {
		r, err := u.Call(testContext(t), "raw", nil)
		if err != nil || textOf(t, r) != "{}" {
			t.Fatalf("got %s, %v", r.Content, err)
		}
	}
	if _, err := u.Call(ctx, "empty", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a call with a context that had ended: %v", err)
	}
}

func TestAServerThatReadsNothingHoldsNoCallPastItsContext(t *testing.T) {
	t.Parallel()
	u := startTest(t, mode("deaf"))
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	args := []byte(`{"x":"` + strings.Repeat("x", 100_000) + `"}`)
	var wg sync.WaitGroup
	for range 500 {
		wg.Go(func() {
			if _, err := u.Call(ctx, "raw", args); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
	}
	wg.Wait()
}

func TestADeathFailsTheCallsInFlightAndTheNextCallStartsAgain(t *testing.T) {
	for _, death := range []string{"die", "kill"} {
		t.Run(death, func(t *testing.T) {
			u := startTest(t, mode())
			first := pidOf(t, u)
			var wg sync.WaitGroup
			for range 20 {
				wg.Go(func() {
					if _, err := u.Call(testContext(t), "hang", nil); !errors.Is(err, ErrUnavailable) {
						t.Errorf("a call in flight: error %v", err)
					}
				})
			}
			eventually(t, "the calls are in flight", func() bool {
				p := u.live.Load()
				p.mu.Lock()
				defer p.mu.Unlock()
				return len(p.pending) == 20
			})
			if _, err := u.Call(testContext(t), death, nil); !errors.Is(err, ErrUnavailable) {
				t.Errorf("error %v", err)
			}
			wg.Wait()
			if second := pidOf(t, u); second == first {
				t.Error("it is still the same process")
			}
		})
	}
}

func pidOf(t *testing.T, u *Upstream) string {
	t.Helper()
	r, err := u.Call(testContext(t), "pid", nil)
	if err != nil {
		t.Fatal(err)
	}
	return textOf(t, r)
}

func TestAServerThatKeepsDyingIsNotStartedInALoop(t *testing.T) {
	for _, m := range []string{"relapse", "brief"} {
		t.Run(m, func(t *testing.T) {
			t.Parallel()
			counter := filepath.Join(t.TempDir(), "starts")
			u := startTest(t, mode("counter="+counter, m))
			_, _ = u.Call(testContext(t), "die", nil)
			begin := time.Now()
			var last error
			for last == nil || time.Since(begin) < time.Second {
				_, err := u.Call(testContext(t), "empty", nil)
				if err == nil {
					t.Fatal("a call succeeded")
				}
				last = err
				time.Sleep(time.Millisecond)
			}
			took := time.Since(begin) // on a busy machine one start may take all of it
			if !errors.Is(last, ErrUnavailable) {
				t.Errorf("error %v", last)
			}
			b, _ := os.ReadFile(counter)
			if n := strings.Count(string(b), "\n"); n > 9+int(took/time.Second) {
				t.Errorf("started %d times in %s", n, took)
			}
		})
	}
}

func TestAToolThatChangedWithARestartIsRefused(t *testing.T) {
	o := mode("counter="+filepath.Join(t.TempDir(), "starts"), "changes")
	log, out := logTo(slog.LevelWarn)
	o.Logger = log
	u := startTest(t, o)
	before := u.Tools()
	_, _ = u.Call(testContext(t), "die", nil)
	for tool, want := range map[string]string{
		"pid": "the server changed this tool's definition since the start",
		"env": "the server no longer offers this tool",
	} {
		_, err := u.Call(testContext(t), tool, nil)
		if !errors.Is(err, ErrUnavailable) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: error %v", tool, err)
		}
		if !strings.Contains(out.String(), "tool="+tool) {
			t.Errorf("no warning names %s:\n%s", tool, out)
		}
	}
	// The others differ in the order of their members only.
	if _, err := u.Call(testContext(t), "raw", nil); err != nil {
		t.Errorf("an unchanged tool: %v", err)
	}
	if diff := cmp.Diff(before, u.Tools()); diff != "" {
		t.Errorf("the tools changed:\n%s", diff)
	}
}

func TestAToolThatWasNotListedIsNotCalled(t *testing.T) {
	u := startTest(t, mode("paged"))
	if _, err := u.Call(testContext(t), "pid", nil); err == nil || err.Error() != `calling "test/pid": no such tool` {
		t.Errorf("error %v", err)
	}
}

func TestCloseDoesNotWaitForCallsInFlight(t *testing.T) {
	u := startTest(t, mode())
	done := make(chan error)
	go func() {
		_, err := u.Call(testContext(t), "hang", nil)
		done <- err
	}()
	eventually(t, "the call is in flight", func() bool {
		p := u.live.Load()
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.pending) == 1
	})
	u.Close()
	if err := <-done; !errors.Is(err, ErrUnavailable) {
		t.Errorf("error %v", err)
	}
}
