package pid1

import (
	"encoding/binary"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/internal/tinyelf"
)

// A process is the program being written, and its variables.
type process struct {
	*tinyelf.Program
	result  tinyelf.Word  // of the last system call
	mask    tinyelf.Word  // signals that are blocked here
	signals tinyelf.Word  // descriptor that tells of SIGCHLD
	ends    tinyelf.Word  // both ends of the runner's input, as pipe2 gives them
	pipe    tinyelf.Word  // our end of it
	runner  tinyelf.Word  // its process id
	polls   tinyelf.Const // struct pollfd of input, signals and pipe
	buffer  tinyelf.Const // a ring of what the runner has not taken yet
	taken   tinyelf.Word  // bytes that have left the ring, ever
	come    tinyelf.Word  // bytes that have come in, ever
	at      tinyelf.Word  // where in the ring to read or write
	size    tinyelf.Word  // how much
	time    tinyelf.Word  // that wait may take: the address of a struct timespec, 0 for any
}

const (
	zero = tinyelf.Const(0)
	one  = tinyelf.Const(1)
)

func write(p *tinyelf.Program, calls []byte, env []string) {
	w := process{
		Program: p, result: p.Word(), mask: p.Word(), signals: p.Word(), ends: p.Word(), pipe: p.Word(),
		runner: p.Word(), polls: p.Space(3 * 8), taken: p.Word(), come: p.Word(), at: p.Word(), size: p.Word(),
		time: p.Word(), buffer: p.Space(MaxUnread),
	}
	w.hide()
	w.restrict(calls)
	w.prepare()
	w.start(env)
	w.wait()
	w.reap()
	w.read()
	w.write()
	w.Label("failed")
	w.exit(tinyelf.Const(Failed))
}

// pollfd is one of three.
func (w *process) pollfd(i int) tinyelf.Word {
	return tinyelf.Word{Address: w.polls + tinyelf.Const(8*i)}
}

func (w *process) exit(status tinyelf.Value) { w.Call(w.result, sysExit, status) }

// must makes a system call that has to work.
func (w *process) must(c tinyelf.Call, args ...tinyelf.Value) {
	w.Call(w.result, c, args...)
	w.If(w.result, tinyelf.Less, zero, "failed")
}

// hide closes this process to everybody without privileges, before anything else
// runs. What is executed later is open again.
func (w *process) hide() {
	w.Stack(w.at) // for start
	w.must(sysPrctl, tinyelf.Const(setDumpable), zero, zero, zero, zero)
	w.must(sysPrctl, tinyelf.Const(noPrivileges), one, zero, zero, zero) // or filters need privileges
}

// restrict filters system calls. Where the kernel has no filters, it goes on without:
// whether that is accepted has been decided elsewhere.
func (w *process) restrict(calls []byte) {
	const instruction = 8 // bytes
	list := binary.LittleEndian.AppendUint64(nil, uint64(len(calls)/instruction))
	list = binary.LittleEndian.AppendUint64(list, uint64(w.Bytes(calls))) // a struct sock_fprog
	w.Call(w.result, sysPrctl, tinyelf.Const(setFilter), tinyelf.Const(filterMode), w.Bytes(list))
}

// prepare makes what the process waits on.
func (w *process) prepare() {
	bits := 0
	for _, signal := range []int{childSignal, pipeSignal, stopSignal + 1, stopSignal + 2, stopSignal + 3} {
		bits |= 1 << (signal - 1)
	}
	w.Set(w.mask, tinyelf.Const(bits))
	w.must(sysMask, tinyelf.Const(block), w.mask.Address, zero, tinyelf.Const(maskSize))
	w.must(sysSignals, tinyelf.Const(-1), w.mask.Address, tinyelf.Const(maskSize), tinyelf.Const(closeOnExec|nonBlocking))
	w.Set(w.signals, w.result)
	w.must(sysPipe, w.ends.Address, tinyelf.Const(closeOnExec))
	w.Set(w.pipe, w.ends)
	w.ShiftRight(w.pipe, 32)
	w.And(w.ends, tinyelf.Const(1<<32-1)) // the runner's end
	w.must(sysFcntl, w.pipe, tinyelf.Const(setFlags), tinyelf.Const(nonBlocking))
	for _, end := range []tinyelf.Value{tinyelf.Const(standardInput), w.pipe} { // best effort
		w.Call(w.result, sysFcntl, end, tinyelf.Const(setPipeSize), tinyelf.Const(pipeSize))
	}
}

// start starts the runner. This process keeps nothing open that the runner's
// output goes to: that ends with the runner.
func (w *process) start(env []string) {
	w.must(sysClone, tinyelf.Const(childSignal), zero, zero, zero, zero)
	w.Set(w.runner, w.result)
	w.If(w.runner, tinyelf.NotEqual, zero, "parent")

	w.must(sysDup, w.ends, tinyelf.Const(standardInput), zero)
	w.must(sysMask, tinyelf.Const(unblock), w.mask.Address, zero, tinyelf.Const(maskSize))
	w.Add(w.at, tinyelf.Const(2*8)) // argc and our own name come before it
	w.Follow(w.size, w.at)
	w.Call(w.result, sysExec, w.size, w.at, w.environment(env))
	w.exit(tinyelf.Const(NotFound))

	w.Label("parent")
	for _, end := range []tinyelf.Value{w.ends, tinyelf.Const(1), tinyelf.Const(2)} {
		w.Call(w.result, sysClose, end)
	}
}

