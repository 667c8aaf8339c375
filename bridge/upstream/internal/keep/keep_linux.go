package keep

import (
	"errors"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Name is what a keeper is started as. Its arguments are the path of the server's
// program and all of that one's arguments, the first included.
const Name = "mcp-code-mode-keeper"

// Descriptors of a keeper, besides the server's own three.
const (
	orders = 3 // what is to be done; ends when whoever wants the server does
	report = 4 // how the start went, and how the server ended
)

// Terminate is the order to send SIGTERM to the server and its group.
const Terminate = 't'

// How long a keeper goes on killing what does not die, and how often it looks.
const (
	killTime  = 10 * time.Second
	killPause = time.Millisecond
)

// Of the kernel's interface, what package syscall does not name. Package unix would
// come later than much of a large program.
const (
	prSetChildSubreaper = 36
	pAll                = 0
	wNoWait             = 0x01000000
	sizeofSiginfo       = 128
)

func init() {
	if len(os.Args) > 2 && os.Args[0] == Name {
		os.Exit(keep(os.Args[1], os.Args[2:]))
	}
}

// keeping is what a keeper knows of its server.
type keeping struct {
	server int

	mu     sync.Mutex // guards reaped: a reaped process's number may be somebody else's
	reaped bool
	sweep  sync.Once
}

// keep is all of a keeper's life. On the report it writes the server's process
// number, or the negative number of the error that kept it from starting, and at
// the end how the server ended, as wait(2) puts it: a line each.
func keep(path string, argv []string) int {
	syscall.CloseOnExec(orders)
	syscall.CloseOnExec(report)
	if _, _, no := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); no != 0 {
		return 1
	}
	// The thread is the main one, which ends with the process: if the keeper is
	// killed, the kernel kills the server.
	server, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Env: syscall.Environ(), Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		var number syscall.Errno
		_ = errors.As(err, &number)
		say(-int(number))
		return 1
	}
	say(server)
	letGo()
	k := &keeping{server: server}
	go k.obey()
	k.reap()
	return 0
}

// say writes a line of the report. Whoever wants it may be gone.
func say(number int) {
	_, _ = syscall.Write(report, strconv.AppendInt(nil, int64(number), 10))
	_, _ = syscall.Write(report, []byte("\n"))
}

// letGo gives up what is the server's: its pipes, which must end with it, and the
// directory it was started in.
func letGo() {
	_ = syscall.Chdir("/")
	for fd := range 3 {
		_ = syscall.Close(fd)
	}
	for range 3 { // the lowest numbers that are free
		_, _ = syscall.Open("/dev/null", syscall.O_RDWR, 0)
	}
}

// obey does what it is told, and ends everything when there is nobody to tell.
func (k *keeping) obey() {
	var order [1]byte
	for {
		n, err := syscall.Read(orders, order[:])
		switch {
		case errors.Is(err, syscall.EINTR):
		case n <= 0:
			k.sweep.Do(killAll)
			return
		case order[0] == Terminate:
			k.mu.Lock()
			if !k.reaped {
				_ = syscall.Kill(-k.server, syscall.SIGTERM)
			}
			k.mu.Unlock()
		}
	}
}

// reap waits until no process is left, and reports how the server ended when it has.
func (k *keeping) reap() {
	for {
		// Looked at before it is taken: until then the number is the server's.
		var info [sizeofSiginfo]byte
		_, _, no := syscall.Syscall6(syscall.SYS_WAITID, pAll, 0, uintptr(unsafe.Pointer(&info)), syscall.WEXITED|wNoWait, 0, 0)
		if no == syscall.EINTR {
			continue
		}
		if no != 0 {
			return // ECHILD: nobody is left
		}
		var ended syscall.WaitStatus
		k.mu.Lock()
		pid, _ := syscall.Wait4(-1, &ended, syscall.WNOHANG, nil)
		k.reaped = k.reaped || pid == k.server
		k.mu.Unlock()
		if pid == k.server {
			say(int(ended))
			go k.sweep.Do(killAll)
		}
	}
}

// killAll kills every process below this one, again and again: each time, what has
// lost its parent comes nearer, and what was forked meanwhile is found. The process
// ends when nothing is left, or with what cannot be killed.
func killAll() {
	for deadline := time.Now().Add(killTime); time.Now().Before(deadline); time.Sleep(killPause) {
		for pid := range Below(os.Getpid()) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	os.Exit(1)
}
