package main

// How this program talks, written down once:
//
//   - Standard output belongs to what a command was asked for: the protocol,
//     stubs, what code printed, a decision. Everything else goes to stderr.
//   - A message is one line, "mcp-code-mode: what", in lower case and without a
//     period. Where there is a next step, a line "hint: …" follows.
//   - Long work says what it is doing: on a terminal a line that changes and
//     goes away, otherwise one line when it begins.
//   - Text from outside (a server's stderr, what code printed) can not steer a
//     terminal: control characters are shown, not sent.

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

const program = "mcp-code-mode"

// A ui is where a command's words go. Its methods may be called from any
// goroutine.
type ui struct {
	stdin  io.Reader
	stdout io.Writer

	mu     sync.Mutex // guards stderr and live
	stderr io.Writer
	live   string // the changing line that is on the terminal now

	stdoutTTY, stderrTTY bool
}

func newUI(stdin io.Reader, stdout, stderr io.Writer) *ui {
	return &ui{
		stdin: stdin, stdout: stdout, stderr: stderr,
		stdoutTTY: isTerminal(stdout), stderrTTY: isTerminal(stderr),
	}
}

func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// logger is for what is said while a command works, on stderr.
func (u *ui) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(u, &slog.HandlerOptions{Level: level}))
}

// notef writes one message.
func (u *ui) notef(format string, args ...any) {
	u.line(program + ": " + fmt.Sprintf(format, args...))
}

// hintf writes a next step.
func (u *ui) hintf(format string, args ...any) {
	u.line("hint: " + fmt.Sprintf(format, args...))
}

func (u *ui) line(s string) {
	_, _ = io.WriteString(u, strings.TrimRight(s, "\n")+"\n")
}

// Write writes whole lines to stderr around the live line, so that log records
// and messages do not run into it.
func (u *ui) Write(p []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.live != "" {
		fmt.Fprint(u.stderr, "\r\x1b[K")
	}
	text := string(p)
	if u.stderrTTY {
		text = visible(text)
	}
	if _, err := io.WriteString(u.stderr, text); err != nil {
		return 0, err
	}
	if u.live != "" {
		fmt.Fprint(u.stderr, u.live)
	}
	return len(p), nil
}

// output writes what a command was asked for.
func (u *ui) output(s string) error {
	if u.stdoutTTY {
		s = visible(s)
	}
	_, err := io.WriteString(u.stdout, s)
	return err
}

// visible replaces every control character but newline and tab by an escape
// that can be read.
func visible(s string) string {
	isControl := func(r rune) bool {
		return (r < 0x20 && r != '\n' && r != '\t') || (r >= 0x7f && r < 0xa0)
	}
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isControl(r) {
			fmt.Fprintf(&b, `\x%02x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// A progress is one piece of long work. Nothing is shown before its first step.
type progress struct {
	u    *ui
	stop chan struct{}
	done chan struct{}

	mu      sync.Mutex // guards what follows
	what    string
	started time.Time // zero until the first step
	ended   bool
}

// progress begins long work. The caller ends it with end.
func (u *ui) progress() *progress {
	return &progress{u: u, stop: make(chan struct{}), done: make(chan struct{})}
}

// step says what is being done now. After end it is said in a line of its own:
// an image that has gone away may have to be built again.
func (p *progress) step(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		p.u.notef("%s", what)
		return
	}
	p.what = what
	if !p.started.IsZero() {
		return
	}
	p.started = time.Now()
	if !p.u.stderrTTY {
		p.u.notef("%s", what)
		close(p.done)
		return
	}
	go p.draw()
}

// draw keeps the live line current until end.
func (p *progress) draw() {
	defer close(p.done)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		p.mu.Lock()
		line := fmt.Sprintf("%s: %s … %.0f s", program, visible(p.what), time.Since(p.started).Seconds())
		p.mu.Unlock()
		p.u.setLive(line)
		select {
		case <-tick.C:
		case <-p.stop:
			p.u.setLive("")
			return
		}
	}
}

// end takes the live line away.
func (p *progress) end() {
	close(p.stop)
	p.mu.Lock()
	p.ended = true
	begun := !p.started.IsZero()
	p.mu.Unlock()
	if begun {
		<-p.done
	}
}

func (u *ui) setLive(line string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if f, ok := u.stderr.(*os.File); ok { // a line that wraps can not be taken away
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			if r := []rune(line); len(r) >= width {
				line = string(r[:width-1])
			}
		}
	}
	if line == u.live {
		return
	}
	u.live = line
	fmt.Fprint(u.stderr, "\r\x1b[K"+line)
}
