package sandboxtest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// OnThisHost says that the driver's sandboxes run on this host, and how to find
// them: below the processes that roots returns is everything of every sandbox that
// lives. The host is then measured while code tries to use it up.
func OnThisHost(roots func() []int) Option { return func(s *suite) { s.roots = roots } }

// What a sandbox with bombs in it may have, and what it may cost the host.
const (
	bombMemory = 96 << 20
	bombPids   = 64
	// More than a sandbox's memory, for a kernel of its own needs some too, and less
	// than a bomb fills where nothing stops it.
	bombCost     = bombMemory + 160<<20
	bombHidden   = 64 << 20         // of the kernel's memory that no control group counts
	bombTasks    = 4*bombPids + 256 // a kernel of its own has threads for those inside
	bombFiles    = bombMemory >> 10 // its memory pays for more than one KiB of each
	bombCores    = 1.5
	bombLeft     = 64 << 20 // of kernel memory, when the sandbox is gone
	bombDeadline = 60 * time.Second
	bombPort     = 52525 // that one of them takes
	// Whoever else uses the host is measured too: what costs too much does so again.
	bombTries = 3
)

// bombRunner is the Python that bombs are run with.
//
//go:embed bomb.py
var bombRunner string

// hostHolds tests that bombs cost the host no more than a sandbox may have, and
// keep nobody else from anything.
func (s *suite) hostHolds(t *testing.T, newDriver func(t *testing.T, lim sandbox.Limits) sandbox.Driver) {
	small := &suite{driver: newDriver(t, sandbox.Limits{Memory: bombMemory, Pids: bombPids}), roots: s.roots}
	neighbor := small.open(t, sandbox.Limits{})
	defer func() {
		if err := errors.Join(neighbor.Close(), small.driver.Close()); err != nil {
			t.Errorf("closing the driver: %v", err)
		}
	}()
	if err := measurable(s.roots()); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI needs to measure its host: %v", err)
		}
		t.Skipf("SKIPPED, NOT TESTED: what bombs cost the host: %v", err)
	}
	could := small.execIn(t, neighbor, neighborTries, nil).Stdout
	for _, b := range bombs {
		t.Run(strings.ReplaceAll(b.name, " ", "_"), func(t *testing.T) {
			release, err := alone()
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			for range bombTries {
				e := small.explode(t, b, neighbor)
				if b.spins && e.cores < 0.1 {
					t.Fatalf("nothing computed on: %s", e.said)
				}
				t.Logf("it cost %v; %.1f processors computed on; the code: %s", e.cost, e.cores, e.said)
				wrong := e.wrong(could)
				if wrong == "" {
					return
				}
				t.Log(wrong)
			}
			t.Error("again and again")
		})
	}
	t.Run("a daemon does not outlive its sandbox", small.daemonEnds)
}

// neighborTries is code that uses a little of what bombs use up. It prints what it
// got, and gives it back.
const neighborTries = `
import ctypes, errno, fcntl, os, signal, struct, threading
libc = ctypes.CDLL(None, use_errno=True)
x86 = os.uname().machine == "x86_64"
def call(x, arm, *args):
    got = libc.syscall(ctypes.c_long(x if x86 else arm), *[a if isinstance(a, (bytes, ctypes.Array)) else ctypes.c_long(a) for a in args])
    if got < 0: raise OSError(ctypes.get_errno(), "")
    return got
def watch(): os.close(call(294, 26, 0))
def timer():
    number = ctypes.create_string_buffer(8)
    call(222, 107, 1, 0, number)
    call(226, 111, struct.unpack("i", number[:4])[0])
def queue(): call(129, 138, os.getpid(), 0, ctypes.create_string_buffer(struct.pack("iii", 0, 0, -1), 128))
def messages():
    name = b"neighbor"
    os.close(call(240, 180, name, os.O_CREAT | os.O_RDWR, 0o600, 0))
    call(241, 181, name)
def pipe():
    ends = os.pipe()
    try: fcntl.fcntl(ends[1], 1031, 1 << 20)
    finally:
        for fd in ends: os.close(fd)
def thread():
    t = threading.Thread(target=int)
    t.start()
    t.join()
for use in watch, timer, queue, messages, pipe, thread:
    try: use(); got = "yes"
    except OSError as e: got = errno.errorcode[e.errno]
    except RuntimeError: got = "no"
    print(use.__name__, got, end="; ")
`

// An explosion is what became of a bomb.
type explosion struct {
	cost     meters  // the highest that was measured, beyond what was there before
	cores    float64 // processors in use while it held what it had
	kept     int64   // bytes of the kernel that did not come back
	said     string  // by the code
	watching error   // of the host's nobody, who tried to
	port     error   // of the host, which tried to use it
	neighbor string  // what it could do
}

