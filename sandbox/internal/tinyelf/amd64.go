package tinyelf

import (
	"debug/elf"
	"encoding/binary"
)

// amd64 encodes x86-64: Intel's manual, volume 2.
type amd64 struct{}

func (amd64) machine() elf.Machine { return elf.EM_X86_64 }

// amd64Registers are rax and rcx, and rdi, rsi, rdx, r10, r8 and r9. None of them
// needs more than the plain encoding when it holds an address.
var amd64Registers = [...]byte{0, 1, 7, 6, 2, 10, 8, 9}

// withTwo is an instruction of a 64-bit register and another operand of the kind
// that mode says: 0 for memory at a register, 3 for a register.
func (amd64) withTwo(opcode, mode byte, r, other register) []byte {
	a, b := amd64Registers[r], amd64Registers[other]
	return []byte{0x48 | a>>3<<2 | b>>3, opcode, mode<<6 | a&7<<3 | b&7}
}

func (amd64) set(r register, n uint64) []byte {
	number := amd64Registers[r]
	return binary.LittleEndian.AppendUint64([]byte{0x48 | number>>3, 0xb8 | number&7}, n) // movabs r, n
}

func (t amd64) load(r, at register) []byte   { return t.withTwo(0x8b, 0, r, at) } // mov r, [at]
func (t amd64) store(r, at register) []byte  { return t.withTwo(0x89, 0, r, at) } // mov [at], r
func (t amd64) compare(a, b register) []byte { return t.withTwo(0x39, 3, b, a) }  // cmp a, b
func (amd64) stack(r register) []byte        { return []byte{0x48, 0x89, 0xe0 | amd64Registers[r]} }
func (amd64) jump(distance int) []byte       { return amd64Jump([]byte{0xe9}, distance) } // jmp
func (amd64) shiftRight(r register, bits int) []byte {
	return []byte{0x48, 0xc1, 0xe8 | amd64Registers[r], byte(bits)} // shr r, bits
}

func (t amd64) operate(o operation, r, v register) []byte {
	return t.withTwo(map[operation]byte{add: 0x01, sub: 0x29, and: 0x21}[o], 3, v, r)
}

func (amd64) jumpIf(c Comparison, distance int) []byte { // je, jne, jl, jle
	opcode := map[Comparison]byte{Equal: 0x84, NotEqual: 0x85, Less: 0x8c, LessOrEqual: 0x8e}[c]
	return amd64Jump([]byte{0x0f, opcode}, distance)
}

// amd64Jump counts from its end.
func amd64Jump(opcode []byte, distance int) []byte {
	return binary.LittleEndian.AppendUint32(opcode, uint32(distance-len(opcode)-4))
}

func (t amd64) call(c Call) []byte {
	return append(t.set(first, uint64(c.AMD64)), 0x0f, 0x05) // syscall
}