// environment is the address of a constant: a list of addresses that ends in 0.
func (w *process) environment(env []string) tinyelf.Const {
	var list []byte
	for _, variable := range env {
		list = binary.LittleEndian.AppendUint64(list, uint64(w.Bytes([]byte(variable+"\x00"))))
	}
	return w.Bytes(binary.LittleEndian.AppendUint64(list, 0))
}

// wait waits for input, for a process that has ended and, when something waits to
// be passed on, for room in the pipe.
func (w *process) wait() {
	w.Label("wait")
	w.Set(w.pollfd(0), tinyelf.Const(standardInput|pollIn))
	w.Set(w.pollfd(1), w.signals)
	w.Add(w.pollfd(1), tinyelf.Const(pollIn))
	w.Set(w.pollfd(2), tinyelf.Const(1<<32-1)) // descriptor -1: not looked at
	w.If(w.taken, tinyelf.Equal, w.come, "poll")
	w.Set(w.pollfd(2), w.pipe)
	w.Add(w.pollfd(2), tinyelf.Const(pollOut))
	w.Label("poll")
	w.Call(w.result, sysPoll, w.polls, tinyelf.Const(3), w.time, zero, zero)
	w.If(w.result, tinyelf.Equal, tinyelf.Const(interrupted), "wait")
	w.If(w.result, tinyelf.Less, zero, "failed")
}

// reap waits for every process that has ended, also for those whose parents have:
// they count among the processes that may exist. With the runner it ends. It waits for
// one at a time and looks at the input before the next: with enough processors code
// can end processes as fast as they are waited for.
func (w *process) reap() {
	w.Set(w.at, w.signals)
	w.Add(w.at, tinyelf.Const(pollIn))
	w.If(w.pollfd(1), tinyelf.Equal, w.at, "maybe more") // no events seen
	w.Call(w.result, sysRead, w.signals, w.Space(signalInfo), tinyelf.Const(signalInfo))
	w.Set(w.time, w.Space(timeSpec)) // none
	w.Label("maybe more")
	w.If(w.time, tinyelf.Equal, zero, "read")
	w.Set(w.size, zero) // the status is 32 bits
	w.Call(w.result, sysWait, tinyelf.Const(-1), w.size.Address, tinyelf.Const(noHang), zero)
	w.If(w.result, tinyelf.Equal, w.runner, "runner")
	w.If(zero, tinyelf.Less, w.result, "read")
	w.Set(w.time, zero) // there is no other
	w.Jump("read")

	w.Label("runner")
	w.Set(w.at, w.size)
	w.And(w.at, tinyelf.Const(0x7f)) // the signal that has ended it
	w.If(w.at, tinyelf.NotEqual, zero, "signal")
	w.ShiftRight(w.size, 8)
	w.And(w.size, tinyelf.Const(0xff))
	w.exit(w.size)
	w.Label("signal")
	w.Add(w.at, tinyelf.Const(128))
	w.exit(w.at)
}

// read takes input in, and ends everything when there can be no more.
func (w *process) read() {
	w.Label("read")
	w.If(w.pollfd(0), tinyelf.Equal, tinyelf.Const(standardInput|pollIn), "write") // no events seen
	w.Set(w.size, w.taken)
	w.Add(w.size, tinyelf.Const(MaxUnread))
	w.Sub(w.size, w.come)
	w.If(w.size, tinyelf.Equal, zero, "overfull")
	w.inRing(w.come, "space inside the ring")
	w.Call(w.result, sysRead, tinyelf.Const(standardInput), w.at, w.size)
	w.If(w.result, tinyelf.Equal, tinyelf.Const(interrupted), "wait")
	w.If(w.result, tinyelf.Equal, tinyelf.Const(wouldBlock), "write")
	w.If(w.result, tinyelf.Less, zero, "failed")
	w.If(w.result, tinyelf.Equal, zero, "gone")
	w.Add(w.come, w.result)
	w.Jump("write")
	w.Label("gone")
	w.exit(tinyelf.Const(HostGone))
	w.Label("overfull")
	w.exit(tinyelf.Const(Overfull))
}

// write passes on what the runner has room for. When it has closed its input, what
// comes is dropped.
func (w *process) write() {
	w.Label("write")
	w.If(w.taken, tinyelf.Equal, w.come, "empty")
	w.Set(w.size, w.come)
	w.Sub(w.size, w.taken)
	w.inRing(w.taken, "bytes inside the ring")
	w.Call(w.result, sysWrite, w.pipe, w.at, w.size)
	w.If(w.result, tinyelf.Equal, tinyelf.Const(wouldBlock), "wait")
	w.If(w.result, tinyelf.Less, zero, "empty")
	w.Add(w.taken, w.result)
	w.Jump("write")
	w.Label("empty") // from the start of the ring again, so that little of it is ever touched
	w.Set(w.taken, zero)
	w.Set(w.come, zero)
	w.Jump("wait")
}

// inRing sets at to the place of a byte in the ring, and makes size no more than
// there is up to the ring's end.
func (w *process) inRing(position tinyelf.Word, inside string) {
	w.Set(w.at, position)
	w.And(w.at, tinyelf.Const(MaxUnread-1))
	w.Add(w.at, w.buffer)
	end := w.Word()
	w.Set(end, w.buffer+tinyelf.Const(MaxUnread))
	w.Sub(end, w.at)
	w.If(w.size, tinyelf.LessOrEqual, end, inside)
	w.Set(w.size, end)
	w.Label(inside)
}
