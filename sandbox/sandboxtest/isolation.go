package sandboxtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// isolationChecks: what code cannot reach.
var isolationChecks = []check{
	passes("no host secret is inside", fmt.Sprintf(`
import os
assert set(os.environ) <= {'PATH', 'HOME', 'LANG'}, dict(os.environ)
assert (os.environ['PATH'], os.environ['HOME'], os.environ['LANG']) == ('/usr/bin', '/tmp', 'C'), dict(os.environ)
for pid in filter(str.isdigit, os.listdir('/proc')):
    for name in ('environ', 'cmdline', 'mountinfo', 'cgroup'):
        try: data = open(f'/proc/{pid}/{name}', 'rb').read()
        except OSError: continue
        assert %q.encode() not in data, (pid, name)
`, secret)),
	{"no host file is inside", func(t *testing.T, s *suite) {
		file := filepath.Join(t.TempDir(), "host-file")
		if err := os.WriteFile(file, []byte(secret), 0o644); err != nil {
			t.Fatal(err)
		}
		wd, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		o := s.exec(t, fmt.Sprintf(`
import os
for path in (%q, %q, '/root', '/home', '/var/run/docker.sock', '/run/docker.sock', '/var/lib', '/boot', '/etc/shadow', '/etc/passwd-', '/etc/ssh'):
    assert not os.path.exists(path) or path in ('/root', '/home') and not os.listdir(path), path
assert not os.path.exists('/proc/1/root' + %q)
print('ok')
`, file, wd, file))
		wantStdout(t, o, "ok\n")
	}},
	noNetwork,
	passes("the root is read-only and only /tmp is writable", `
import os
for path in ('/', '/usr', '/usr/bin', '/etc', '/dev', '/dev/shm', '/dev/mqueue', '/var/tmp', '/run', '/proc', '/sys', '/root'):
    try: fd = os.open(path + '/new', os.O_CREAT | os.O_WRONLY)
    except OSError: continue
    raise AssertionError('wrote in ' + path)
for path in ('/runner.py', '/usr/bin/python3', '/etc/passwd', '/proc/sys/kernel/hostname', '/proc/sysrq-trigger'):
    try: fd = os.open(path, os.O_WRONLY)
    except OSError: continue
    raise AssertionError('opened ' + path)
for d, dirs, files in os.walk('/'):
    if d.startswith(('/proc', '/sys', '/tmp')):
        dirs.clear()
        continue
    assert not os.access(d, os.W_OK), d
    try: os.mkdir(d + '/new-directory')
    except OSError: pass
    else: raise AssertionError('made a directory in ' + d)
assert os.getcwd() == '/tmp', os.getcwd()
open('/tmp/x', 'w').write('y')
assert open('/tmp/x').read() == 'y'`),
	passes("nothing in /tmp can be executed", `
import os, subprocess, shutil, mmap
open('/tmp/script', 'w').write('#!/usr/bin/python3\nprint(1)\n')
os.chmod('/tmp/script', 0o755)
try: subprocess.run(['/tmp/script'])
except PermissionError: pass
else: raise AssertionError('ran a script')
shutil.copyfile(next(p for p in ('/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1') if os.path.exists(p)), '/tmp/elf')
os.chmod('/tmp/elf', 0o755)
try: subprocess.run(['/tmp/elf'])
except PermissionError: pass
else: raise AssertionError('ran a program')
fd = os.open('/tmp/elf', os.O_RDONLY)
try: mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
except PermissionError: pass
else: raise AssertionError('mapped a file to execute')`),
	passes("the user is nobody's, without capabilities, and cannot gain any", `
import os
user = os.getuid()
assert user == 65534 or 20_000 <= user < 60_000 or user >= 0x7d000000, user
assert os.getresuid() == os.getresgid() == (user,) * 3, (os.getresuid(), os.getresgid())
assert set(os.getgroups()) <= {user}, os.getgroups()
status = dict(line.split(':', 1) for line in open('/proc/self/status').read().splitlines() if ':' in line)
for name in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'):
    assert int(status.get(name, '0'), 16) == 0, (name, status)
assert status.get('NoNewPrivs', '1').strip() == '1', status
for act in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]), lambda: os.chroot('/tmp'),
            lambda: os.mknod('/tmp/device', 0o60666, os.makedev(8, 0)), lambda: os.sethostname('x') if hasattr(os, 'sethostname') else os.setuid(0)):
    try: act()
    except OSError: pass
    else: raise AssertionError('was allowed')`),
	passes("no_new_privs is set", `
import ctypes
assert ctypes.CDLL(None).prctl(39, 0, 0, 0, 0) == 1`),
	passes("no process but the sandbox's own is seen", `
import os
for pid in filter(str.isdigit, os.listdir('/proc')):
    try: command = open(f'/proc/{pid}/cmdline').read()
    except OSError: continue
    assert 'runner.py' in command or 'init' in command, (pid, command)`),
	nothingLeft,
	{"no two sandboxes draw the same random numbers", func(t *testing.T, s *suite) {
		const draw = "import os, random, uuid, secrets\nprint(random.random(), os.urandom(8).hex(), uuid.uuid4(), secrets.token_hex(8))"
		a, b := strings.Fields(s.exec(t, draw).Stdout), strings.Fields(s.exec(t, draw).Stdout)
		if len(a) != 4 || len(b) != 4 {
			t.Fatalf("drew %q and %q", a, b)
		}
		for i, x := range a {
			if b[i] == x {
				t.Errorf("both drew %s", x)
			}
		}
	}},
	{"the clock is the host's", func(t *testing.T, s *suite) {
		before := time.Now().Add(-time.Second).Unix()
		o := s.exec(t, "import time\nprint(int(time.time()))")
		got, err := strconv.ParseInt(strings.TrimSpace(o.Stdout), 10, 64)
		if after := time.Now().Add(time.Second).Unix(); err != nil || got < before || got > after {
			t.Errorf("got %+v, want a time from %d to %d", o, before, after)
		}
	}},
	noneSeen,
}

