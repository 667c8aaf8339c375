//go:build linux && (amd64 || arm64)

package gvisor

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor/erofs"
)

// probeTimeout bounds Probe.
const probeTimeout = 5 * time.Second

// Probe reports whether sandboxes can be started here, by starting one with a
// program of three instructions in place of Python. It takes about a tenth of a
// second. Its errors say what is missing and, in a method Hint() string, what to
// do about it.
func Probe(ctx context.Context) error { return probe(ctx, "") }

func probe(ctx context.Context, runsc string) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	exe, err := executable(runsc)
	if err != nil {
		return fmt.Errorf("trying gVisor: %w", err)
	}
	root, err := probeImage()
	if err != nil {
		exe.Close()
		return fmt.Errorf("trying gVisor: %w", err)
	}
	d, err := newDriver(Options{}, exe, root, []string{"/probe"})
	if err != nil {
		return fmt.Errorf("trying gVisor: %w", err)
	}
	err = try(ctx, d)
	if err = errors.Join(err, d.Close()); err != nil {
		return fmt.Errorf("trying gVisor: %w", err)
	}
	return nil
}

func try(ctx context.Context, d *Driver) error {
	i, err := d.Start(ctx)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, i.Kill)()
	if exit := i.Wait(); exit.Code != probeStatus {
		return describe(fmt.Errorf("the test program ended with status %d instead of %d", exit.Code, probeStatus), exit.Detail)
	}
	return nil
}

// probeStatus is what the test program exits with.
const probeStatus = 42

// probeImage is a root image, in memory, that holds /probe.
func probeImage() (*os.File, error) {
	dir, err := os.MkdirTemp("", "mcp-code-mode-probe-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "probe"), probeProgram(), 0o700); err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("root", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "root")
	if err := erofs.Write(f, dir, mountPoints...); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// probeProgram is a static executable that does exit(42) and nothing else.
func probeProgram() []byte {
	machine, code := elf.EM_X86_64, []byte{
		0xbf, probeStatus, 0, 0, 0, // mov edi, 42
		0xb8, 60, 0, 0, 0, // mov eax, SYS_exit
		0x0f, 0x05, // syscall
	}
	if runtime.GOARCH == "arm64" {
		machine, code = elf.EM_AARCH64, []byte{
			0x40, 0x05, 0x80, 0xd2, // mov x0, #42
			0xa8, 0x0b, 0x80, 0xd2, // mov x8, #SYS_exit
			0x01, 0x00, 0x00, 0xd4, // svc #0
		}
	}
	const base, start = 0x400000, 64 + 56 // the code follows one header of each kind
	size := uint64(start + len(code))
	header := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Entry: base + start, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1,
	}
	segment := elf.Prog64{
		Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X),
		Vaddr: base, Paddr: base, Filesz: size, Memsz: size, Align: 0x1000,
	}
	var out bytes.Buffer
	// Writing fixed-size values to memory cannot fail.
	_ = binary.Write(&out, binary.LittleEndian, header)
	_ = binary.Write(&out, binary.LittleEndian, segment)
	out.Write(code)
	return out.Bytes()
}
