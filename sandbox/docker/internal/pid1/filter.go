package pid1

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"golang.org/x/net/bpf"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/tinyelf"
)

// A rule allows a system call only if an argument has a value, or has not.
type rule struct {
	call     tinyelf.Call
	argument int
	equal    bool
	value    uint32
}

// rules refuse what could keep the first process from running, where the kernel asks for
// the user and not whether a process may be traced.
var rules = []rule{
	// How the kernel shares processors: with the first process among those for idle
	// times, and fifty others busy, it did not run within ten seconds. Everybody may
	// change his own schedule; 0 is the caller, which for setpriority is a process only
	// if its first argument is PRIO_PROCESS (0).
	{tinyelf.Call{AMD64: 142, ARM64: 118}, 0, true, 0}, // sched_setparam
	{tinyelf.Call{AMD64: 144, ARM64: 119}, 0, true, 0}, // sched_setscheduler
	{tinyelf.Call{AMD64: 203, ARM64: 122}, 0, true, 0}, // sched_setaffinity
	{tinyelf.Call{AMD64: 314, ARM64: 274}, 0, true, 0}, // sched_setattr
	{tinyelf.Call{AMD64: 141, ARM64: 140}, 0, true, 0}, // setpriority
	{tinyelf.Call{AMD64: 141, ARM64: 140}, 1, true, 0},
	// Linux drops SIGSTOP for the first process, gVisor does not: where it is the
	// engine's runtime, a stopped first process would not see the end of its input.
	// With F_SETSIG the kernel sends whichever signal it is told.
	{tinyelf.Call{AMD64: 62, ARM64: 129}, 1, false, stopSignal},  // kill
	{tinyelf.Call{AMD64: 200, ARM64: 130}, 1, false, stopSignal}, // tkill
	{tinyelf.Call{AMD64: 234, ARM64: 131}, 2, false, stopSignal}, // tgkill
	{tinyelf.Call{AMD64: 129, ARM64: 138}, 1, false, stopSignal}, // rt_sigqueueinfo
	{tinyelf.Call{AMD64: 297, ARM64: 240}, 2, false, stopSignal}, // rt_tgsigqueueinfo
	{tinyelf.Call{AMD64: 424, ARM64: 424}, 1, false, stopSignal}, // pidfd_send_signal
	{sysFcntl, 1, false, setSignal},
	// The engine's profile lets one filter be made here. It is the last: filters take
	// memory that nobody is charged for.
	{sysPrctl, 0, false, setFilter},
}

// Offsets in struct seccomp_data, and what a filter may return: seccomp(2).
const (
	callNumber   = 0
	callTarget   = 4
	callArgument = 16 // 8 bytes each, the low half first

	allow = 0x7fff0000
	deny  = 0x00050001 // EPERM
)

// otherCalls is the bit of system calls of the x32 ABI.
const otherCalls = 0x40000000

// filter is a seccomp filter for the first process and all that come from it. It comes
// on top of the engine's. There are no system calls of other architectures, which have
// other numbers.
func filter(arch string) ([]byte, error) {
	number, audit, ok := numbersOf(arch)
	if !ok {
		return nil, fmt.Errorf("making a filter: no system calls are known for %q", arch)
	}
	load := func(offset int) bpf.Instruction { return bpf.LoadAbsolute{Off: uint32(offset), Size: 4} }
	program := []bpf.Instruction{
		load(callTarget), bpf.JumpIf{Cond: bpf.JumpEqual, Val: audit, SkipTrue: 1}, bpf.RetConstant{Val: deny},
		load(callNumber), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: otherCalls, SkipFalse: 1}, bpf.RetConstant{Val: deny},
	}
	for _, r := range rules {
		condition := bpf.JumpEqual
		if !r.equal {
			condition = bpf.JumpNotEqual
		}
		program = append(program,
			load(callNumber), bpf.JumpIf{Cond: bpf.JumpEqual, Val: number(r.call), SkipFalse: 3},
			load(callArgument+8*r.argument), bpf.JumpIf{Cond: condition, Val: r.value, SkipTrue: 1}, bpf.RetConstant{Val: deny})
	}
	raw, err := bpf.Assemble(append(program, bpf.RetConstant{Val: allow}))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = binary.Write(&out, binary.LittleEndian, raw) // as struct sock_filter has it
	return out.Bytes(), err
}

// numbersOf tells an architecture's number of a call, and the architecture's own.
func numbersOf(arch string) (number func(tinyelf.Call) uint32, audit uint32, ok bool) {
	switch arch {
	case "amd64":
		return func(c tinyelf.Call) uint32 { return uint32(c.AMD64) }, 0xc000003e, true
	case "arm64":
		return func(c tinyelf.Call) uint32 { return uint32(c.ARM64) }, 0xc00000b7, true
	}
	return nil, 0, false
}
