package rawio

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return r, w
}

// everything sends more than a pipe holds, in pieces of all sizes, and reads it back.
func everything(t *testing.T, r io.Reader, w io.Writer, end func() error) {
	t.Helper()
	want := make([]byte, 3<<20)
	for i := range want {
		want[i] = byte(i * 7 >> 3)
	}
	var sending sync.WaitGroup
	sending.Go(func() {
		for rest, size := want, 1; len(rest) > 0; size = size*3%300_001 + 1 {
			n, err := w.Write(rest[:min(size, len(rest))])
			if err != nil {
				t.Error(err)
				break
			}
			rest = rest[n:]
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	got, err := io.ReadAll(r)
	sending.Wait()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes of %d arrived, or others (%v)", len(got), len(want), err)
	}
}

func TestAllArrivesThroughAPipe(t *testing.T) {
	r, w := pipe(t)
	everything(t, New(r), New(w), w.Close)
}

func TestAllArrivesThroughASocket(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	everything(t, New(b.(*net.UnixConn)), New(a.(*net.UnixConn)), a.(*net.UnixConn).CloseWrite)
}

// A read past the scheduler of a descriptor that blocks would stop the whole program.
func TestADescriptorThatBlocksIsReadAsEver(t *testing.T) {
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	r, w := os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w")
	defer r.Close()
	defer w.Close()
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	c := New(r)
	got := make(chan error, 1)
	go func() {
		_, err := c.Read(make([]byte, 1))
		got <- err
	}()
	time.Sleep(20 * time.Millisecond) // it waits, and the only processor is free
	if _, err := w.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func TestClosingAndDeadlinesEndAReadThatWaits(t *testing.T) {
	r, _ := pipe(t)
	c := New(r)
	if err := r.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}
	if err := r.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(10*time.Millisecond, func() { r.Close() })
	if n, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("got %d bytes and %v of a file that was closed", n, err)
	}
}

func TestTheEndOfTheOtherSideIsSeen(t *testing.T) {
	r, w := pipe(t)
	w.Close()
	if _, err := New(r).Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want EOF", err)
	}
	r, w = pipe(t)
	r.Close()
	if _, err := New(w).Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("got %v, want EPIPE", err)
	}
	if New(w).TryWrite([]byte("x")) {
		t.Error("written to a pipe that nobody reads")
	}
}

func TestWhatIsTriedIsWrittenWholeOrNotAtAll(t *testing.T) {
	r, w := pipe(t)
	c := New(w)
	line := bytes.Repeat([]byte("0123456789"), 33)
	n := 0
	for c.TryWrite(line) {
		n++
	}
	if n == 0 || c.TryWrite(make([]byte, pipeBuf+1)) {
		t.Fatalf("%d lines were written, or one that is too long", n)
	}
	w.Close()
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, bytes.Repeat(line, n)) {
		t.Errorf("%d bytes arrived of %d lines (%v)", len(got), n, err)
	}
}

// BenchmarkThereAndBack is a line to another process and back, with files as they are and
// past the scheduler. In between this program has nothing to do, as during a call.
func BenchmarkThereAndBack(b *testing.B) {
	for name, wrap := range map[string]func(*os.File) io.ReadWriter{
		"file":  func(f *os.File) io.ReadWriter { return f },
		"rawio": func(f *os.File) io.ReadWriter { return New(f) },
	} {
		b.Run(name, func(b *testing.B) {
			cat := exec.CommandContext(b.Context(), "cat")
			in, err := cat.StdinPipe()
			if err != nil {
				b.Fatal(err)
			}
			out, err := cat.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := cat.Start(); err != nil {
				b.Fatal(err)
			}
			to, from := wrap(in.(*os.File)), wrap(out.(*os.File))
			line := bytes.Repeat([]byte("x"), 200)
			for b.Loop() {
				if _, err := to.Write(line); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(from, line); err != nil {
					b.Fatal(err)
				}
			}
			in.Close()
			if err := cat.Wait(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
