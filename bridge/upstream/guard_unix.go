//go:build unix

package upstream

import (
	"io"
	"os/exec"
	"strconv"
	"syscall"
)

// guard is a shell that waits, for nothing, on a pipe whose other end only we hold,
// and then kills the server's group. If our process is killed, so that it can end
// nothing itself, the pipe closes and the guard does: the kernel's death signal
// reaches only the server and not what the server started. It lives in a session of
// its own, where no signal meant for us arrives.
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
