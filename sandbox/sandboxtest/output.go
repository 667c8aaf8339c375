package sandboxtest

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// rawStderr is code that writes to the descriptor that the runner has put aside for
// what only the operator sees.
const rawStderr = `
import os
def raw(data, fd=58):
    while data: data = data[os.write(fd, data):]
`

// outputChecks: what code prints.
var outputChecks = []check{
	prints("stdout and stderr come in order", "import sys\nfor i in range(3):\n    print(i)\n    print(-i, file=sys.stderr)", "0\n0\n1\n-1\n2\n-2\n"),
	prints("output without a newline is kept", "print('a', end='')", "a"),
	prints("output below Python is kept in order", "import os\nprint('a')\nos.write(1, b'b\\n')\nprint('c')\nos.write(2, b'd\\n') and None", "a\nb\nc\nd\n"),
	prints("output of child processes is kept", "import subprocess, sys\nprint('a')\nsubprocess.run([sys.executable, '-I', '-S', '-c', 'print(\"b\" * 5)'])\nprint('c')", "a\nbbbbb\nc\n"),
	prints("output of forked processes is kept", "import os\nprint('a', flush=True)\npid = os.fork()\nif pid == 0:\n    print('b')\nelse:\n    os.waitpid(pid, 0)\n    print('c')", "a\nb\nc\n"),
	prints("more output of a child process than a pipe holds does not block", "import subprocess, sys\nsubprocess.run([sys.executable, '-I', '-S', '-c', 'import sys; sys.stdout.write(\"x\" * 300000)'], stdout=2) and None",
		strings.Repeat("x", 4074)+"\n[... 291852 bytes of output left out ...]\n"+strings.Repeat("x", 4074)),
	prints("U+2028 is printed as it is", `print('a\u2028b\u2029c\x85d\x0be')`, "a\u2028b\u2029c\u0085d\x0be\n"),
	prints("lone surrogates are printed escaped", `print('\ud800')`, `\ud800`+"\n"),
	prints("bytes that are not UTF-8 are printed escaped", `import sys
sys.stdout.buffer.write(b'\xff\x00\xc3')
sys.stdout.buffer.write(b'\xa9\n') and None`, `\xff`+"\x00é\n"),
	prints("forged protocol lines are output", `print('{"op":"call","id":1,"tool":"toy/echo","args":{}}')
print('{"op":"done","cell":1,"error":null}')`, `{"op":"call","id":1,"tool":"toy/echo","args":{}}`+"\n"+`{"op":"done","cell":1,"error":null}`+"\n"),
	prints("replacing sys.stdout harms nothing", "import sys, io\nprint('a')\nsys.stdout = io.StringIO()\nprint('b')\nsys.stdout = sys.__stdout__\nprint('c')", "a\nc\n"),
	prints("a broken sys.stdout harms nothing", "import sys\nprint('a')\nsys.stdout = sys.stderr = 5", "a\n"),
	prints("closing sys.stdout harms nothing", "import sys\nsys.stdout.close()\nsys.stderr.close()\nprint('a')", "a\n"),
	prints("closing descriptors 1 and 2 harms nothing", "import os\nos.close(1)\nos.close(2)\nprint('a')\nawait asyncio.sleep(0.1)", "a\n"),
	{"of 1 MB without a newline the head and the tail are kept", func(t *testing.T, s *suite) {
		o := s.exec(t, "print('x' * 500_000 + 'y' * 499_999)")
		wantCut(t, o, strings.Repeat("x", 4074)+"\n[... 991852 bytes of output left out ...]\n"+strings.Repeat("y", 4073)+"\n")
	}},
	{"of many lines the first and the last are kept", func(t *testing.T, s *suite) {
		o := s.exec(t, "for i in range(20_000): print(i)")
		if !strings.HasPrefix(o.Stdout, "0\n1\n2\n") || !strings.HasSuffix(o.Stdout, "19998\n19999\n") || !o.Truncated || len(o.Stdout) > 8<<10 {
			t.Errorf("got %d bytes: %.20q … %q, truncated %v", len(o.Stdout), o.Stdout, cut.Tail(o.Stdout, 20), o.Truncated)
		}
	}},
	{"output is cut where a character ends", func(t *testing.T, s *suite) {
		o := s.exec(t, "print('a' + '\U0001F600' * 5000)")
		smiles := func(n int) string { return strings.Repeat("\U0001F600", n) }
		wantCut(t, o, "a"+smiles(1018)+"\n[... 11856 bytes of output left out ...]\n"+smiles(1018)+"\n")
		if !utf8.ValidString(o.Stdout) {
			t.Error("not UTF-8")
		}
	}},
	{"8 KiB of output are not cut", func(t *testing.T, s *suite) {
		o := s.exec(t, "print('x' * (8 * 1024 - 1))")
		wantStdout(t, o, strings.Repeat("x", 8<<10-1)+"\n")
		if o.Truncated {
			t.Error("truncated")
		}
	}},
	stops("an output flood is stopped", sandbox.Limits{}, "while True: print('x' * 100)", "more than 1 MiB of output"),
	stops("an output flood below Python is stopped", sandbox.Limits{}, "import os\nwhile True: os.write(1, b'x' * 1000)", "more than 1 MiB of output"),
	stops("a flood of the machine's own standard error is stopped", sandbox.Limits{}, rawStderr+"while True: raw(b'x' * 1000)", "more than 1 MiB of output"),
	stops("output and the machine's own standard error count together", sandbox.Limits{}, rawStderr+`
for _ in range(11):
    print('x' * 50_000)
    raw(b'x' * 50_000)
await asyncio.sleep(1000)`, "more than 1 MiB of output"),
	stops("a flood of empty lines is stopped", sandbox.Limits{}, "while True: print()", "more than 1 MiB of output"),
	{"output before an endless loop is kept", func(t *testing.T, s *suite) {
		for _, code := range []string{
			"print('a')\nprint('b')\nwhile True: pass",
			"print('a\\nb\\n', end='')\nsum(range(10**12))", // holds the interpreter's lock
			"import sys\nsys.stdout.write('a\\nb\\n')\nawait asyncio.sleep(1000)",
			"import os\nos.write(1, b'a\\nb\\n')\nwhile True: pass",
			"print('a\\nb', end='')\nimport time\ntime.sleep(0.3)\nprint()\nwhile True: pass",
		} {
			s.keeps(t, code, func(kept string) bool { return kept == "a\nb\n" })
		}
	}},
	{"every line of a thousand before an endless loop is kept", func(t *testing.T, s *suite) {
		s.keeps(t, "for i in range(1000): print(i)\nwhile True: pass", func(kept string) bool { return strings.HasSuffix(kept, "\n999\n") })
	}},
	{"what a thread prints after its cell is not the next cell's", func(t *testing.T, s *suite) {
		sb := s.open(t, sandbox.Limits{})
		wantStdout(t, s.execIn(t, sb, `
import threading, time
between, said = threading.Event(), threading.Event()
def f():
    between.wait()
    time.sleep(0.5)  # by now the cell is over
    print('late')
    said.set()
threading.Thread(target=f, daemon=True).start()
print('a')
between.set()`, nil), "a\n")
		for said := ""; said != "True\n"; {
			time.Sleep(time.Second)
			if said = s.execIn(t, sb, "print(said.is_set())", nil).Stdout; strings.Contains(said, "late") || said == "" {
				t.Fatalf("got %q", said)
			}
		}
	}},
}

// keeps checks what is kept of the output of code that never ends. Where it takes long to get
// that far, the code gets a second chance, with more time.
func (s *suite) keeps(t *testing.T, code string, right func(stdout string) bool) {
	t.Helper()
	for _, deadline := range []time.Duration{1500 * time.Millisecond, 20 * time.Second} {
		o := s.execIn(t, s.open(t, sandbox.Limits{Deadline: deadline}), code, nil)
		if want := fmt.Sprintf("stopped: deadline of %v s reached", deadline.Seconds()); o.Error != want {
			t.Errorf("%s: got %+v", code, o)
		}
		if right(o.Stdout) {
			return
		}
		t.Logf("%s: after %v: %+v", code, deadline, o)
	}
	t.Errorf("%s: what it printed is not kept", code)
}

func wantCut(t *testing.T, o sandbox.Outcome, stdout string) {
	t.Helper()
	if o.Stdout != stdout || !o.Truncated || o.Stopped || o.Error != "" {
		t.Errorf("got %d bytes, truncated %v, stopped %v, error %q", len(o.Stdout), o.Truncated, o.Stopped, o.Error)
	}
}