// wrong says what does not hold, or "".
func (e explosion) wrong(could string) string {
	switch {
	case e.cost.total() > bombCost:
		return fmt.Sprintf("it cost the host %v", e.cost)
	case e.cost.uncounted() > bombHidden:
		return fmt.Sprintf("it had memory of the host's kernel that nobody counts: %v", e.cost)
	case e.cost.tasks > bombTasks:
		return fmt.Sprintf("it had %d threads", e.cost.tasks)
	case e.cost.files > bombFiles:
		return fmt.Sprintf("it had %d open files", e.cost.files)
	case e.cores > bombCores:
		return fmt.Sprintf("it used %.1f processors", e.cores)
	case e.kept > bombLeft:
		return fmt.Sprintf("%d MiB of the kernel did not come back", e.kept>>20)
	case e.watching != nil:
		return fmt.Sprintf("nobody on the host can watch files: %v", e.watching)
	case e.port != nil:
		return fmt.Sprintf("the host cannot listen at a port: %v", e.port)
	case e.neighbor != could:
		return fmt.Sprintf("another sandbox could %sand now %s", could, e.neighbor)
	}
	return ""
}

// explode runs a bomb in a sandbox of its own and measures the host until the
// sandbox is gone.
func (s *suite) explode(t *testing.T, b bomb, neighbor *sandbox.Sandbox) (e explosion) {
	t.Helper()
	sb := s.open(t, sandbox.Limits{Deadline: bombDeadline})
	before := readMeters(s.roots())
	peak := s.watch(before)
	try := func() {
		e.watching, e.port = inotifyWorks(), hypervisorPortFree(bombPort)
		e.neighbor = s.execIn(t, neighbor, neighborTries, nil).Stdout
		e.cost = peak().since(before)
	}
	o := s.execIn(t, sb, bombRunner+b.code+"\nawait echo(held=spread(fill))", func(_ context.Context, c wire.Call) wire.Reply {
		if b.spins {
			e.cores = s.cores()
		}
		e.said = fmt.Sprintf("%v", c.Args)
		try()
		return wire.Reply{}
	})
	if o.Error != "" && !o.Stopped {
		t.Fatalf("the bomb does not work: %s", o.Error)
	}
	if e.said == "" { // it was stopped before
		e.said = o.Error
		try()
	}
	if err := sb.Close(); err != nil {
		t.Error(err)
	}
	e.kept = s.comesBack(before)
	return e
}

// watch measures the host until peak is called, which measures it once more and
// returns the highest of each meter.
func (s *suite) watch(highest meters) (peak func() meters) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
				highest = highest.most(readMeters(s.roots()))
			}
		}
	}()
	return func() meters {
		close(stop)
		<-stopped
		return highest.most(readMeters(s.roots()))
	}
}

// cores are the processors that the sandboxes use in a second.
func (s *suite) cores() float64 {
	began, before := time.Now(), readMeters(s.roots())
	time.Sleep(time.Second)
	used := readMeters(s.roots()).since(before).ticks
	return float64(used) / 100 / time.Since(began).Seconds()
}

// comesBack waits for the kernel to have back what it gave, and returns what it
// has not.
func (s *suite) comesBack(before meters) (kept int64) {
	for range 100 {
		after := readMeters(s.roots()).since(before)
		if kept = after.kernel + after.sockets; kept <= bombLeft {
			return kept
		}
		time.Sleep(100 * time.Millisecond)
	}
	return kept
}

// daemonEnds tests that what leaves its session, and ignores all it can, ends with
// its sandbox.
func (s *suite) daemonEnds(t *testing.T) {
	before := identities(s.roots())
	sb := s.open(t, sandbox.Limits{})
	o := s.execIn(t, sb, `
import os, signal, time
ready, said = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for n in range(1, 65):
            try: signal.signal(n, signal.SIG_IGN)
            except (OSError, ValueError): pass
        os.write(said, b"x")
        while True: time.sleep(1)
    os._exit(0)
print(os.read(ready, 1))
`, nil)
	if !strings.HasSuffix(o.Stdout, "b'x'\n") {
		t.Fatalf("got %+v", o)
	}
	inside := identities(s.roots())
	for pid := range before {
		delete(inside, pid)
	}
	if len(inside) < 2 {
		t.Fatalf("only %d processes of the sandbox are seen", len(inside))
	}
	if err := sb.Close(); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(20 * time.Second); stillThere(inside) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d processes outlive their sandbox", stillThere(inside))
		}
	}
}
