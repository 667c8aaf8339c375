package tinyelf

import "debug/elf"

// A register is one of those that programs use: two to compute with, and the
// arguments of a system call. What a system call returns is in the first.
type register int

const (
	first register = iota
	second
)

// argument is the register of a system call's argument, 0 to 5.
func argument(i int) register { return second + 1 + register(i) }

type operation int

const (
	add operation = iota
	sub
	and
)

// A target encodes instructions. The size of one depends on nothing but its kind.
type target interface {
	machine() elf.Machine
	set(r register, n uint64) []byte           // r = n
	load(r, at register) []byte                // r = the word at
	store(r, at register) []byte               // the word at = r
	operate(o operation, r, v register) []byte // r = r o v
	shiftRight(r register, bits int) []byte    // r >>= bits
	stack(r register) []byte                   // r = the stack pointer
	compare(a, b register) []byte              // for the jumpIf that follows
	jumpIf(c Comparison, distance int) []byte  // distances count from the instruction's start
	jump(distance int) []byte
	call(c Call) []byte // with the arguments in their registers; the result is in the first
}

// targets are the architectures known, in Go's words.
var targets = map[string]target{"amd64": amd64{}, "arm64": arm64{}}
