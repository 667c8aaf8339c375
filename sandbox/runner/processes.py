# multiprocessing, with what there is in a sandbox.


class Semaphore:
    """What multiprocessing takes from C: a semaphore that forked processes share. There
    it is a file in /dev/shm, where nobody can write here; this is an eventfd. It counts
    as CPython does on systems that cannot ask a semaphore for its value."""

    RECURSIVE, SEM_VALUE_MAX = 0, 2**31 - 1

    def __init__(self, kind, value, maxvalue, name, unlink):
        self.kind, self.maxvalue, self.name = kind, maxvalue, None
        self.handle = os.eventfd(value, os.EFD_SEMAPHORE | os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.count, self.owner = 0, None  # how often this process has it, and which thread

    def __del__(self, close=os.close):
        if "handle" in vars(self):
            close(self.handle)

    def acquire(self, block=True, timeout=None):
        if self.kind == self.RECURSIVE and self._is_mine():
            self.count += 1
            return True
        end = None if timeout is None else monotonic() + max(timeout, 0)
        while not self.take():
            left = None if end is None else end - monotonic()
            if not block or left is not None and left <= 0:
                return False
            self.free_within(None if left is None else left * 1000 + 1)
        self.count += 1
        self.owner = threading.get_ident()
        return True

    __enter__ = acquire

    def take(self):
        try:
            os.eventfd_read(self.handle)
        except BlockingIOError:
            return False
        return True

    def free_within(self, milliseconds):
        """Waits until the semaphore may be free (None: for ever), and says whether it is."""
        poll = select.poll()
        poll.register(self.handle, select.POLLIN)
        return bool(poll.poll(milliseconds))

    def release(self):
        if self.kind == self.RECURSIVE:
            if not self._is_mine():
                raise AssertionError("attempt to release recursive lock not owned by thread")
            if self.count > 1:
                self.count -= 1
                return
        elif self.maxvalue == 1 and not self._is_zero():
            raise ValueError("semaphore or lock released too many times")
        self.count -= 1
        os.eventfd_write(self.handle, 1)

    def __exit__(self, *_):
        self.release()

    def _is_mine(self):
        return self.count > 0 and self.owner == threading.get_ident()

    def _is_zero(self):
        return not self.free_within(0)

    def _count(self):
        return self.count

    def _get_value(self):
        raise NotImplementedError("the value of a semaphore is not known in this sandbox")

    def _after_fork(self):
        self.count = 0

    @staticmethod
    def _rebuild(*_):
        raise RuntimeError("processes can only be forked here, and inherit their locks")


def only_fork(context):
    """Whatever way it is asked to start a process, multiprocessing forks: a fresh Python
    would not have the functions of the program, which is no file."""
    fork = context._concrete_contexts["fork"]
    context._concrete_contexts.update(spawn=fork, forkserver=fork)
    context._default_context._default_context = fork


def share_in_tmp(heap):
    """Memory of Value and Array is in /tmp, and not in /dev/shm."""
    heap.Arena._dir_candidates = []


class Adapter:
    """Changes parts of multiprocessing when they are imported, if they ever are."""

    changes = {"multiprocessing.context": only_fork, "multiprocessing.heap": share_in_tmp}

    def find_spec(self, name, path, target=None):
        change = self.changes.get(name)
        if change is None:
            return None
        spec = PathFinder.find_spec(name, path)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            with suppress(AttributeError, KeyError):  # another version of Python
                change(module)

        spec.loader.exec_module = exec_module
        return spec


def adapt_multiprocessing():
    _multiprocessing.SemLock = Semaphore
    sys.meta_path.insert(0, Adapter())
