package seccomp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	specs "github.com/opencontainers/runtime-spec/specs-go"
)

// architectures are those that the tables are for, by their names in Go. Calls
// in the way of another architecture that the processor understands, such as
// 32-bit x86 and x32, kill the thread that makes them.
var architectures = map[string]specs.Arch{"amd64": specs.ArchX86_64, "arm64": specs.ArchAARCH64}

// Profile is the profile for an engine of an architecture, as JSON. It is the
// same at every call. The names of calls that an architecture does not have are
// in it, and do not matter there.
func Profile(architecture string) ([]byte, error) {
	arch, ok := architectures[architecture]
	if !ok {
		return nil, fmt.Errorf("the seccomp profile is for amd64 and arm64, not for %s", architecture)
	}
	p := specs.LinuxSeccomp{
		DefaultAction:   specs.ActErrno,
		DefaultErrnoRet: errno(enosys),
		Architectures:   []specs.Arch{arch},
		Syscalls: []specs.LinuxSyscall{
			{Names: names(allowed), Action: specs.ActAllow},
			{Names: names(refused), Action: specs.ActErrno, ErrnoRet: errno(enosys)},
		},
	}
	for _, c := range checked {
		p.Syscalls = append(p.Syscalls, c.entries()...)
	}
	return json.Marshal(p)
}

// names are the calls of a table, in order.
func names(table []entry) []string {
	var all []string
	for _, e := range table {
		all = append(all, strings.Fields(e.calls)...)
	}
	slices.Sort(all)
	return all
}

// entries has one for each value, and one for the rest if that has an error of its
// own.
func (c check) entries() []specs.LinuxSyscall {
	var entries []specs.LinuxSyscall
	for _, v := range c.values {
		args := []specs.LinuxSeccompArg{{Index: c.arg, Value: v.is, Op: specs.OpEqualTo}}
		if c.mask != 0 {
			args[0] = specs.LinuxSeccompArg{Index: c.arg, Value: c.mask, ValueTwo: v.is, Op: specs.OpMaskedEqual}
		}
		if c.also != (condition{}) {
			args = append(args, specs.LinuxSeccompArg{Index: c.also.arg, Value: c.also.is, Op: specs.OpEqualTo})
		}
		entries = append(entries, specs.LinuxSyscall{Names: []string{c.call}, Action: specs.ActAllow, Args: args})
	}
	if c.otherwise != 0 {
		rest := []specs.LinuxSeccompArg{{Index: c.arg, Value: c.values[0].is, Op: specs.OpNotEqual}}
		entries = append(entries, specs.LinuxSyscall{
			Names: []string{c.call}, Action: specs.ActErrno, ErrnoRet: errno(c.otherwise), Args: rest,
		})
	}
	return entries
}

func errno(n uint) *uint { return &n }
