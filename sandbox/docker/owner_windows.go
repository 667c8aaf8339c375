package docker

import (
	"errors"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/windows"
)

// hostIdentity names what process ids, with their start, are unique in.
var hostIdentity = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	return digestOf([]byte(name))[:16]
})

// processStart reports whether the process is alive, and when it started;
// empty when that cannot be known.
func processStart(pid int) (start string, alive bool) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", !errors.Is(err, windows.ERROR_INVALID_PARAMETER) // which is: no such process
	}
	defer windows.CloseHandle(h)
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return "", true
	}
	if exited.Nanoseconds() > created.Nanoseconds() {
		return "", false
	}
	return strconv.FormatInt(created.Nanoseconds(), 10), true
}
