package sandboxtest

import (
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// leave is code that leaves something everywhere where it can, and find is code that
// prints what it finds of that.
const (
	leave = `
import os, socket
left = []
def tries(name, f):
    try: left.append((name, f()))
    except (OSError, Held): pass
os.environ["LEFT"] = "1"
for top in ("/tmp", "/dev/shm", "/dev/mqueue", "/var/tmp", "/run"):
    tries("file", lambda: os.open(top + "/left", os.O_CREAT | os.O_WRONLY))
tries("directory", lambda: os.mkdir("/tmp/directory"))
for address in (b"\0left", "/tmp/socket"):
    def listen(address=address):
        s = socket.socket(socket.AF_UNIX)
        s.bind(address)
        s.listen(1)
        return s
    tries("socket", listen)
def port():
    s = socket.socket()
    s.bind(("127.0.0.1", 47110))
    s.listen(1)
    return s
tries("port", port)
tries("shared memory", lambda: call("shmget", 47110, 4096, 0o1666))
tries("semaphore", lambda: call("semget", 47110, 1, 0o1666))
tries("message queue", lambda: call("msgget", 47110, 0o1666))
tries("POSIX queue", lambda: call("mq_open", b"left", os.O_CREAT | os.O_RDWR, 0o666, 0))
for ring in (-3, -4, -5):  # of the session and of the user
    tries("key", lambda: call("add_key", b"user", b"left", b"x", 1, ring))
tries("name", lambda: call("sethostname", b"left", 4))
import subprocess
subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time\nwhile True: time.sleep(1)"], start_new_session=True)
print(len(left) >= 3)
`
	find = `
import os, socket
found = ["environment"] if "LEFT" in os.environ else []
def tries(name, f):
    try: found.append((name, f()))
    except (OSError, Held): pass
for top in ("/tmp", "/dev/shm", "/dev/mqueue", "/var/tmp", "/run"):
    try: found += os.listdir(top)
    except OSError: pass
for family, address in ((socket.AF_UNIX, b"\0left"), (socket.AF_UNIX, "/tmp/socket"), (socket.AF_INET, ("127.0.0.1", 47110))):
    tries("socket", lambda: socket.socket(family).connect(address))
tries("shared memory", lambda: call("shmget", 47110, 4096, 0o600))
tries("semaphore", lambda: call("semget", 47110, 1, 0o600))
tries("message queue", lambda: call("msgget", 47110, 0o600))
tries("POSIX queue", lambda: call("mq_open", b"left", os.O_RDWR, 0, 0))
for ring in (-3, -4, -5):
    tries("key", lambda: call("keyctl", 10, ring, b"user", b"left", 0))
if os.uname().nodename == "left": found.append("name")
print(found)
`
)

var nothingLeft = check{"nothing of one run reaches the next", func(t *testing.T, s *suite) {
	wantStdout(t, s.exec(t, probeRunner+leave), "True\n")
	wantStdout(t, s.exec(t, probeRunner+find), "[]\n")
}}

var noneSeen = check{"two sandboxes at once do not see each other", func(t *testing.T, s *suite) {
	a, b := s.open(t, sandbox.Limits{}), s.open(t, sandbox.Limits{})
	wantStdout(t, s.execIn(t, a, probeRunner+leave, nil), "True\n")
	wantStdout(t, s.execIn(t, b, probeRunner+find, nil), "[]\n")
}}
