//go:build linux && (amd64 || arm64)

// Package tinyelf makes static executables of a few machine instructions, for
// where starting a real program would cost more than what it does.
package tinyelf

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

const (
	loadAddress = 0x400000
	headerSize  = 64 + 56 // an ELF header and one program header
)

// Program is an executable for this machine that runs code, which must not
// depend on its address and must end the process itself.
func Program(code []byte) []byte {
	size := uint64(headerSize + len(code))
	header := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Entry: loadAddress + headerSize, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1,
	}
	segment := elf.Prog64{
		Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X),
		Vaddr: loadAddress, Paddr: loadAddress, Filesz: size, Memsz: size, Align: 0x1000,
	}
	var out bytes.Buffer
	// Writing fixed-size values to memory cannot fail.
	_ = binary.Write(&out, binary.LittleEndian, header)
	_ = binary.Write(&out, binary.LittleEndian, segment)
	out.Write(code)
	return out.Bytes()
}
