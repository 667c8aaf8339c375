//go:build linux && (amd64 || arm64)

package runsc

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/runsc/specutils"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/tinyelf"
)

// useSmallUmounter lets the program of a dozen instructions below unmount /proc
// once the sentry is up, instead of this whole program, executed a second time
// only to wait and then make one system call. gVisor executes what
// specutils.ExePath names; a sentry that drops its capabilities in place, as
// ours do, executes nothing else.
//
// Where the host forbids executing memory files, it stays with this program.
func useSmallUmounter() {
	fd, err := unix.MemfdCreate("umount", unix.MFD_CLOEXEC|unix.MFD_EXEC)
	if err != nil { // EINVAL from a kernel before 6.3, which does not know MFD_EXEC
		if fd, err = unix.MemfdCreate("umount", unix.MFD_CLOEXEC); err != nil {
			return
		}
	}
	// Above the descriptors that the child is given.
	high, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 64)
	_ = unix.Close(fd)
	if err != nil {
		return
	}
	path := "/proc/self/fd/" + strconv.Itoa(high)
	if err := os.WriteFile(path, tinyelf.UmountProc(), 0); err != nil {
		return
	}
	if err := unix.Access(path, unix.X_OK); err != nil {
		return
	}
	specutils.ExePath = path
}
