// Package pid1 makes the first process of a container: a program of a few
// hundred instructions that starts the runner and ends the container when the
// host is gone, whatever the code in it does.
//
// It alone holds the input of the container. It reads all that comes and passes
// it on through a pipe, so it sees the end of the input at once, also when nobody
// inside reads. The input ends when our process dies, by whatever way: its
// connection to the engine closes, and with it the input. When the first process
// of a PID namespace ends, the kernel kills all others, whether they block
// signals, have left their session, or hold the interpreter.
//
// The code has the same user id and must not be able to stop this process:
//   - it has no handler for any signal, so the kernel drops those from inside,
//     SIGKILL and SIGSTOP among them (pid_namespaces(7)). With gVisor as the runtime
//     they end it, except for those that would stop it: see rules;
//   - it is not dumpable, so nobody inside may trace it, read or write its memory,
//     or take or reopen its descriptors (ptrace(2), proc(5)). Whoever could open the
//     input for writing would keep it from ending;
//   - nobody may change how it is scheduled: see rules;
//   - limits that are set on it (prlimit(2)) make its calls fail, and then it ends.
package pid1

import "github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/tinyelf"

// Exit statuses of the container, when they are not the runner's own. A runner that
// was ended by a signal has 128 and its number, as in shells.
const (
	HostGone = 0  // the input has ended
	Overfull = 75 // more input than MaxUnread came and nobody read it
	Failed   = 76 // a system call failed that never should
	NotFound = 127
)

// MaxUnread is how much input is kept, in bytes, until the runner reads it. It
// takes memory only while it is there. Replies to all calls that may be under way
// at once are less: with more, it is code that does not read and goes on calling.
const MaxUnread = 64 << 20 // a power of two

// pipeSize is what either pipe may hold, in bytes, where the kernel allows that.
const pipeSize = 256 << 10

// System calls, and arguments with the same value on every architecture.
var (
	sysRead    = tinyelf.Call{AMD64: 0, ARM64: 63}
	sysWrite   = tinyelf.Call{AMD64: 1, ARM64: 64}
	sysClose   = tinyelf.Call{AMD64: 3, ARM64: 57}
	sysMask    = tinyelf.Call{AMD64: 14, ARM64: 135} // rt_sigprocmask
	sysClone   = tinyelf.Call{AMD64: 56, ARM64: 220}
	sysExec    = tinyelf.Call{AMD64: 59, ARM64: 221} // execve
	sysWait    = tinyelf.Call{AMD64: 61, ARM64: 260} // wait4
	sysFcntl   = tinyelf.Call{AMD64: 72, ARM64: 25}
	sysPrctl   = tinyelf.Call{AMD64: 157, ARM64: 167}
	sysExit    = tinyelf.Call{AMD64: 231, ARM64: 94} // exit_group
	sysPoll    = tinyelf.Call{AMD64: 271, ARM64: 73} // ppoll
	sysSignals = tinyelf.Call{AMD64: 289, ARM64: 74} // signalfd4
	sysDup     = tinyelf.Call{AMD64: 292, ARM64: 24} // dup3
	sysPipe    = tinyelf.Call{AMD64: 293, ARM64: 59} // pipe2
)

const (
	closeOnExec   = 0x80000 // O_CLOEXEC, SFD_CLOEXEC
	nonBlocking   = 0x800   // O_NONBLOCK, SFD_NONBLOCK
	setDumpable   = 4       // PR_SET_DUMPABLE
	setFilter     = 22      // PR_SET_SECCOMP
	noPrivileges  = 38      // PR_SET_NO_NEW_PRIVS
	filterMode    = 2       // SECCOMP_MODE_FILTER
	setFlags      = 4       // F_SETFL
	setPipeSize   = 1031    // F_SETPIPE_SZ
	block         = 0       // SIG_BLOCK
	unblock       = 1       // SIG_UNBLOCK
	childSignal   = 17      // SIGCHLD
	pipeSignal    = 13      // SIGPIPE, which comes with an error of write
	stopSignal    = 19      // SIGSTOP; the next three stop a process too, unless it blocks them
	setSignal     = 10      // F_SETSIG
	noHang        = 1       // WNOHANG
	interrupted   = -4      // EINTR
	wouldBlock    = -11     // EAGAIN
	pollIn        = 1 << 32 // POLLIN and POLLOUT in the word that a struct pollfd is:
	pollOut       = 4 << 32 // descriptor, events wanted and, topmost, events seen
	signalInfo    = 128     // size of a struct signalfd_siginfo
	timeSpec      = 16      // size of a struct timespec
	maskSize      = 8       // of a signal mask
	standardInput = 0
)

// Program is the executable for an architecture, in Go's words. Its arguments
// are the command to run, beginning with the path of its program; the environment
// of the command is env and nothing else.
func Program(arch string, env []string) ([]byte, error) {
	calls, err := filter(arch)
	if err != nil {
		return nil, err
	}
	return tinyelf.Assemble(arch, func(p *tinyelf.Program) { write(p, calls, env) })
}
