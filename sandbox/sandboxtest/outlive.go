package sandboxtest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// A Program is code to run and what it tries to do.
type Program struct {
	Name, Code string // what it tries, and the Python that does
	First      bool   // it is about the first process, where that is not the runner
	Ends       bool   // it may turn out to have ended its sandbox
}

// Outlive starts a program of Outliving in a sandbox of the driver and returns when it
// is at what it tries. The process that calls it is meant to be killed then.
func Outlive(ctx context.Context, d sandbox.Driver, p Program) error {
	w := &watched{Driver: d}
	s, err := sandbox.Open(ctx, w)
	if err != nil {
		return err
	}
	if err := s.Init(ctx, []wire.Tool{{Name: "ready", ID: "t/ready"}, {Name: "large", ID: "t/large"}}); err != nil {
		return err
	}
	at := make(chan struct{}, 2)
	var large atomic.Int64
	go func() {
		outcome, err := s.Exec(ctx, p.Code, func(_ context.Context, c wire.Call) wire.Reply {
			if c.Tool == "t/ready" {
				at <- struct{}{}
			} else if large.Add(1) == unread {
				go func() { w.settle(); at <- struct{}{} }()
			}
			return wire.Reply{Text: strings.Repeat("x", 60_000)}
		})
		fmt.Fprintf(os.Stderr, "%s: ended by itself: %+v, %v\n", p.Name, outcome, err)
		at <- struct{}{}
	}()
	<-at
	return nil
}

// unread is how many results of 60,000 bytes are sent to a program that reads none:
// more than pipes and an engine's buffers hold together.
const unread = 16

// A watched driver counts what its sandbox is sent.
type watched struct {
	sandbox.Driver
	sent atomic.Int64
}

type watchedInstance struct {
	sandbox.Instance
	w *watched
}

func (w *watched) Start(ctx context.Context) (sandbox.Instance, error) {
	i, err := w.Driver.Start(ctx)
	return watchedInstance{i, w}, err
}

func (i watchedInstance) Write(p []byte) (int, error) {
	n, err := i.Instance.Write(p)
	i.w.sent.Add(int64(n))
	return n, err
}

// settle returns when no more is taken.
func (w *watched) settle() {
	for before := int64(-1); before != w.sent.Load(); time.Sleep(300 * time.Millisecond) {
		before = w.sent.Load()
	}
}

