package sandbox

import "time"

// MaxInFlight is the most that an option may set Limits.InFlight to.
const MaxInFlight = 1024

// Limits are the numbers the host enforces on one sandbox, whatever a policy
// says. The zero value of each field means its documented default, so the zero
// Limits is the safest documented setting.
type Limits struct {
	Deadline    time.Duration // wall clock of one run; default 90 s
	Memory      int64         // bytes of memory, no swap; default 256 MiB
	Pids        int           // processes and threads; default 64
	CPUs        float64       // processors; default 1
	Files       int           // open descriptors per process; default 64
	TmpBytes    int64         // size of /tmp; default 16 MiB
	OutputKept  int           // bytes of output returned; default 8 KiB
	OutputFlood int           // bytes of output that stop the run; default 1 MiB
	InFlight    int           // calls of one run under way at once; default 64
	Arguments   int           // bytes of the largest arguments of a call, as they would be sent; default 64 KiB
}

// WithDefaults returns l with every zero field replaced by its default.
func (l Limits) WithDefaults() Limits {
	setDefault(&l.Deadline, 90*time.Second)
	setDefault(&l.Memory, 256<<20)
	setDefault(&l.Pids, 64)
	setDefault(&l.CPUs, 1)
	setDefault(&l.Files, 64)
	setDefault(&l.TmpBytes, 16<<20)
	setDefault(&l.OutputKept, 8<<10)
	setDefault(&l.OutputFlood, 1<<20)
	setDefault(&l.InFlight, 64)
	setDefault(&l.Arguments, 64<<10)
	return l
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
