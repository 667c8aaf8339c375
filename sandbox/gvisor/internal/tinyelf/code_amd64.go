//go:build linux

package tinyelf

import "debug/elf"

const machine = elf.EM_X86_64

// Exit is code that ends with the status given.
func Exit(status byte) []byte {
	return []byte{
		0xbf, status, 0, 0, 0, // mov edi, status
		0xb8, 60, 0, 0, 0, // mov eax, SYS_exit
		0x0f, 0x05, // syscall
	}
}

// UmountProc is code that waits for a byte on descriptor 3, unmounts /proc with
// MNT_DETACH, and ends with status 0 if all of that worked and 1 if not.
func UmountProc() []byte {
	code := []byte{
		0xbf, 3, 0, 0, 0, // mov edi, 3
		0x48, 0x8d, 0x74, 0x24, 0xf0, // lea rsi, [rsp-16]
		0xba, 1, 0, 0, 0, // mov edx, 1
		0x31, 0xc0, // xor eax, eax: SYS_read
		0x0f, 0x05, // syscall
		0x48, 0x83, 0xf8, 1, // cmp rax, 1
		0x75, 0x1b, // jne fail
		0x48, 0x8d, 0x3d, 0x20, 0, 0, 0, // lea rdi, [path]
		0xbe, 2, 0, 0, 0, // mov esi, MNT_DETACH
		0xb8, 166, 0, 0, 0, // mov eax, SYS_umount2
		0x0f, 0x05, // syscall
		0x85, 0xc0, // test eax, eax
		0x75, 0x04, // jne fail
		0x31, 0xff, // xor edi, edi
		0xeb, 0x05, // jmp exit
		0xbf, 1, 0, 0, 0, // fail: mov edi, 1
		0xb8, 60, 0, 0, 0, // exit: mov eax, SYS_exit
		0x0f, 0x05, // syscall
	}
	return append(code, "/proc\x00"...) // path
}
