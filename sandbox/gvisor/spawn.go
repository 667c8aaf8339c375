//go:build linux && (amd64 || arm64)

package gvisor

import (
	"errors"
	"os/exec"
	"runtime"
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
	cmd    *exec.Cmd
	place  *placement
	result chan error
}

func newSpawner(state *stateDir) *spawner {
	s := &spawner{state: state, requests: make(chan spawnRequest), done: make(chan struct{})}
	go s.run()
	return s
}

func (s *spawner) run() {
	// Never unlocked: the thread ends with this goroutine.
	runtime.LockOSThread()
	defer close(s.done)
	for r := range s.requests {
		err := r.place.apply(r.cmd)
		if err == nil {
			err = r.cmd.Start()
		}
		r.result <- errors.Join(err, r.place.leave())
	}
}

// start starts cmd in its place. When it returns an error, cmd may still have
// been started; then cmd.Process is set. It must not be called after close.
func (s *spawner) start(cmd *exec.Cmd, place *placement) error {
	r := spawnRequest{cmd, place, make(chan error, 1)}
	s.requests <- r
	return <-r.result
}

// close ends the thread, and with it every sentry still running.
func (s *spawner) close() {
	close(s.requests)
	<-s.done
}
