package keeper

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/bridge/upstream/internal/keep"
)

// startTime bounds the wait for a keeper's word about the start.
const startTime = 10 * time.Second

// ErrNone is returned, wrapped, where there can be no keeper.
var ErrNone = errors.New("no keeper could be started")

// A Keeper is the keeper of one server.
type Keeper struct {
	Server int // its process number

	cmd    *exec.Cmd
	orders *os.File // what to do; that it ends says to end everything
	report *os.File
	lines  *bufio.Reader
}

// Start starts the command of a server, which is not started itself, below a
// keeper. An error that is not [ErrNone] is the command's.
func Start(server *exec.Cmd) (*Keeper, error) {
	if !executable() {
		return nil, fmt.Errorf("%w: this is no program of its own", ErrNone)
	}
	theirOrders, orders, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	report, theirReport, err := os.Pipe()
	if err != nil {
		theirOrders.Close()
		orders.Close()
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	k := &Keeper{orders: orders, report: report, lines: bufio.NewReader(report), cmd: &exec.Cmd{
		Path: "/proc/self/exe", Args: append([]string{keep.Name, server.Path}, server.Args...),
		Env: server.Env, Dir: server.Dir,
		Stdin: server.Stdin, Stdout: server.Stdout, Stderr: server.Stderr,
		ExtraFiles: []*os.File{theirOrders, theirReport}, // in this order
		// A session of its own, where no signal meant for us arrives.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}}
	err = k.cmd.Start()
	theirOrders.Close()
	theirReport.Close()
	if err != nil {
		k.close()
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	if err := k.started(server.Path); err != nil {
		return nil, err
	}
	return k, nil
}

// started waits for word from the keeper.
func (k *Keeper) started(path string) error {
	_ = k.report.SetReadDeadline(time.Now().Add(startTime))
	number, err := k.read()
	_ = k.report.SetReadDeadline(time.Time{})
	if err == nil && number > 0 {
		k.Server = int(number)
		return nil
	}
	_ = k.cmd.Process.Kill()
	_ = k.cmd.Wait()
	k.close()
	if err == nil && number < 0 {
		return &os.PathError{Op: "fork/exec", Path: path, Err: syscall.Errno(-number)}
	}
	return fmt.Errorf("%w: it said nothing", ErrNone)
}

func (k *Keeper) read() (number int64, err error) {
	line, err := k.lines.ReadString('\n')
	if err == nil {
		_, err = fmt.Sscan(line, &number)
	}
	return number, err
}

// Terminate asks the server and its group to end. It must not be called after Wait
// has returned.
func (k *Keeper) Terminate() { _, _ = k.orders.Write([]byte{keep.Terminate}) } // it may be ending

// Kill has the server and all that came of it killed.
func (k *Keeper) Kill() { k.orders.Close() }

// Wait returns when the server and all that came of it are gone, and says how the
// server ended.
func (k *Keeper) Wait() (how string) {
	number, err := k.read()
	_ = k.cmd.Wait()
	k.close()
	if err != nil {
		return "it was lost: " + k.cmd.ProcessState.String()
	}
	status := syscall.WaitStatus(number)
	switch {
	case status.Exited():
		return fmt.Sprintf("exit status %d", status.ExitStatus())
	case status.CoreDump():
		return fmt.Sprintf("signal: %v (core dumped)", status.Signal())
	}
	return fmt.Sprintf("signal: %v", status.Signal())
}

// PID is the keeper's own process number.
func (k *Keeper) PID() int { return k.cmd.Process.Pid }

func (k *Keeper) close() {
	k.orders.Close()
	k.report.Close()
}

// executable reports whether the program that runs is one that initializes this
// package, and not one that has loaded us as a library: that one must not be
// executed a second time.
var executable = sync.OnceValue(func() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-buildmode" {
			return s.Value == "exe" || s.Value == "pie"
		}
	}
	return true
})
