//go:build linux

package tinyelf

import (
	"debug/elf"
	"encoding/binary"
)

const machine = elf.EM_AARCH64

// Exit is code that ends with the status given.
func Exit(status byte) []byte {
	return words(
		0xd2800000|uint32(status)<<5, // mov x0, #status
		0xd2800ba8,                   // mov x8, #SYS_exit
		0xd4000001,                   // svc #0
	)
}

// UmountProc is code that waits for a byte on descriptor 3, unmounts /proc with
// MNT_DETACH, and ends with status 0 if all of that worked and 1 if not.
func UmountProc() []byte {
	code := words(
		0xb24007e0, // mov x0, #3
		0xd10043e1, // sub x1, sp, #16
		0xb24003e2, // mov x2, #1
		0xb24017e8, // mov x8, #SYS_read
		0xd4000001, // svc #0
		0xf100041f, // cmp x0, #1
		0x54000101, // b.ne fail
		0x10000140, // adr x0, path
		0xb27f03e1, // mov x1, #MNT_DETACH
		0xd28004e8, // mov x8, #SYS_umount2
		0xd4000001, // svc #0
		0xb5000060, // cbnz x0, fail
		0xaa1f03e0, // mov x0, xzr
		0x14000002, // b exit
		0xb24003e0, // fail: mov x0, #1
		0xd2800ba8, // exit: mov x8, #SYS_exit
		0xd4000001, // svc #0
	)
	return append(code, "/proc\x00"...) // path
}

func words(list ...uint32) []byte {
	var code []byte
	for _, w := range list {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return code
}
