package upstream

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcp-code-mode/mcp-code-mode/internal/searchpath"
)

const (
	// How long a server gets to end after each request to do so. MCP asks for a
	// "reasonable time" (Lifecycle, Shutdown, stdio).
	stdinGrace = time.Second
	termGrace  = 2 * time.Second
	// killGrace bounds the wait for the kernel to end a killed process.
	killGrace = 5 * time.Second
	// drainTime is how long the output of a dead server is still read if a process
	// that left its group keeps the pipes open.
	drainTime = time.Second
	// lastWords is how long the report of a server's end waits for its exit status
	// and for what it wrote to stderr last.
	lastWords = 2 * time.Second
)

// process is one started server: its pipes, and the ways to end it together with
// every process it started.
type process struct {
	cmd                   *exec.Cmd
	stdin, stdout, stderr *os.File
	log                   *slog.Logger
	tail                  tail

	pid    int           // its process number
	tree   tree          // what the platform needs to end all of it
	how    string        // says how it ended; valid when exited is closed
	exited chan struct{} // closed when the server and its process group are dead
	quiet  chan struct{} // closed when stderr has been read to its end

	mu     sync.Mutex // guards reaped: the number of a reaped process may belong to another one
	reaped bool
}

// start starts the server. Its environment is exactly c's, or [DefaultEnv].
func start(c *Command, log *slog.Logger) (*process, error) {
	env := c.Env
	if env == nil {
		env = DefaultEnv()
	}
	path, err := find(c.Path, env)
	if err != nil {
		return nil, err
	}
	p := &process{
		log:    log,
		cmd:    &exec.Cmd{Path: path, Args: append([]string{c.Path}, c.Args...), Env: env, Dir: c.Dir},
		exited: make(chan struct{}), quiet: make(chan struct{}),
	}
	theirs, err := p.pipes()
	if err != nil {
		return nil, fmt.Errorf("making pipes: %w", err)
	}
	started := make(chan error)
	go p.own(started)
	err = <-started
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		p.closePipes()
		return nil, fmt.Errorf("executing %q: %w", c.Path, err)
	}
	go p.readStderr()
	return p, nil
}

// pipes makes the three pipes and returns the ends that belong to the server. The pipes
// of exec.Cmd are not used, because its Wait would close stdout before it is read.
func (p *process) pipes() (theirs []*os.File, err error) {
	var in, out, errout *os.File
	for _, pipe := range []struct{ read, write **os.File }{{&in, &p.stdin}, {&p.stdout, &out}, {&p.stderr, &errout}} {
		if *pipe.read, *pipe.write, err = os.Pipe(); err != nil {
			for _, f := range []*os.File{in, out, errout} {
				f.Close() // for a nil file this only returns an error
			}
			p.closePipes()
			return nil, err
		}
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, errout
	return []*os.File{in, out, errout}, nil
}

func (p *process) closePipes() {
	p.stdin.Close()
	p.stdout.Close()
	p.stderr.Close()
}

// own is the goroutine that starts the process and waits for its end. It stays on one
// thread for that time, because the kernel ends the child when the thread that started
// it ends (see tree).
func (p *process) own(started chan<- error) {
	defer lockThread()()
	err := p.tree.start(p)
	started <- err
	if err != nil {
		return
	}
	p.how = p.tree.reap(p)
	// A process that left the group may hold the pipes open for ever.
	_ = p.stdout.SetReadDeadline(time.Now().Add(drainTime))
	_ = p.stderr.SetReadDeadline(time.Now().Add(drainTime))
	close(p.exited)
}

// signal sends sig to the server and everything in its group.
func (p *process) signal(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		p.tree.signal(p, sig)
	}
}

func (p *process) wait(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// end ends the server in the steps that MCP gives for stdio, and returns when nothing
// of it is left. The writer of stdin has closed it before. rest are the descendants that
// the server had at that time.
func (p *process) end(rest relatives) {
	// First the client closes the server's input and gives it time to end itself.
	if !p.wait(stdinGrace) {
		// A server that has not ended by then is asked to with SIGTERM,
		p.signal(syscall.SIGTERM)
		if !p.wait(termGrace) {
			// and one that has not ended some time after that is killed.
			p.log.Warn("the server ignored the end of its input and SIGTERM; killing it")
			p.signal(syscall.SIGKILL)
			p.wait(killGrace)
		}
	}
	rest.kill() // those that had left the group
	p.stdout.Close()
	p.stderr.Close()
	<-p.quiet
}

// hangUp makes the reader of stdout stop.
func (p *process) hangUp() { _ = p.stdout.SetReadDeadline(time.Now()) }

// obituary returns the error that says how the server ended. Its stdout has ended before.
func (p *process) obituary() error {
	if !p.wait(lastWords) {
		return &deathError{how: "it closed a pipe"}
	}
	select {
	case <-p.quiet: // the tail now holds its last lines
	case <-time.After(lastWords):
	}
	return &deathError{how: p.how, stderr: p.tail.String()}
}

// deathError is how a server ended.
type deathError struct{ how, stderr string }

func (e *deathError) Error() string {
	if e.stderr == "" {
		return "the server ended (" + e.how + ")"
	}
	return "the server ended (" + e.how + "), its stderr with:\n" + e.stderr
}

func (e *deathError) Is(target error) bool { return target == ErrUnavailable }

// readStderr keeps the end of what the server writes to stderr and logs it.
func (p *process) readStderr() {
	defer close(p.quiet)
	r := bufio.NewReaderSize(p.stderr, maxStderrLine)
	for {
		line, err := r.ReadSlice('\n')
		if s := oneLine(string(line), maxStderrLine); s != "" {
			p.tail.add(s)
			p.log.Debug("stderr of the server", "line", s)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

const (
	maxStderrLine  = 500 // longer lines are split
	maxStderrLines = 20  // kept of a server's stderr
)

// tail is the end of a server's stderr.
type tail struct {
	mu    sync.Mutex
	lines []string // the last ones, at most maxStderrLines
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == maxStderrLines {
		t.lines = append(t.lines[:0], t.lines[1:]...)
	}
	t.lines = append(t.lines, line)
}

// String returns the lines, indented.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return ""
	}
	return "  " + strings.Join(t.lines, "\n  ")
}

// find returns the path of the program as the server's own environment has it: a
// name without a slash is looked up in the PATH of env, not in ours.
func find(name string, env []string) (string, error) {
	if name == "" {
		return "", &OptionError{"Command.Path", "it is empty"}
	}
	if searchpath.IsPath(name) {
		return name, nil
	}
	path := ""
	for _, kv := range env {
		if k, v, _ := strings.Cut(kv, "="); k == "PATH" || runtime.GOOS == "windows" && strings.EqualFold(k, "PATH") {
			path = v // the last one counts, as for exec.Cmd
		}
	}
	return searchpath.Find(name, path)
}
