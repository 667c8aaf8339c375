// Package gvisor runs sandboxes on the gVisor kernel that is linked into this
// program: no engine, no daemon, no root needed. Linux on amd64 and arm64 only;
// elsewhere New and Probe return ErrUnsupported and no gVisor code is linked.
//
// # What runs
//
// One sandbox is one child process, the sentry: this very executable, started
// again as gVisor's "boot" command in user, PID, mount, network, IPC and UTS
// namespaces of its own, in an empty chroot, without capabilities and behind
// gVisor's seccomp filter. If root starts it, each sentry is a user of its own on the
// host, so two sandboxes share nothing that the kernel counts or permits by user. If an
// ordinary user starts it, each sentry is that user. Inside a sandbox, the user is always
// nobody. The hostile Python runs in further processes of that PID namespace, which can
// do nothing but trap into the sentry.
//
//	us ── control socket, closed before Python's code arrives
//	│ ╲── stdin, stdout, stderr: pipes
//	╰── sentry (init of its PID namespace) ── Python's address spaces
//	         ╰── root file system: one read-only descriptor of an EROFS image
//
// There is no file server process, because the root file system is one image
// file that the sentry maps; no directory of the host is ever visible. There is
// no bundle on disk, no container state and no mount in our own namespace.
// Killing the sentry kills, as the kernel does with the first process of a PID
// namespace, every process of the sandbox before it can be waited for. So
// nothing is left to clean up but a control group where there is one.
//
// # How it starts fast
//
// The first driver on a machine starts one sandbox, waits until its runner has
// imported everything and asks for its first line, and has gVisor write the
// state of its kernel to the cache. Sandboxes then start by restoring that
// snapshot: half of the time of a start from the beginning. No foreign code has
// run in it. Everything that differs between sandboxes is set after the restore: pipes,
// the clock, and random values that are asked of the kernel. Random values that Python
// took before the snapshot are the same in all sandboxes: the seed of its string
// hashes. A snapshot belongs to one build of the program, one root, one set of limits
// and one kind of processor. A snapshot that does not work is dropped, and sandboxes
// start from the beginning.
//
// The sentry is the same program as its starter, executed again. So it has to
// initialise every package that is linked into that program. A build with the tag
// embed_runsc contains a second program with nothing but gVisor, and starts sentries
// from that one.
//
// # Limits
//
// Processes, descriptors, file sizes and the address space of each process are
// limits of gVisor's own kernel. The memory of all processes of a sandbox, and
// that of its sentry, is measured from outside, see watchdog, and bounded by a
// control group where one can be made. The processes' code runs on as many
// processors as the sandbox may use; the sentry works beside it.
//
// # What ends it
//
// The sentry dies with the thread of ours that started it (PR_SET_PDEATHSIG), so
// also when this process is killed, and the runner ends at the end of its
// standard input.
package gvisor
