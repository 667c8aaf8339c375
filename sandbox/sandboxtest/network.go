package sandboxtest

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// networkProbes: sockets of every kind. Whatever the kernel would say to one, the
// sandbox's answer comes before it, and is that there is no such family.
var networkProbes = []probe{
	{"open a socket of the internet", sockets("2, 10"), innerNetwork},
	{"open a socket to the kernel", sockets("16"), innerNetwork},
	{"open a socket for packets", sockets("17"), innerNetwork},
	{"open a socket to the hypervisor", sockets("40"), ""},
	{"open a socket of any other family", sockets("*(n for n in range(64) if n not in (1, 2, 10, 16, 17, 40)), 255, 1 << 31"), ""},
	{"hide a socket's family from a filter", sockets("*(high | n for n in (2, 10, 16, 40) for high in (1 << 32, 1 << 63, 0xffffffff << 32))"), innerNetwork},
	{"make a pair of sockets of another family", `
return each(lambda n=n, kind=kind: opened("socketpair", n, kind, 0, room(b"", 8)) for n in range(64) if n != 1 for kind in KINDS)`, innerNetwork},
	{"see the host's sockets and interfaces", `
told = []
for name in ("tcp", "tcp6", "udp", "udp6", "unix", "packet", "arp", "route", "dev"):
    try: lines = open("/proc/net/" + name).read().splitlines()[2 if name == "dev" else 1:]
    except OSError: continue
    # A socket without a name is one of the sandbox's own, and so is the loopback.
    told += [line for line in lines if not (name == "unix" and len(line.split()) < 8 or name == "dev" and line.split()[0] == "lo:")]
if not told: raise Held("none")
return told[:3]`, ""},
	{"reach the host's own sockets by an abstract name", `
def reach(name):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(1)
    try: s.connect(b"\0" + name)
    except ConnectionRefusedError: raise Held("nobody there")
    return name
return each(lambda name=name: reach(name) for name in (b"sandboxtest-host", b"/tmp/.X11-unix/X0", b"/tmp/dbus-", b"/containerd-shim/"))`, ""},
}

const innerNetwork = "the sandbox's network stack is in the inner kernel and joined to nothing"

// sockets is code that asks for sockets of these families, in every type.
func sockets(families string) string {
	return `return each(lambda n=n, kind=kind: opened("socket", n, kind, 0) for n in (` + families + `,) for kind in KINDS)`
}

// noNetwork tries to open sockets, and to reach whoever may listen.
var noNetwork = check{"no network", func(t *testing.T, s *suite) {
	var reached atomic.Bool
	web := httptest.NewUnstartedServer(http.NotFoundHandler())
	web.Config.ConnState = func(net.Conn, http.ConnState) { reached.Store(true) }
	web.Start()
	defer web.Close()
	s.reach(t, web.Listener.Addr().(*net.TCPAddr).Port)
	listener, err := net.Listen("unix", "@sandboxtest-host") // for one of the probes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	})
	s.tryAll(t, networkProbes)
	if reached.Load() {
		t.Error("the sandbox reached a port of the host")
	}
}}

// reach has code look for anybody to talk to.
func (s *suite) reach(t *testing.T, port int) {
	t.Helper()
	o := s.exec(t, fmt.Sprintf(`
import socket
for address in [('127.0.0.1', %d), ('1.1.1.1', 53), ('8.8.8.8', 443), ('172.17.0.1', 22), ('169.254.169.254', 80), ('10.0.0.1', 80)]:
    try:
        socket.create_connection(address, timeout=2)
    except OSError:
        pass
    else:
        print('reached', address)
for host in ('example.com', 'localhost.localdomain', 'host.docker.internal'):
    try: socket.getaddrinfo(host, 80)
    except OSError: pass
    else: print('resolved', host)
try:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as u:
        u.settimeout(1)
        u.sendto(b'x', ('1.1.1.1', 53))
        u.recvfrom(1)
    print('sent a datagram')
except OSError: pass
try: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
except OSError: pass
else: print('raw socket')
try: routes = open('/proc/net/route').read().splitlines()[1:]
except OSError: routes = []
assert all(r.startswith('lo') for r in routes), routes
print('ok')
`, port))
	wantStdout(t, o, "ok\n")
}
