//go:build linux

package docker

// libraryPrograms use what the standard library has that ends in system calls. Each
// prints ok. What a C library lacks, which the embedded Python was built with, is
// passed over.
var libraryPrograms = map[string]string{
	"asyncio": `
import socket, sys
async def echo(reader, writer):
    writer.write(await reader.readline())
    await writer.drain()
    writer.close()
async with await asyncio.start_unix_server(echo, '/tmp/socket'):
    reader, writer = await asyncio.open_unix_connection('/tmp/socket')
    writer.write(b'line\n')
    assert await reader.readline() == b'line\n'
    writer.close()
child = await asyncio.create_subprocess_exec(sys.executable, '-c', 'print(input())', stdin=-1, stdout=-1)
assert await child.communicate(b'there and back') == (b'there and back\n', None)
child = await asyncio.create_subprocess_exec(sys.executable, '-c', 'while True: pass')
child.kill()
assert await child.wait() == -9
assert await asyncio.to_thread(lambda: 42) == 42
left, right = socket.socketpair()
left.setblocking(False)
right.setblocking(False)
await asyncio.get_running_loop().sock_sendall(left, b'x')
assert await asyncio.get_running_loop().sock_recv(right, 1) == b'x'
await asyncio.wait_for(asyncio.sleep(0), 5)
print('ok')`,

	"processes": `
import multiprocessing, os, pathlib, signal, subprocess, sys
assert subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True, text=True, start_new_session=True).stdout == '1\n'
assert subprocess.run([sys.executable, '-c', ''], user=os.getuid(), group=os.getgid()).returncode == 0
pid = os.posix_spawn(sys.executable, [sys.executable, '-c', 'raise SystemExit(3)'], os.environ, resetids=True)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3
def work(pipe, n): pipe.send([n, os.getpid() != os.getppid()])
here, there = multiprocessing.Pipe()
p = multiprocessing.get_context('fork').Process(target=work, args=(there, 5))
p.start()
assert here.recv() == [5, True]
p.join()
assert p.exitcode == 0
if (pid := os.fork()) == 0:
    signal.pause()
if hasattr(os, 'pidfd_open'): signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGTERM)
else: os.kill(pid, signal.SIGTERM)
assert os.waitid(os.P_PID, pid, os.WEXITED).si_status == signal.SIGTERM
if (pid := os.fork()) == 0:
    os.execve(os.open(sys.executable, os.O_RDONLY), [sys.executable, '-c', 'pass'], {})
assert os.waitpid(pid, 0)[1] == 0
assert os.nice(1) > os.nice(0) - 1 and os.getpriority(os.PRIO_PROCESS, 0) == 1
assert os.getsid(0) >= 0 and os.getpgid(0) >= 0 and len(os.getresuid()) == 3
import resource
soft, hard = resource.prlimit(0, resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0 and os.times().user >= 0
print('ok')`,

	"threads": `
import concurrent.futures, faulthandler, os, queue, threading, time
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    assert sum(pool.map(lambda n: n, range(100))) == 4950
q, names = queue.Queue(), []
def named():
    names.append(open(f'/proc/self/task/{threading.get_native_id()}/comm').read())
    q.put(1)
threading.Thread(target=named, name='a-name').start()
assert q.get(timeout=5) == 1 and len(names) == 1
e = threading.Event()
threading.Timer(0.01, e.set).start()
assert e.wait(5)
assert os.cpu_count() >= 1 and os.process_cpu_count() >= 1
os.sched_setaffinity(0, os.sched_getaffinity(0))
os.sched_yield()
assert os.sched_getscheduler(0) == os.SCHED_OTHER and os.sched_get_priority_max(os.SCHED_RR) == 99
os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
assert os.sched_getparam(0).sched_priority == 0 and os.sched_rr_get_interval(0) >= 0
faulthandler.dump_traceback_later(100)
faulthandler.cancel_dump_traceback_later()
print('ok')`,

	"signals": `
import os, signal, threading, time
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append('alarm'))
signal.setitimer(signal.ITIMER_REAL, 0.01)
assert signal.getitimer(signal.ITIMER_REAL)[0] <= 0.01
while not seen: time.sleep(0.01)
signal.alarm(100)
assert 0 < signal.alarm(0) <= 100
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
assert signal.SIGUSR1 in signal.sigpending()
assert signal.sigtimedwait([signal.SIGUSR1], 5).si_signo == signal.SIGUSR1
signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
assert signal.sigwait([signal.SIGUSR1]) == signal.SIGUSR1
signal.siginterrupt(signal.SIGALRM, False)
print('ok')`,

	"files": `
import fcntl, mmap, os, pathlib, shutil, sqlite3, stat, tarfile, tempfile, zipfile
os.makedirs('a/b')
one = pathlib.Path('a/b/one')
one.write_text('text')
os.chmod(one, 0o640)
os.utime(one, (1, 2))
os.chown(one, os.getuid(), os.getgid())
shutil.copytree('/tmp/a', '/tmp/copy')
shutil.copy2(one, '/tmp/two')
assert os.stat('/tmp/two').st_mtime == 2 and stat.S_IMODE(os.stat('/tmp/two').st_mode) == 0o640
if hasattr(one, 'copy'):
    assert one.copy('/tmp/three', preserve_metadata=True).read_text() == 'text'
os.symlink('two', '/tmp/link')
os.link('/tmp/two', '/tmp/hard')
assert os.path.realpath('/tmp/link') == '/tmp/two' and os.readlink('/tmp/link') == 'two'
os.mkfifo('/tmp/fifo')
os.rename('/tmp/fifo', '/tmp/fifo2')
os.listxattr('/tmp/two')
assert shutil.disk_usage('/tmp').total > 0 and os.pathconf('/tmp', 'PC_NAME_MAX') == 255
with open('/tmp/data', 'w+b') as f:
    os.posix_fallocate(f.fileno(), 0, 8192)
    os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_SEQUENTIAL)
    fcntl.flock(f, fcntl.LOCK_EX)
    fcntl.lockf(f, fcntl.LOCK_EX)
    assert os.pwritev(f.fileno(), [b'ab', b'c'], 0) == 3 and os.preadv(f.fileno(), [bytearray(3)], 0) == 3
    with mmap.mmap(f.fileno(), 8192) as m:
        m[:4] = b'mmap'
        m.flush()
        m.madvise(mmap.MADV_DONTNEED)
    os.fsync(f.fileno()), os.fdatasync(f.fileno())
    with open('/tmp/data2', 'w+b') as g:
        assert os.sendfile(g.fileno(), f.fileno(), 0, 4) == 4
        if hasattr(os, 'copy_file_range'): assert os.copy_file_range(f.fileno(), g.fileno(), 4, 0, 4) == 4
        r, w = os.pipe()
        if hasattr(os, 'splice'): assert os.splice(f.fileno(), w, 4, offset_src=0) == 4 and os.read(r, 4) == b'mmap'
    os.truncate('/tmp/data', 10)
with tempfile.TemporaryDirectory() as d, tempfile.TemporaryFile() as f, zipfile.ZipFile(d + '/z', 'w') as z, tarfile.open(d + '/t', 'w') as t:
    z.writestr('x', 'y')
    t.add('/tmp/a')
    assert sorted(e.name for e in os.scandir(d)) == ['t', 'z']
with tarfile.open('/tmp/t.tar', 'w') as t: t.add('/tmp/a', 'a')
with tarfile.open('/tmp/t.tar') as t: t.extractall('/tmp/out', filter='data')
db = sqlite3.connect('/tmp/db')
with db: db.execute('create table t (x)')
with db: db.execute('insert into t values (1)')
assert db.execute('select x from t').fetchall() == [(1,)]
shutil.rmtree('/tmp/a')
print('ok')`,

	"descriptors": `
import os, select, selectors, socket, time
a, b = socket.socketpair()
socket.send_fds(a, [b'x'], [os.open('/dev/null', os.O_RDONLY)])
message, fds, _, _ = socket.recv_fds(b, 1, 1)
assert message == b'x' and len(fds) == 1
for option in (socket.SO_SNDBUF, socket.SO_RCVBUF, socket.SO_REUSEADDR, socket.SO_PASSCRED):
    a.setsockopt(socket.SOL_SOCKET, option, 1)
assert a.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
assert int.from_bytes(a.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 4), 'little') == os.getpid()
a.settimeout(0.01)
try: a.recv(1)
except TimeoutError: pass
server = socket.socket(socket.AF_UNIX)
server.bind('\0abstract')
server.listen()
client = socket.socket(socket.AF_UNIX)
client.connect('\0abstract')
peer, _ = server.accept()
client.sendall(b'hello')
assert peer.recv(5) == b'hello' and socket.socket(fileno=os.dup(peer.fileno())).family == socket.AF_UNIX
client.shutdown(socket.SHUT_WR)
assert peer.recv(1) == b''
e = os.eventfd(0)
os.eventfd_write(e, 7)
p = select.epoll()
p.register(e, select.EPOLLIN)
assert p.poll(5) == [(e, select.EPOLLIN)] and os.eventfd_read(e) == 7
if hasattr(os, 'timerfd_create'):
    t = os.timerfd_create(time.CLOCK_MONOTONIC)
    os.timerfd_settime(t, initial=0.001)
    assert select.select([t], [], [], 5)[0] == [t] and os.timerfd_gettime(t)
poll = select.poll()
poll.register(a, select.POLLOUT)
assert poll.poll(5000)
with selectors.DefaultSelector() as s:
    s.register(a, selectors.EVENT_WRITE)
    assert s.select(5)
r, w = os.pipe2(os.O_CLOEXEC)
os.set_blocking(r, False)
os.set_inheritable(r, True)
assert not os.isatty(r)
os.closerange(50, 55)
print('ok')`,

	"the rest": `
import ctypes, hashlib, locale, os, platform, random, secrets, shutil, time, uuid
assert platform.uname().system == 'Linux' and platform.platform()
assert len(os.urandom(8)) == 8 and len(getattr(os, 'getrandom', os.urandom)(8)) == 8 and secrets.token_hex(4) and random.SystemRandom().random() < 1
assert uuid.uuid1() != uuid.uuid4() and hashlib.sha256(b'').digest()
for clock in (time.CLOCK_REALTIME, time.CLOCK_MONOTONIC, time.CLOCK_PROCESS_CPUTIME_ID, time.CLOCK_THREAD_CPUTIME_ID):
    assert time.clock_gettime(clock) > 0 and time.clock_getres(clock) > 0
time.sleep(0.001)
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))(lambda a, b: a[0] - b[0])
numbers = (ctypes.c_int * 3)(3, 1, 2)
ctypes.CDLL(None).qsort(numbers, 3, 4, compare)
assert list(numbers) == [1, 2, 3]
assert shutil.get_terminal_size() == (80, 24)
assert locale.getlocale() and time.strftime('%Z')
for refused in (lambda: os.setuid(0), lambda: time.clock_settime(time.CLOCK_REALTIME, 0), lambda: os.getloadavg(), lambda: os.openpty()):
    try: refused()
    except OSError: pass
    else: print('allowed')
print('ok')`,
}
