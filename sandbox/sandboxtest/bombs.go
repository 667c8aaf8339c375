package sandboxtest

// A bomb uses up something that all of the host's processes share. Its code
// defines fill, which many processes of the sandbox run.
type bomb struct {
	name  string // what it tries
	code  string
	spins bool // its processes compute on, and how fast is measured
}

// bombs are tried alone, one after the other, while the host is measured.
var bombs = []bomb{
	{"fill the buffers of netlink sockets", `
def fill(keep):
    while True:
        s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 2)
        s.bind((0, 0))
        keep.append(s)
        yield from stuff(s, (s.getsockname()[0], 0))`, false},
	{"fill the buffers of TCP sockets", `
def fill(keep):
    keep.append(socket.create_server(("127.0.0.1", 0)))
    while True:
        keep.append(socket.create_connection(keep[0].getsockname()))
        keep.append(keep[0].accept()[0])
        yield from stuff(keep[-2])
        yield from stuff(keep[-1])`, false},
	{"fill the buffers of UDP sockets", `
def fill(keep):
    while True:
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("127.0.0.1", 0))
        keep.append(s)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        for _ in range(48):
            s.sendto(bytes(4 << 10), s.getsockname())  # what does not fit is lost
            yield 4 << 10`, false},
	{"fill the buffers of sockets inside", `
def fill(keep):
    while True:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
            keep += socket.socketpair(socket.AF_UNIX, kind)
            yield from stuff(keep[-2])
            yield from stuff(keep[-1])`, false},
	{"pile up descriptors in messages", `
def fill(keep):
    while True:
        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        a.setblocking(False)
        keep += a, b
        try:
            while True:
                pair = os.pipe()
                try: socket.send_fds(a, [b"x"], list(pair) * 50)
                finally:
                    for fd in pair: os.close(fd)
                yield 1000
        except BlockingIOError: pass`, false},
	{"fill pipes", `
def fill(keep):
    while True:
        keep.append(os.pipe())
        for size in (1 << 20, 1 << 18, 1 << 16):
            try: fcntl.fcntl(keep[-1][1], 1031, size)
            except OSError: continue
            break
        os.set_blocking(keep[-1][1], False)
        try:
            while True: yield os.write(keep[-1][1], bytes(1 << 16))
        except BlockingIOError: pass`, false},
	{"take every inotify instance", `
def fill(keep):
    while True: yield call(294, 26, 0) * 0 + 1000`, false},
	{"watch many files", `
def fill(keep):
    fd = call(294, 26, 0)
    for n in range(20000):
        path = b"/tmp/%d-%d" % (os.getpid(), n)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        call(254, 27, fd, path, 0xfff)
        yield 1000`, false},
	{"lock many ranges of a file", `
def fill(keep):
    for n in range(20):
        keep.append(os.open("/tmp/lock-%d-%d" % (os.getpid(), n), os.O_CREAT | os.O_RDWR))
        for i in range(4000):
            fcntl.lockf(keep[-1], fcntl.LOCK_EX, 1, 2 * i)
            yield 200`, false},
	{"make many timers", `
def fill(keep):
    while True:
        call(222, 107, 1, 0, ctypes.create_string_buffer(8))
        yield 300`, false},
	{"queue many signals", `
def fill(keep):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    info = ctypes.create_string_buffer(struct.pack("iii", 40, 0, -1), 128)
    while True:
        call(129, 138, os.getpid(), 40, info)
        yield 100`, false},
	{"fill message queues", `
def posix():
    for n in range(1000):
        fd = call(240, 180, b"%d-%d" % (os.getpid(), n), os.O_CREAT | os.O_RDWR | os.O_NONBLOCK, 0o600, 0)
        for _ in range(10):
            call(242, 182, fd, bytes(8192), 8192, 0, 0)
            yield 8192
def system_v():
    while True:
        queue = call(68, 186, 0, 0o1600)
        try:
            while True:
                call(69, 189, queue, struct.pack("q", 1) + bytes(8000), 8000, 0o4000)
                yield 8000
        except BlockingIOError: pass
def fill(keep): yield from each(posix, system_v)`, false},
	{"fill System V shared memory", `
def fill(keep):
    libc.shmat.restype = ctypes.c_void_p
    libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
    while True:
        at = libc.shmat(call(29, 194, 0, 16 << 20, 0o1600), None, 0)
        if at in (None, 2 ** 64 - 1): return
        ctypes.memset(at, 1, 16 << 20)
        libc.shmdt(ctypes.c_void_p(at))
        yield 16 << 20`, false},
	{"fill files in memory", `
def fill(keep):
    while True:
        fd = call(319, 279, b"bomb", 0)
        for _ in range(16): yield os.write(fd, bytes(1 << 20))`, false},
	{"fill every directory that can be written", `
def fill(keep):
    for top in ("/tmp", "/dev/shm", "/dev/mqueue", "/run", "/var/tmp", "/proc", "/sys", "/"):
        try:
            fd = os.open(f"{top}/bomb-{os.getpid()}", os.O_CREAT | os.O_WRONLY)
            while True: yield os.write(fd, bytes(1 << 20))
        except OSError: pass`, false},
	{"fill memory in many processes", `
def fill(keep):
    while True:
        keep.append(mmap.mmap(-1, 4 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        keep[-1].write(b"x" * (4 << 20))
        yield 4 << 20`, false},
	{"fill memory that processes share", `
def fill(keep):
    while True:
        keep.append(mmap.mmap(-1, 4 << 20))
        keep[-1].write(b"x" * (4 << 20))
        yield 4 << 20`, false},
	{"fill page tables without pages", `
def fill(keep):
    while True:
        keep.append(mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_NORESERVE, prot=mmap.PROT_READ))
        for at in range(0, 1 << 30, 2 << 20): keep[-1][at]
        yield 2 << 20`, false},
	{"map many areas", `
def fill(keep):
    for n in range(60000):
        keep.append(mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ if n % 2 else 0))
        yield 200`, false},
	{"fork without end", `
def fill(keep):
    parent = os.getpid()
    while True:
        if os.fork() == 0:
            while os.getppid() == parent: time.sleep(0.1)
            os._exit(0)
        yield 1 << 20`, false},
	{"start threads without end", `
def fill(keep):
    import _thread
    while True:
        try: _thread.start_new_thread(time.sleep, (100,))
        except RuntimeError: return
        yield 1 << 20`, false},
	{"open many files", `
def fill(keep):
    while True: yield os.open("/dev/null", os.O_RDONLY) * 0 + 1000`, false},
	{"open a file with each area of memory", `
def fill(keep):
    while True:
        keep.append(mmap.mmap(-1, 4096))
        yield 1000`, false},
	{"make many files", `
def fill(keep):
    for n in range(20000):
        os.close(os.open(f"/tmp/{os.getpid()}-{n}", os.O_CREAT | os.O_WRONLY))
        yield 1000`, false},
	{"make directories below each other", `
def fill(keep):
    os.mkdir(f"/tmp/{os.getpid()}")
    os.chdir(f"/tmp/{os.getpid()}")
    for _ in range(5000):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
        yield 1000`, false},
	{"set many attributes of a file", `
def fill(keep):
    for n in range(20000):
        path = f"/tmp/{os.getpid()}-{n}"
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        for i in range(16):
            os.setxattr(path, f"user.{i}", bytes(4000))
            yield 4000`, false},
	{"read the holes of a file", `
def fill(keep):
    fd = os.open(f"/tmp/{os.getpid()}", os.O_CREAT | os.O_RDWR)
    os.ftruncate(fd, 1 << 30)
    for at in range(0, 1 << 30, 1 << 20):
        os.pread(fd, 1 << 20, at)
        yield 1 << 16`, false},
	{"filter system calls without end", `
def fill(keep):
    steps = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7fff0000) * 4000)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 4000, ctypes.addressof(steps)))
    while True:
        call(157, 167, 22, 2, program)
        yield 64 << 10`, false},
	{"listen at a port of the hypervisor", `
def fill(keep):
    keep.append(socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
    keep[0].bind((0xffffffff, 52525))
    keep[0].listen(1)
    yield 1`, false},
	{"compute in many processes", `
def fill(keep):
    if os.fork() == 0:
        os.closerange(3, 64)  # nobody waits for it
        while time.monotonic() < began + SECONDS + 5: pass
        os._exit(0)
    yield ENOUGH // 2  # so many are enough
began = time.monotonic()`, true},
}
