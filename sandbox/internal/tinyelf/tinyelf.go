// Package tinyelf makes static executables of some dozen machine instructions,
// for where starting a real program would cost more than what it does.
//
// A program is written once, in the few instructions that Program has, and
// assembled for either architecture. It has no registers: every instruction
// works on constants and on 64-bit words in memory. So it needs no care and is
// not fast, which does not matter beside the system calls it makes.
package tinyelf

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

const (
	loadAddress   = 0x400000
	memoryAddress = 0x10000000
	headerSize    = 64 + 3*56 // an ELF header and three program headers
	pageSize      = 64 << 10  // the largest that either architecture has
)

// Assemble makes an executable for an architecture, in Go's words: amd64 or
// arm64. It calls write twice, which must write the same both times: the first
// time tells where labels and constants come to lie.
func Assemble(arch string, write func(*Program)) ([]byte, error) {
	target, ok := targets[arch]
	if !ok {
		return nil, fmt.Errorf("assembling a program: no instructions are known for %q", arch)
	}
	first := &Program{target: target, labels: map[string]int{}, final: map[string]int{}}
	write(first)
	p := &Program{target: target, labels: map[string]int{}, final: first.labels, constantsAt: len(first.code)}
	write(p)
	if p.missing != "" {
		return nil, fmt.Errorf("assembling a program: no label %q", p.missing)
	}
	return p.executable(), nil
}

// executable puts headers around the program: code and constants are one segment
// that cannot be written to, memory is another that is not in the file.
func (p *Program) executable() []byte {
	size := uint64(headerSize + len(p.code) + len(p.constants))
	header := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(p.target.machine()), Version: uint32(elf.EV_CURRENT),
		Entry: loadAddress + headerSize, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 3,
	}
	segments := [3]elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X),
			Vaddr: loadAddress, Paddr: loadAddress, Filesz: size, Memsz: size, Align: pageSize},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_W),
			Vaddr: memoryAddress, Paddr: memoryAddress, Memsz: p.memory + 8, Align: pageSize},
		{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(elf.PF_R | elf.PF_W)},
	}
	var out bytes.Buffer
	// Writing fixed-size values to memory cannot fail.
	_ = binary.Write(&out, binary.LittleEndian, header)
	_ = binary.Write(&out, binary.LittleEndian, segments)
	out.Write(p.code)
	out.Write(p.constants)
	return out.Bytes()
}
