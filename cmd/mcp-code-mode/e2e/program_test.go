//go:build linux

package e2e

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	dockerapi "github.com/docker/docker/client"
)

// A place is where the programs of one test live. Nothing else uses its folders,
// so whatever is in them, these programs left there.
type place struct {
	t                    *testing.T
	home, tmp, run, work string
	cache                string
	engine               *dockerapi.Client // that its programs use; nil if there is none

	// What programs had while they ran, noted by started.look.
	mounts, groups map[string]bool
}

func newPlace(t *testing.T) *place {
	t.Helper()
	root := t.TempDir()
	p := &place{t: t, cache: built.cache, engine: usualEngine(), mounts: map[string]bool{}, groups: map[string]bool{}}
	for name, dir := range map[string]*string{"home": &p.home, "tmp": &p.tmp, "run": &p.run, "work": &p.work} {
		*dir = filepath.Join(root, name)
		if err := os.Mkdir(*dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// write makes a file in the working directory and returns its path.
func (p *place) write(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.work, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// A command says how the program is started.
type command struct {
	args    []string
	env     []string // changes to the place's environment: NAME=value, or NAME to remove it
	dir     string   // default: the place's working directory
	user    string   // id; default: ours
	through []string // a program that in the end becomes the one under test
	program string   // default: the one that was built
}

func (p *place) environment(changes []string) []string {
	vars := map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": p.home, "TMPDIR": p.tmp, "XDG_RUNTIME_DIR": p.run,
		"MCP_CODE_MODE_CACHE_DIR": p.cache, "LANG": "C.UTF-8",
	}
	for _, name := range []string{"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			vars[name] = value
		}
	}
	for _, change := range changes {
		name, value, set := strings.Cut(change, "=")
		if set {
			vars[name] = value
		} else {
			delete(vars, name)
		}
	}
	var env []string
	for name, value := range vars {
		env = append(env, name+"="+value)
	}
	return env
}

// A started program, and the nurse that watches over it.
type started struct {
	t      *testing.T
	place  *place
	nurse  *exec.Cmd
	pid    int
	stderr *buffer

	exited chan struct{} // closed when the program has ended
	code   int           // its exit code; 128 and the signal when one killed it
	alone  chan struct{} // closed when no process of it is left

	judged bool // a test has looked at how it ended
}

// begin starts the program with two ends of pipes, which it closes on our side.
func (p *place) begin(c command, stdin, stdout *os.File) *started {
	p.t.Helper()
	report, theirs, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	s := &started{t: p.t, place: p, stderr: &buffer{}, exited: make(chan struct{}), alone: make(chan struct{})}
	s.nurse = &exec.Cmd{
		Path: "/proc/self/exe",
		Args: slices.Concat([]string{nurseName, c.user}, c.through, []string{cmp.Or(c.program, built.program)}, c.args),
		Env:  p.environment(c.env), Dir: cmp.Or(c.dir, p.work),
		Stdin: stdin, Stdout: stdout, Stderr: s.stderr, ExtraFiles: []*os.File{theirs},
	}
	err = s.nurse.Start()
	for _, f := range []*os.File{stdin, stdout, theirs} {
		f.Close()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	lines := bufio.NewScanner(report)
	if lines.Scan(); sscan(lines.Text(), &s.pid) != nil {
		p.t.Fatalf("starting %q: %s", c.args, lines.Text())
	}
	go s.listen(lines, report)
	p.t.Cleanup(s.cleanUp)
	return s
}

func (s *started) listen(lines *bufio.Scanner, report io.Closer) {
	if lines.Scan() {
		_ = sscan(lines.Text(), &s.code)
	}
	close(s.exited)
	lines.Scan() // until the end
	report.Close()
	_ = s.nurse.Wait()
	close(s.alone)
}

func sscan(text string, number *int) error {
	_, err := fmt.Sscan(text, number)
	return err
}

// cleanUp ends what a failed test left running, and shows what the program said.
func (s *started) cleanUp() {
	if s.t.Failed() {
		text := s.stderr.String()
		s.t.Logf("stderr of %q:\n%s", s.nurse.Args[2:], text[max(0, len(text)-8000):])
	}
	select {
	case <-s.alone:
		return
	default:
	}
	for _, p := range below(s.nurse.Process.Pid) {
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
	}
	<-s.alone
}

// signal sends a signal to the program itself.
func (s *started) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := syscall.Kill(s.pid, sig); err != nil {
		s.t.Fatal(err)
	}
}

// exit waits for the program's end and returns its exit code.
func (s *started) exit() int {
	s.t.Helper()
	select {
	case <-s.exited:
		return s.code
	case <-time.After(patience):
		s.t.Fatalf("the program did not end in %v; there are %v", patience, below(s.nurse.Process.Pid))
		return -1
	}
}

// serve starts the server with a driver and connects a client to it, which has
// still to say hello. It keeps no sandbox waiting unless args say so.
func (p *place) serve(driver string, args ...string) *client {
	p.t.Helper()
	return p.connect(command{args: append([]string{"serve", "--sandbox", driver, "--warm", "0"}, args...)})
}

// serve is a server in a place of its own, and a client that has said hello.
func serve(t *testing.T, driver string, args ...string) *client {
	t.Helper()
	c := newPlace(t).serve(driver, args...)
	c.hello(current)
	return c
}

func (p *place) connect(cmd command) *client {
	p.t.Helper()
	theirIn, in, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	read := make(chan struct{})
	p.t.Cleanup(func() { <-read }) // last, when the program is gone
	c := &client{started: p.begin(cmd, theirIn, theirOut), in: in, out: out, waiting: map[int]chan message{}}
	go func() {
		defer close(read)
		c.read()
		out.Close()
	}()
	p.t.Cleanup(func() { // first
		in.Close()
		if !c.judged && !p.t.Failed() {
			c.end()
		}
	})
	return c
}

// background starts the program without any input and without a reader.
func (p *place) background(args ...string) *started {
	p.t.Helper()
	return p.begin(command{args: args}, p.null(), p.null())
}

func (p *place) null() *os.File {
	p.t.Helper()
	f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	return f
}

// execute runs the program to its end, without any input.
func (p *place) execute(c command) (stdout, stderr string, code int) {
	p.t.Helper()
	out, theirs, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	s := p.begin(c, p.null(), theirs)
	text, err := io.ReadAll(out)
	out.Close()
	if err != nil {
		p.t.Fatal(err)
	}
	code = s.exit()
	s.nothingLeft()
	return string(text), s.stderr.String(), code
}

// buffer collects what is written to it.
type buffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
