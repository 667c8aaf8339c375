//go:build unix

package upstream

import (
	"io"
	"os/exec"
	"strconv"
	"syscall"
)

// guard is a shell that reads from a pipe whose other end only we hold, and kills the
// server's group when the pipe is closed. So the group ends even if our process is
// killed and can end nothing itself; the kernel's death signal reaches only the server
// and not the processes that it started. The guard has a session of its own, so no
// signal that is meant for us reaches it.
type guard struct {
	cmd  *exec.Cmd
	hold io.Closer
}

func (g *guard) start(p *process) {
	cmd := &exec.Cmd{
		Path:        "/bin/sh",
		Args:        []string{"sh", "-c", "read _; kill -9 -" + strconv.Itoa(p.pid)},
		Env:         []string{},
		Dir:         "/",
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	hold, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.log.Debug("starting the guard of the server's process group", "error", err)
		return
	}
	g.cmd, g.hold = cmd, hold
}

// stop ends the guard without letting it act.
func (g *guard) stop() {
	if g.cmd != nil {
		_ = g.cmd.Process.Kill()
		_ = g.cmd.Wait()
		g.hold.Close()
		g.cmd = nil
	}
}