// Outliving are programs that try to go on when the process that owns their sandbox
// has been killed. Each awaits ready() when it is at it, or never reads the results of
// large().
var Outliving = []Program{
	{Name: "sleeps", Code: "await ready()\nimport time\ntime.sleep(1000)"},
	{Name: "waits for a call", Code: "await ready()\nawait asyncio.sleep(1000)"},
	{Name: "blocks every signal", Code: `
import signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
for s in signal.valid_signals():
    try: signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError): pass
await ready()
while True: time.sleep(1000)`},
	{Name: "signals the first process", First: true, Code: `
import os, signal, time
for s in signal.valid_signals() - {signal.SIGSTOP}:
    try: os.kill(1, s)
    except OSError: pass
await ready()
time.sleep(1000)`},
	{Name: "stops the first process", First: true, Code: `
import os, signal, time
if os.fork() == 0:
    os.setsid()
    while True:
        os.kill(1, signal.SIGSTOP)
        time.sleep(0.1)
time.sleep(0.5)
await ready()
time.sleep(1000)`},
	{Name: "stops whoever it may", Code: `
import os, signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
await ready()
while True:
    for target in (-1, 0):
        try: os.kill(target, signal.SIGSTOP)
        except OSError: pass`},
	{Name: "closes its descriptors", Ends: true, Code: `
import os
await ready()
os.closerange(0, 64)
while True: pass`},
	{Name: "becomes another program", Code: `
import os, sys
await ready()
os.execv('/usr/bin/python3', ['python3', '-I', '-S', '-c', 'while True: pass'])`},
	{Name: "forks twice and leaves its session", Code: `
import os, time
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True: time.sleep(1000)
        os._exit(0)
await ready()
while True: time.sleep(1000)`},
	{Name: "forks as often as it may", Code: `
import os
await ready()
while True:
    try: os.fork()
    except BaseException: pass`},
	{Name: "never releases the interpreter", Code: "await ready()\nsum(range(10**12))"},
	{Name: "matches a pattern without end", Code: "import re\nawait ready()\nre.match('(a*)*b', 'a' * 100)"},
	{Name: "keeps every input open for writing", Code: `
import glob, os, time
kept = []
def keep():
    for path in glob.glob('/proc/[0-9]*/fd/[0-9]*') + [f'/proc/{p}/fd/{n}' for p in ('1', 'self') for n in range(3)]:
        for how in (os.O_WRONLY, os.O_RDWR):
            try: kept.append(os.open(path, how | os.O_NONBLOCK))
            except OSError: pass
keep()
if os.fork() == 0:
    keep()
    while True: time.sleep(1000)
await ready()
time.sleep(1000)`},
	{Name: "takes hold of the first process", First: true, Code: `
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
held = []
for request in (16, 0x4206):  # PTRACE_ATTACH, PTRACE_SEIZE
    if libc.ptrace(request, 1, 0, 0) == 0: held.append(request)
for name in ('mem', 'maps', 'environ', 'fd', 'root', 'oom_score_adj'):
    try:
        os.listdir('/proc/1/fd') if name == 'fd' else os.open('/proc/1/' + name, os.O_RDWR if name in ('mem', 'oom_score_adj') else os.O_RDONLY)
        held.append(name)
    except OSError: pass
fd = libc.syscall(434, 1, 0)  # pidfd_open
for n in range(8):
    if libc.syscall(438, fd, n, 0) >= 0: held.append('descriptor')  # pidfd_getfd
class Vector(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('size', ctypes.c_size_t)]
here, there = Vector(ctypes.cast(ctypes.create_string_buffer(64), ctypes.c_void_p).value, 8), Vector(0x10000000, 8)
for call in (libc.process_vm_readv, libc.process_vm_writev):
    if call(1, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0: held.append('memory')
if held: raise SystemExit(f'held {held}')
await ready()
time.sleep(1000)`},
	{Name: "limits the first process", First: true, Ends: true, Code: `
import resource, time
for name in dir(resource):
    if name.startswith('RLIMIT_'):
        try: resource.prlimit(1, getattr(resource, name), (0, 0))
        except (OSError, ValueError): pass
await ready()
time.sleep(1000)`},
	{Name: "starves the first process", First: true, Code: `
import os, time
for act in (lambda: os.sched_setaffinity(1, {0}), lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),
            *[lambda which=which, who=who: os.setpriority(which, who, 19)
              for which, who in ((os.PRIO_PROCESS, 1), (os.PRIO_PGRP, 0), (os.PRIO_PGRP, 1), (os.PRIO_USER, 0), (os.PRIO_USER, os.getuid()))]):
    try: act()
    except OSError: pass
for _ in range(40):
    if os.fork() == 0:
        os.sched_setaffinity(0, {0})
        while True: pass
await ready()
while True: pass`},
	{Name: "keeps memory scarce", Code: `
import os
try: b = bytearray(225 << 20)
except MemoryError: b = bytearray(150 << 20)  # where address space is what counts
for i in range(0, len(b), 4096): b[i] = 1
await ready()
files = [os.path.join(d, f) for d, _, names in os.walk('/usr') for f in names]
while True:
    for path in files: open(path, 'rb').read(1 << 20)
    for i in range(0, len(b), 4096): b[i] = 2`},
	{Name: "does not read", Code: `
calls = [asyncio.ensure_future(large()) for _ in range(16)]
for _ in range(5): await asyncio.sleep(0)
while True: pass`},
}
