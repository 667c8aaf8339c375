//go:build linux && (amd64 || arm64)

package tinyelf

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

func TestExitEndsWithItsStatus(t *testing.T) {
	if got := run(t, runtime.GOARCH, Exit(42), ""); got != 42 {
		t.Errorf("status %d, want 42", got)
	}
}

// That it really unmounts /proc shows every sandbox: gVisor checks it.
func TestUmountProcFailsWithoutAByteOrTheRight(t *testing.T) {
	if got := run(t, runtime.GOARCH, UmountProc(), ""); got != 1 {
		t.Errorf("status %d at the end of input, want 1", got)
	}
	if os.Geteuid() == 0 {
		t.Skip("root could unmount /proc")
	}
	if got := run(t, runtime.GOARCH, UmountProc(), "x"); got != 1 {
		t.Errorf("status %d without the right to unmount, want 1", got)
	}
}

// Each program computes a number that it ends with.
var programs = []struct {
	name  string
	want  int
	write func(p *Program, w Word)
}{
	{"set", 7, func(p *Program, w Word) { p.Set(w, Const(7)) }},
	{"add a negative number", 5, func(p *Program, w Word) { p.Set(w, Const(7)); p.Add(w, Const(-2)) }},
	{"subtract a word", 3, func(p *Program, w Word) {
		other := p.Word()
		p.Set(w, Const(10))
		p.Set(other, Const(7))
		p.Sub(w, other)
	}},
	{"and, shift and all 64 bits", 0xab, func(p *Program, w Word) {
		p.Set(w, Const(0x0bad_cab0_1234_5678))
		p.ShiftRight(w, 36)
		p.And(w, Const(0xff))
		p.Sub(w, Const(0xcab&0xff-0xab))
	}},
	{"memory is zero at first", 0, func(p *Program, w Word) { p.Follow(w, p.Space(100)) }},
	{"follow a constant", 9, func(p *Program, w Word) {
		p.Bytes([]byte{1})
		p.Follow(w, p.Bytes([]byte{9, 0, 0, 0, 0, 0, 0, 0}))
	}},
	{"the number of arguments", 1, func(p *Program, w Word) { p.Stack(w); p.Follow(w, w) }},
	{"a loop", 10, func(p *Program, w Word) {
		p.Label("again")
		p.Add(w, Const(1))
		p.If(w, Less, Const(10), "again")
	}},
	{"jumps and comparisons", 1, func(p *Program, w Word) {
		p.Set(w, Const(-1))
		p.If(w, Equal, Const(1), "wrong")
		p.If(Const(0), Less, w, "wrong")
		p.If(Const(0), LessOrEqual, w, "wrong")
		p.If(w, NotEqual, Const(-1), "wrong")
		p.If(w, LessOrEqual, Const(-1), "right")
		p.Label("wrong")
		p.Set(w, Const(99))
		p.Jump("end")
		p.Label("right")
		p.If(w, Less, Const(0), "fine")
		p.Jump("wrong")
		p.Label("fine")
		p.Set(w, Const(1))
		p.Label("end")
	}},
	{"a failed call", 9, func(p *Program, w Word) { // EBADF
		p.Call(w, sysRead, Const(1000), p.Space(1), Const(1))
		p.And(w, Const(0xff))
		p.Sub(w, Const(256-9-9))
	}},
}

func TestProgramsComputeTheSameOnEveryArchitecture(t *testing.T) {
	for arch := range targets {
		t.Run(arch, func(t *testing.T) {
			if arch != runtime.GOARCH && emulator(arch) == "" {
				t.Skipf("SKIPPED, NOT TESTED: no emulator for %s", arch)
			}
			for _, test := range programs {
				program, err := Assemble(arch, func(p *Program) {
					w := p.Word()
					test.write(p, w)
					p.Call(w, sysExit, w)
				})
				if err != nil {
					t.Fatal(err)
				}
				if got := run(t, arch, program, ""); got != test.want {
					t.Errorf("%s: status %d, want %d", test.name, got, test.want)
				}
			}
		})
	}
}

func TestMistakesAreErrors(t *testing.T) {
	if _, err := Assemble("amd64", func(p *Program) { p.Jump("nowhere") }); fmt.Sprint(err) != `assembling a program: no label "nowhere"` {
		t.Errorf("got %v", err)
	}
	if _, err := Assemble("pdp11", func(*Program) {}); fmt.Sprint(err) != `assembling a program: no instructions are known for "pdp11"` {
		t.Errorf("got %v", err)
	}
}

// emulator runs programs of another architecture; "" when there is none.
func emulator(arch string) string {
	path, _ := exec.LookPath(map[string]string{"amd64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static"}[arch])
	return path
}

func run(t *testing.T, arch string, program []byte, input string) int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, program, 0o700); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString(input); err != nil {
		t.Fatal(err)
	}
	w.Close()
	command := []string{path}
	if arch != runtime.GOARCH {
		command = []string{emulator(arch), path}
	}
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.ExtraFiles = []*os.File{r}
	_ = cmd.Run() // the status tells
	return cmd.ProcessState.ExitCode()
}
