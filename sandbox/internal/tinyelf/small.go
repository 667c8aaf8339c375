package tinyelf

import (
	"fmt"
	"runtime"
)

var (
	sysRead    = Call{AMD64: 0, ARM64: 63}
	sysExit    = Call{AMD64: 60, ARM64: 93}
	sysUmount2 = Call{AMD64: 166, ARM64: 39}
)

const mntDetach = 2

// Exit is a program for this machine that ends with the status given.
func Exit(status byte) []byte {
	return here(func(p *Program) { p.Call(p.Word(), sysExit, Const(status)) })
}

// UmountProc is a program for this machine that waits for a byte on descriptor 3,
// unmounts /proc with MNT_DETACH, and ends with status 0 if all of that worked and
// 1 if not.
func UmountProc() []byte {
	return here(func(p *Program) {
		result := p.Word()
		p.Call(result, sysRead, Const(3), p.Space(1), Const(1))
		p.If(result, NotEqual, Const(1), "fail")
		p.Call(result, sysUmount2, p.Bytes([]byte("/proc\x00")), Const(mntDetach))
		p.If(result, NotEqual, Const(0), "fail")
		p.Call(result, sysExit, Const(0))
		p.Label("fail")
		p.Call(result, sysExit, Const(1))
	})
}

func here(write func(*Program)) []byte {
	program, err := Assemble(runtime.GOARCH, write)
	if err != nil {
		panic(fmt.Sprint("a program of this package: ", err)) // on another architecture, where it is not called
	}
	return program
}
