package docker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

const (
	endTimeout   = 250 * time.Millisecond // for a container to be gone when its input has ended
	killTimeout  = 5 * time.Second        // for the engine to take the order to kill
	leaveTimeout = 3 * time.Second        // for it to remove by itself what is dead
	goneTimeout  = 2 * time.Second        // for an engine that went away to come back
	drainTimeout = 200 * time.Millisecond // for what it said last to be read
	oomTimeout   = 2 * time.Second        // for it to say that memory was the reason
	killedCode   = 137                    // exit status after SIGKILL
)

// An instance is one running container.
type instance struct {
	*stream
	claim
	driver *Driver
	id     string // the engine's

	killOnce sync.Once
	killed   chan struct{} // closed by Kill
	done     chan struct{} // closed when exit is set and nothing is left
	exit     sandbox.Exit
}

// Kill ends the container at once and does not wait.
func (i *instance) Kill() {
	i.killOnce.Do(func() { close(i.killed) })
}

// Wait blocks until the container is removed, or for seconds when the engine
// has gone away; what it left is then removed when it is back.
func (i *instance) Wait() sandbox.Exit {
	<-i.done
	return i.exit
}

// watch is the one goroutine that sees an instance to its end.
func (i *instance) watch(w *waiter) {
	defer close(i.done)
	defer i.close()
	killed := false
	result, err := w.next(i.killed, i.ended)
	if err == nil && result == nil {
		select {
		case <-i.killed:
			killed = true
			result, err = i.kill(w)
		default: // it ended by itself
			i.close()
			result, err = i.leave(w, i.killed)
		}
	}
	if err == nil && result.Error != nil { // dead, but the engine could not remove it
		err = fmt.Errorf("removing container: %s", result.Error.Message)
	}
	if err == nil && !killed {
		select { // removed, and maybe not yet read to its end
		case <-i.ended:
		case <-i.killed:
		case <-after(drainTimeout):
		}
	}
	i.exit = sandbox.Exit{Code: -1}
	switch {
	case result != nil && killed:
		i.exit.Code = killedCode // also when the end of its input was enough
	case result != nil:
		i.exit.Code = int(result.StatusCode)
	}
	if err != nil {
		i.clear()
	} else if i.exit.Code == killedCode && !killed {
		i.exit.Memory = i.driver.engine.outOfMemory(i.id)
	}
	if err != nil && !killed {
		fmt.Fprintf(&i.stderr, "\n%v", i.driver.engine.explain("waiting for the container", err))
	}
	i.exit.Detail = i.stderr.String()
}

// kill ends the container and waits for the engine to remove it. Closing the
// stream makes pending reads and writes return, and ends the runner even if
// the engine does not listen any more. What is still there after a while, the
// engine kills. It is not asked at once, because it starts a program to do so,
// and that is a tenth of all it does for a container; see
// docs/decisions/053-docker-starts.md.
func (i *instance) kill(w *waiter) (*container.WaitResponse, error) {
	var closing sync.WaitGroup
	closing.Go(i.close) // which takes a while over ssh
	defer closing.Wait()
	if result, err := w.next(nil, after(endTimeout)); result != nil || err != nil {
		return result, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	// Other errors mean that it is dead already, or that waiting fails too.
	err := i.driver.engine.ContainerKill(ctx, i.id, "SIGKILL")
	if err != nil && ctx.Err() != nil {
		w.stop()
		return nil, err
	}
	return i.leave(w, nil)
}

// leave waits for the engine to remove a container whose streams have ended. If
// it is not gone after a while, it is removed: an engine may be unable to do so
// by itself, and code may have closed the streams and live on.
func (i *instance) leave(w *waiter, hurry <-chan struct{}) (*container.WaitResponse, error) {
	if result, err := w.next(hurry, after(leaveTimeout)); result != nil || err != nil {
		return result, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	i.driver.engine.remove(ctx, i.id)
	result, err := w.next(ctx.Done(), after(goneTimeout))
	if result == nil && err == nil {
		w.stop()
		err = errors.New("the engine does not tell its end")
	}
	return result, err
}

// after is closed when the time is over.
func after(d time.Duration) <-chan struct{} {
	over := make(chan struct{})
	time.AfterFunc(d, func() { close(over) })
	return over
}

// clear removes a container whose engine did not tell how it ended. The engine
// may be on its way back, or never come.
func (i *instance) clear() {
	ctx, cancel := context.WithTimeout(context.Background(), goneTimeout)
	defer cancel()
	for !i.driver.engine.remove(ctx, i.id) {
		select {
		case <-ctx.Done():
			i.driver.orphan(i.claim)
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// A waiter is a request to the engine that is answered when a container has
// been removed.
type waiter struct {
	results  <-chan container.WaitResponse
	failures <-chan error
	cancel   context.CancelFunc
}

// wait returns when the engine is watching the container, or ctx is done.
func (en *engine) wait(ctx context.Context, id string) *waiter {
	// The request outlives ctx, unless ctx ends while it is being made.
	long, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	w := &waiter{cancel: cancel}
	w.results, w.failures = en.ContainerWait(long, id, container.WaitConditionRemoved)
	return w
}

// next returns what the engine answers, or nothing at all when interrupted by
// one of two channels. After an answer there is no other.
func (w *waiter) next(a, b <-chan struct{}) (*container.WaitResponse, error) {
	select {
	case r := <-w.results:
		w.cancel()
		return &r, nil
	case err := <-w.failures:
		w.cancel()
		return nil, err
	case <-a:
		return nil, nil
	case <-b:
		return nil, nil
	}
}

// stop gives up waiting. The client's goroutine ends when its answer, which is
// prompt now, is taken.
func (w *waiter) stop() {
	w.cancel()
	_, _ = w.next(nil, nil)
}

// outOfMemory asks whether memory was why the container was killed. It is gone
// by now, but the engine remembers its latest events; this one may be late.
func (en *engine) outOfMemory(id string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), oomTimeout)
	defer cancel()
	messages, _ := en.Events(ctx, events.ListOptions{
		Since: "1", // the epoch, whatever the engine's clock says
		Filters: filters.NewArgs(
			filters.Arg("container", id),
			filters.Arg("event", string(events.ActionOOM)),
		),
	})
	select {
	case <-messages:
		return true
	case <-ctx.Done():
		return false
	}
}
