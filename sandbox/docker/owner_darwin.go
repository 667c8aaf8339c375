package docker

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// hostIdentity names what process ids are unique in.
var hostIdentity = sync.OnceValue(func() string {
	boot, _ := unix.Sysctl("kern.bootsessionuuid")
	name, _ := os.Hostname()
	return digestOf([]byte(name + "\x00" + boot))[:16]
})

// processStart reports whether the process is alive, and when it started;
// empty when that cannot be known.
func processStart(pid int) (start string, alive bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	}
	return fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec), true
}