// limitChecks: what code cannot use up. They expect the default limits.
var limitChecks = []check{
	passes("/tmp holds 16 MiB", `
import os
n = 0
try:
    with open('/tmp/big', 'wb', buffering=0) as f:
        while n < 64 << 20: n += f.write(b'x' * (1 << 20))
except OSError: pass
assert 12 << 20 <= n <= 16 << 20, n`),
	passes("64 descriptors are open at most", `
import os, resource
assert resource.getrlimit(resource.RLIMIT_NOFILE) == (64, 64), resource.getrlimit(resource.RLIMIT_NOFILE)
fds = []
try:
    for _ in range(100): fds.append(os.open('/dev/null', os.O_RDONLY))
except OSError: pass
for fd in fds: os.close(fd)
assert len(fds) < 64`),
	{"64 processes and threads run at most", func(t *testing.T, s *suite) {
		o := s.exec(t, `
import threading, time
n = 0
try:
    for n in range(200): threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
except BaseException: pass
print(n <= 64)
`)
		if !o.Stopped && o.Stdout != "True\n" {
			t.Errorf("got %+v", o)
		}
		s.fresh(t)
	}},
	{"a fork bomb ends within the deadline and the next run starts fresh", func(t *testing.T, s *suite) {
		start := time.Now()
		o := s.execIn(t, s.open(t, sandbox.Limits{Deadline: 3 * time.Second}), `
import os
while True:
    try: os.fork()
    except BaseException: pass
`, nil)
		if !o.Stopped {
			t.Errorf("got %+v", o)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("took %v", took)
		}
		s.fresh(t)
	}},
	{"a 1 GiB allocation fails and the next run starts fresh", func(t *testing.T, s *suite) {
		o := s.exec(t, "b = bytearray(1 << 30)\nfor i in range(0, 1 << 30, 4096): b[i] = 1\nprint('allocated')")
		wantOutOfMemory(t, o)
		s.fresh(t)
	}},
	{"memory is bounded over all processes together", func(t *testing.T, s *suite) {
		// A child that was killed makes room for the next. What counts are those
		// that reported before a moment and live after it.
		o := s.exec(t, `
import os, time
left, right = os.pipe()
pids = []
for n in range(8):
    pids.append(os.fork())
    if pids[n] == 0:
        try:
            b = bytearray(100 << 20)
            for i in range(0, len(b), 4096): b[i] = 1
            os.write(right, bytes([n]))
            time.sleep(1000)
        finally: os._exit(1)
os.set_blocking(left, False)
living, reported = set(pids), set()
deadline = time.monotonic() + 20
while time.monotonic() < deadline and not living <= reported:
    time.sleep(0.1)
    try: reported.update(pids[n] for n in os.read(left, 8))
    except BlockingIOError: pass
    living -= {pid for pid in living if os.waitpid(pid, os.WNOHANG) != (0, 0)}
print('allocated' if len(living & reported) > 3 else 'bounded')
`)
		if o.Stdout == "bounded\n" && o.Error == "" {
			return
		}
		wantOutOfMemory(t, o)
	}},
	{"an endless loop ends at the deadline and the next run starts fresh", func(t *testing.T, s *suite) {
		sb := s.open(t, sandbox.Limits{Deadline: time.Second})
		o := s.execIn(t, sb, "while True: pass", nil)
		if o.Error != "stopped: deadline of 1 s reached" || sb.Alive() {
			t.Errorf("got %+v, alive %v", o, sb.Alive())
		}
		s.fresh(t)
	}},
	{"a computation that never lets go ends at the deadline", func(t *testing.T, s *suite) {
		sb := s.open(t, sandbox.Limits{Deadline: time.Second})
		if o := s.execIn(t, sb, "10 ** 10 ** 10", nil); o.Error != "stopped: deadline of 1 s reached" {
			t.Errorf("got %+v", o)
		}
	}},
}

