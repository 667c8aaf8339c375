package sandbox

import (
	"fmt"
	"math"
	"time"
)

// MaxInFlight is the most that Limits.InFlight may be.
const MaxInFlight = 1024

// Limits are the numbers that bound one sandbox, whatever a policy says. A zero
// field means its default, so the zero Limits is the safest documented setting.
//
// They are given once, to the driver that starts the sandboxes. The driver enforces
// those on memory, processes and files. This package reads the others from the driver
// and enforces them.
type Limits struct {
	Deadline    time.Duration // wall clock of one run or cell; default 90 s
	Memory      int64         // bytes of memory, no swap; default 256 MiB
	Pids        int           // processes and threads; default 64
	CPUs        float64       // processors; default 1
	Files       int           // open descriptors of a process; default 64
	TmpBytes    int64         // size of /tmp in bytes; default 16 MiB
	OutputKept  int           // bytes of output that are returned, head and tail; default 8 KiB
	OutputFlood int           // bytes of output that stop the run; default 1 MiB
	InFlight    int           // calls of one run under way at once, at most MaxInFlight; default 64
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

// Check returns an *OptionError about the first field with an impossible value: a
// negative one, or one so large that sums with it overflow. A zero field means its
// default.
func (l Limits) Check() error {
	l = l.WithDefaults()
	for _, field := range []struct {
		name        string
		value, most float64
	}{
		{"Deadline", float64(l.Deadline), math.MaxInt64 / 2},
		{"Memory", float64(l.Memory), 1 << 50},
		{"Pids", float64(l.Pids), math.MaxInt32},
		{"CPUs", l.CPUs, math.MaxInt16},
		{"Files", float64(l.Files), math.MaxInt32},
		{"TmpBytes", float64(l.TmpBytes), 1 << 50},
		{"OutputKept", float64(l.OutputKept), 1 << 30},
		{"OutputFlood", float64(l.OutputFlood), 1 << 30},
		{"InFlight", float64(l.InFlight), MaxInFlight},
		{"Arguments", float64(l.Arguments), 1 << 30},
	} {
		switch {
		case !(field.value > 0): // NaN too
			return &OptionError{"Limits." + field.name, "it is not positive"}
		case field.value > field.most:
			return &OptionError{"Limits." + field.name, fmt.Sprintf("it is more than %.0f", field.most)}
		}
	}
	return nil
}

// OptionError says which option has an impossible value. The constructors of pools,
// drivers and servers return it before anything is started.
type OptionError struct {
	Option string // its name in Go, such as "Limits.Memory"
	Reason string // one line
}

func (e *OptionError) Error() string { return fmt.Sprintf("option %s: %s", e.Option, e.Reason) }
