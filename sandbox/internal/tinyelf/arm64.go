package tinyelf

import (
	"debug/elf"
	"encoding/binary"
)

// arm64 encodes A64: the Arm Architecture Reference Manual, C6.2.
type arm64 struct{}

func (arm64) machine() elf.Machine { return elf.EM_AARCH64 }

// arm64Registers are x9 and x10, and x0 to x5.
var arm64Registers = [...]uint32{9, 10, 0, 1, 2, 3, 4, 5}

func words(list ...uint32) []byte {
	var code []byte
	for _, w := range list {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return code
}

func (arm64) set(r register, n uint64) []byte { return arm64Set(arm64Registers[r], n) }

// arm64Set is movz and three movk, 16 bits each.
func arm64Set(number uint32, n uint64) []byte {
	code := words(0xd2800000 | uint32(n&0xffff)<<5 | number)
	for part := uint32(1); part < 4; part++ {
		code = append(code, words(0xf2800000|part<<21|uint32(n>>(16*part)&0xffff)<<5|number)...)
	}
	return code
}

func (arm64) load(r, at register) []byte { // ldr r, [at]
	return words(0xf9400000 | arm64Registers[at]<<5 | arm64Registers[r])
}

func (arm64) store(r, at register) []byte { // str r, [at]
	return words(0xf9000000 | arm64Registers[at]<<5 | arm64Registers[r])
}

func (arm64) operate(o operation, r, v register) []byte {
	opcode := map[operation]uint32{add: 0x8b000000, sub: 0xcb000000, and: 0x8a000000}[o]
	return words(opcode | arm64Registers[v]<<16 | arm64Registers[r]<<5 | arm64Registers[r])
}

func (arm64) shiftRight(r register, bits int) []byte { // lsr by bits
	return words(0xd340fc00 | uint32(bits)<<16 | arm64Registers[r]<<5 | arm64Registers[r])
}

func (arm64) stack(r register) []byte { return words(0x910003e0 | arm64Registers[r]) } // mov r, sp

func (arm64) compare(a, b register) []byte { // cmp a, b
	return words(0xeb00001f | arm64Registers[b]<<16 | arm64Registers[a]<<5)
}

func (arm64) jumpIf(c Comparison, distance int) []byte { // b.eq, b.ne, b.lt, b.le
	condition := map[Comparison]uint32{Equal: 0, NotEqual: 1, Less: 11, LessOrEqual: 13}[c]
	return words(0x54000000 | uint32(distance/4)&0x7ffff<<5 | condition)
}

func (arm64) jump(distance int) []byte { return words(0x14000000 | uint32(distance/4)&0x3ffffff) } // b

func (arm64) call(c Call) []byte {
	code := append(arm64Set(8, uint64(c.ARM64)), words(0xd4000001)...) // svc #0
	return append(code, words(0xaa0003e0|arm64Registers[first])...)    // mov first, x0
}