func wantOutOfMemory(t *testing.T, o sandbox.Outcome) {
	t.Helper()
	if strings.Contains(o.Stdout, "allocated") || o.Error != "stopped: out of memory (256 MiB)" && !strings.Contains(o.Error, "MemoryError") {
		t.Errorf("got %+v, want it out of memory", o)
	}
}

// imageChecks: what is in the image.
var imageChecks = []check{
	passes("every time zone is known", `
import zoneinfo, datetime
names = zoneinfo.available_timezones()
assert len(names) > 590 and {'Europe/Berlin', 'Asia/Tokyo', 'America/Argentina/Ushuaia', 'UTC', 'US/Pacific'} <= names, len(names)
for name in names: zoneinfo.ZoneInfo(name)
summer = datetime.datetime(2026, 7, 1, 12, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin'))
assert summer.utcoffset() == datetime.timedelta(hours=2) and summer.tzname() == 'CEST', summer
assert summer.astimezone(zoneinfo.ZoneInfo('America/New_York')).hour == 6`),
	passes("nothing but Python and the runner is in the image", `
import os, stat
programs = []
for d, dirs, files in os.walk('/'):
    if d == '/': dirs[:] = [n for n in dirs if n not in ('proc', 'sys', 'dev', 'tmp')]
    for name in files:
        path = os.path.join(d, name)
        mode = os.lstat(path).st_mode
        assert not mode & (stat.S_ISUID | stat.S_ISGID), path
        assert not mode & stat.S_IWOTH or stat.S_ISLNK(mode), path
        if stat.S_ISREG(mode) and mode & 0o111 and '.so' not in name and open(path, 'rb').read(4) in (b'\x7fELF', b'#!/u', b'#!/b'):
            programs.append(path)
assert all(os.path.basename(p).startswith('python3') or p == '/init' for p in programs), programs
assert programs, 'no Python'`),
	passes("neither the program nor an MCP client nor a package manager is in the image", `
import importlib.util, os
for name in ('mcp', 'pip', 'ensurepip', 'setuptools', 'tkinter', 'idlelib', 'test'):
    assert importlib.util.find_spec(name) is None, name
for name in ('sh', 'bash', 'busybox', 'apt', 'dpkg', 'apk', 'pip', 'node', 'npx', 'mcp-code-mode', 'runsc'):
    for d in ('/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin', '/'):
        assert not os.path.lexists(os.path.join(d, name)), (d, name)`),
	passes("the standard library is there", `
import json, re, math, statistics, datetime, decimal, fractions, itertools, functools, collections, random, hashlib, base64
import csv, io, textwrap, string, zlib, bz2, lzma, gzip, zipfile, sqlite3, struct, uuid, urllib.parse, html, xml.etree.ElementTree
import unicodedata, difflib, heapq, bisect, operator, copy, pprint, dataclasses, typing, enum, contextlib, tempfile, pathlib, shutil
import subprocess, threading, multiprocessing, concurrent.futures, queue, time, calendar, locale, secrets, hmac, ssl, ctypes, email, argparse
assert datetime.datetime.fromisoformat('2026-01-02T03:04:05Z').year == 2026
assert 'é'.encode('idna') and '日本'.encode('shift_jis')
assert tempfile.gettempdir() == '/tmp'`),
}
