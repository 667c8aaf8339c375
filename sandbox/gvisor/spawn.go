//go:build linux && (amd64 || arm64)

package gvisor

import (
	"errors"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// spawner is one thread that starts all sentries of a driver. The kernel sends a
// child its parent-death signal when the thread that made it ends, so that
// thread must live as long as the driver; a goroutine's would not.
type spawner struct {
	state    *stateDir // kept from being collected, which would release its lock
	requests chan spawnRequest
	done     chan struct{}
}

type spawnRequest struct {
	cmd     *exec.Cmd
	cgroups *cgroups
	result  chan error
}

func newSpawner(state *stateDir) *spawner {
	s := &spawner{state: state, requests: make(chan spawnRequest), done: make(chan struct{})}
	locked := make(chan struct{})
	go s.run(locked)
	<-locked
	return s
}

// run serves requests on a thread that ends with it. It closes locked when it
// has that thread.
func (s *spawner) run(locked chan struct{}) {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		// The process's first thread cannot end before the process, and other programs
		// take its control groups and processors for those of the process. While this
		// goroutine holds it, the next goroutine gets another thread.
		go s.run(locked)
		<-locked
		runtime.UnlockOSThread()
		return
	}
	close(locked)
	defer close(s.done) // and never unlock
	for r := range s.requests {
		err := r.cgroups.apply(r.cmd)
		if err == nil {
			err = r.cmd.Start()
		}
		r.result <- errors.Join(err, r.cgroups.leave())
	}
}

// start starts cmd in these control groups. When it returns an error, cmd may still have
// been started; then cmd.Process is set. It must not be called after close.
func (s *spawner) start(cmd *exec.Cmd, groups *cgroups) error {
	r := spawnRequest{cmd, groups, make(chan error, 1)}
	s.requests <- r
	return <-r.result
}

// close ends the thread, and with it every sentry still running.
func (s *spawner) close() {
	close(s.requests)
	<-s.done
}
