// Command mcp-code-mode offers an MCP client one tool, run_python, in front of
// any MCP servers: model-written Python runs in a locked-down sandbox, and every
// tool call it makes passes a policy before a server sees it.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor"
)

func main() {
	gvisor.Main() // does not return in a process that gVisor started for itself
	ownDescriptors()
	go beat()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// heartbeat bounds how long the program may stand still for the sake of beat.
const heartbeat = 500 * time.Millisecond

// beat keeps a timer due. As of Go 1.26 a garbage collection that begins in the
// nanoseconds before a thread blocks in a system call, such as the read of the
// client's next message, waits for that call with everything else stopped. (The
// runtime looks for pending collections before it marks the thread as blocked, and
// not after.) The runtime's monitor ends this when it next looks, and while all
// stands still it only does so when a timer is due.
func beat() {
	for range time.Tick(heartbeat) {
	}
}

// run is the whole program but for the exit.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	// A reader that goes away shows as an error from a write, so that what was
	// started is still ended.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	u := newUI(stdin, stdout, stderr)
	root := newRoot(u)
	root.SetArgs(args)
	return u.end(root.ExecuteContext(ctx))
}

// end says what went wrong, if anything, and returns the exit code.
func (u *ui) end(err error) int {
	if err == nil {
		return exitOK
	}
	f := &failure{code: exitFailed}
	errors.As(err, &f)
	if !f.told {
		u.notef("%v", err)
		if next := hint.Of(err); next != "" {
			u.hintf("%s", next)
		}
	}
	return f.code
}
