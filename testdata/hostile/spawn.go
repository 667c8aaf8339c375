package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// sleeper is how a test finds the processes that spawn starts.
const sleeper = "471147"

// spawn starts a process that outlives us unless somebody ends it. It keeps our
// stdout and stderr open.
func spawn(detached bool) {
	cmd := exec.CommandContext(context.Background(), "sleep", sleeper)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: detached}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, "child", cmd.Process.Pid)
}

// daemon starts a process as daemons start themselves: in a session of its own, and
// left by its parent.
func daemon() {
	exe, err := os.Executable()
	if err == nil {
		cmd := &exec.Cmd{Path: exe, Args: []string{daemonName}, Stdout: os.Stdout, Stderr: os.Stderr}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		err = cmd.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// suicide dies as a crash or the kernel would have it.
func suicide() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
