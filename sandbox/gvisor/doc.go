// Package gvisor runs sandboxes on the gVisor kernel that is linked into this
// program: no engine, no daemon, no root needed. Linux on amd64 and arm64 only;
// elsewhere New and Probe return ErrUnsupported and no gVisor code is linked.
//
// # What runs
//
// One sandbox is one child process, the sentry: this very executable, started
// again as gVisor's "boot" command in user, PID, mount, network, IPC and UTS
// namespaces of its own, as nobody, in an empty chroot, without capabilities and
// behind gVisor's seccomp filter. The hostile Python runs in further processes
// of that PID namespace, which can do nothing but trap into the sentry.
//
//	us ── control socket, closed before Python's code arrives
//	│ ╲── stdin, stdout, stderr: pipes
//	╰── sentry (init of its PID namespace) ── Python's address spaces
//	         ╰── root file system: one read-only descriptor of an EROFS image
//
// There is no file server process, because the root file system is one image
// file that the sentry maps; no directory of the host is ever visible. There is
// no bundle on disk, no container state and no mount in our own namespace.
// Killing the sentry kills, by the kernel's rule for the first process of a PID
// namespace, every process of the sandbox before it can be waited for. So
// nothing is left to clean up but a control group where there is one.
//
// # What ends it
//
// The sentry dies with the thread of ours that started it (PR_SET_PDEATHSIG), so
// also when this process is killed, and the runner ends at the end of its
// standard input.
package gvisor
