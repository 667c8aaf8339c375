package sandbox

import (
	"context"
	"io"
)

// Driver starts machines that hold CPython and the runner and nothing else.
// Every driver keeps the same promises: no network, no host files, a read-only
// root, a user that nobody else is and without capabilities, bounded memory,
// processes and descriptors, and nothing left behind, also when this process is
// killed. Its methods may be called from any goroutine.
type Driver interface {
	// Name is the word --sandbox uses for the driver.
	Name() string
	// Limits are those of every machine it starts; a zero field means its default.
	// They never change. The driver enforces Memory, Pids, CPUs, Files and TmpBytes,
	// and Open the others.
	Limits() Limits
	// Start starts one machine and returns as soon as its streams are
	// connected; the runner may still be starting. Cancelling ctx while Start
	// runs abandons and removes the machine; afterwards ctx has no effect.
	Start(ctx context.Context) (Instance, error)
	// Close ends every machine that is left and removes the driver's own state.
	Close() error
}

// Instance is one started machine, made by a Driver. Whatever comes out of it
// is hostile.
type Instance interface {
	// Read and Write carry the runner's line protocol: its standard output and
	// input. Read returns io.EOF, or another error, once the machine is dead.
	io.ReadWriter
	// Kill ends the machine at once and does not wait. It is idempotent, safe
	// from any goroutine, and makes pending reads and writes return.
	Kill()
	// OnStderr calls seen with the length of each piece that the machine writes
	// to its own standard error: what has come before, and then each one that
	// comes. It is called once, and seen must not block.
	OnStderr(seen func(bytes int))
	// Wait blocks until the machine is dead and everything of it is gone from
	// the host. Any number of goroutines may wait; all get the same Exit.
	Wait() Exit
}

// Exit says how a machine ended.
type Exit struct {
	Code   int    // exit status of the runner's process; -1 when unknown
	Memory bool   // the machine was ended for using more than Limits.Memory
	Detail string // for the operator only: the tail of the machine's own stderr, at most 4 KiB
}
