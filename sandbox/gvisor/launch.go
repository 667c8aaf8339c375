//go:build linux && (amd64 || arm64)

package gvisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
)

// stdio are our ends of the runner's standard streams.
type stdio struct{ in, out, err *os.File }

// sentryFiles are the sentry's ends of everything that is made for it alone.
type sentryFiles struct{ spec, listener, null, in, out, err *os.File }

func (f *sentryFiles) list() []*os.File {
	return []*os.File{f.spec, f.listener, f.null, f.in, f.out, f.err}
}

// command is the sentry's process, ready to be started: as nobody in namespaces of its
// own, which is the given user on the host. These are the attributes that runsc gives its
// sandbox process when it needs neither the host's file system nor its network, except
// that the sentry gets no CAP_SYS_PTRACE. The sentry drops the other capabilities before
// it reads anything.
func command(exe string, argv []string, u *user, root *os.File, f *sentryFiles) *exec.Cmd {
	return &exec.Cmd{
		Path:       exe,
		Args:       argv,
		Env:        sentryEnv,
		Dir:        "/",
		Stdin:      f.null,
		Stdout:     f.null,
		Stderr:     f.err,
		ExtraFiles: []*os.File{f.spec, f.listener, f.null, root, f.in, f.out, f.err}, // fdSpec and on
		SysProcAttr: &syscall.SysProcAttr{
			Setsid: true,
			Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS |
				unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
			Credential:  &syscall.Credential{Uid: nobody, Gid: nobody},
			UidMappings: []syscall.SysProcIDMap{{ContainerID: nobody, HostID: u.uid, Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: nobody, HostID: u.gid, Size: 1}},
			// For the empty chroot, and to clear the bounding set.
			AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT, unix.CAP_SETPCAP},
			Pdeathsig:   syscall.SIGKILL,
		},
	}
}

// sentryEnv is the whole environment of the sentry; nothing of it is visible inside the
// sandbox. By default the garbage collector would run several times during a start. With
// these settings it waits until there is more to collect, and runs more often again long
// before sentryMemory is reached. By default the Go runtime would also keep files of the
// host's control groups open, to follow a quota; gVisor sets the number of threads itself.
var sentryEnv = []string{"GOGC=400", "GOMEMLIMIT=64MiB", "GODEBUG=containermaxprocs=0,updatemaxprocs=0"}

// describe adds to an error the machine's own output, and what can be done about the
// error.
func describe(err error, detail string) error {
	if detail == "" {
		return err
	}
	err = fmt.Errorf("%w: %s", err, detail)
	const restrict = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
	if text, readErr := os.ReadFile(restrict); readErr == nil && os.Geteuid() != 0 &&
		strings.TrimSpace(string(text)) == "1" && strings.Contains(detail, "chroot") {
		return hint.Error(err, "AppArmor lets an ordinary user's namespaces do nothing here: "+
			"sysctl kernel.apparmor_restrict_unprivileged_userns=0, a profile for this program, or --sandbox docker")
	}
	return err
}

// startError explains why a process in new namespaces could not be started.
func startError(err error) error {
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EUSERS):
		err = fmt.Errorf("making user and PID namespaces: %w", err)
		return hint.Error(err, "user namespaces are turned off here: see sysctl user.max_user_namespaces, "+
			"kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns, or use --sandbox docker")
	case errors.Is(err, unix.EACCES):
		return hint.Error(err, "the sandbox is a user of its own, who must be able to execute this program: chmod o+rx")
	}
	return err
}

// specFile holds the specification as JSON, in memory.
func specFile(spec any) (*os.File, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("config.json", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("making specification: %w", err)
	}
	f := os.NewFile(uintptr(fd), "config.json")
	if _, err := f.Write(text); err != nil {
		f.Close()
		return nil, fmt.Errorf("making specification: %w", err)
	}
	return f, nil
}

// inputPipe is what the runner's input holds, in bytes: several large results at once.
const inputPipe = 256 << 10

// pipes makes the runner's standard streams.
func pipes(ours *stdio, theirs *sentryFiles) error {
	for _, p := range []struct{ read, write **os.File }{
		{&theirs.in, &ours.in}, {&ours.out, &theirs.out}, {&ours.err, &theirs.err},
	} {
		var err error
		if *p.read, *p.write, err = os.Pipe(); err != nil {
			return fmt.Errorf("making pipes: %w", err)
		}
	}
	raw, err := ours.in.SyscallConn()
	if err != nil {
		return fmt.Errorf("making pipes: %w", err)
	}
	// If the user has too many large pipes already, this one keeps its size.
	return raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, inputPipe) })
}
