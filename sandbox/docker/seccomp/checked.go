package seccomp

// A check is a system call that is let through when one of its arguments is one
// of a few values.
type check struct {
	call   string
	why    string
	arg    uint   // which argument decides
	mask   uint64 // which bits of it count; 0: all
	values []value
	also   condition // must hold too, where it is set
	// otherwise is the error for every other value; 0: that of refused calls.
	// Only a check of one value can have it.
	otherwise uint
}

type value struct {
	is  uint64
	why string
}

// A condition is that an argument is exactly this.
type condition struct {
	arg uint
	is  uint64
}

// Numbers of Linux, the same on every architecture of the profile. They are
// written out because this program also runs on systems that do not have them.
const (
	enosys       = 38 // function not implemented
	eafnosupport = 97 // address family not supported

	afUnix    = 1
	solSocket = 1

	// low is for arguments that the kernel reads as 32 bits: C libraries differ
	// in what they leave in the upper half.
	low = 1<<32 - 1

	// namespaces are the flags of clone that make new ones: mount, cgroup, UTS,
	// IPC, user, PID and network. For time namespaces clone has no flag.
	namespaces = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
)

// checked are let through with some arguments only.
var checked = []check{
	{
		call: "clone", why: "threads, and processes where there is no fork",
		arg: 0, mask: namespaces, values: []value{{0, "in a namespace of its own code would have capabilities"}},
	},
	{
		call: "socket", why: "memory behind sockets of other families is charged to nobody, and AF_VSOCK is the host's",
		arg: 0, values: []value{{afUnix, "between processes of the sandbox"}}, otherwise: eafnosupport,
	},
	{
		call: "socketpair", why: "as socket",
		arg: 0, values: []value{{afUnix, "asyncio wakes its loop by a pair"}}, otherwise: eafnosupport,
	},
	{
		call: "setsockopt", why: "what the socket module offers, without filters, which are programs for the kernel",
		arg: 2, mask: low, values: []value{
			{2, "SO_REUSEADDR: socketserver"},
			{7, "SO_SNDBUF: the buffers of AF_UNIX are charged to the sandbox"},
			{8, "SO_RCVBUF"},
			{9, "SO_KEEPALIVE"},
			{13, "SO_LINGER"},
			{15, "SO_REUSEPORT: socketserver"},
			{16, "SO_PASSCRED"},
			{18, "SO_RCVLOWAT"},
			{19, "SO_SNDLOWAT"},
			{20, "SO_RCVTIMEO"},
			{21, "SO_SNDTIMEO"},
		},
		also: condition{arg: 1, is: solSocket},
	},
	{
		call: "ioctl", why: "what files, pipes and sockets are asked; every other driver of the kernel stays out of reach",
		arg: 1, mask: low, values: []value{
			{0x5401, "TCGETS: isatty, with which every open file begins"},
			{0x802c542a, "TCGETS2: the same in newer C libraries"},
			{0x540f, "TIOCGPGRP: os.tcgetpgrp"},
			{0x5410, "TIOCSPGRP: os.tcsetpgrp"},
			{0x5413, "TIOCGWINSZ: os.get_terminal_size"},
			{0x541b, "FIONREAD: what waits to be read"},
			{0x5421, "FIONBIO: os.set_blocking"},
			{0x5450, "FIONCLEX: os.set_inheritable"},
			{0x5451, "FIOCLEX: the same"},
			{0x40049409, "FICLONE: pathlib copies by it, and takes ENOSYS for a failure"},
		},
	},
	{
		call: "prctl", why: "what a process says about itself",
		arg: 0, mask: low, values: []value{
			{1, "PR_SET_PDEATHSIG: to die with one's parent"},
			{2, "PR_GET_PDEATHSIG"},
			{3, "PR_GET_DUMPABLE"},
			{4, "PR_SET_DUMPABLE: to be hidden from others of the same user"},
			{15, "PR_SET_NAME: threading names its threads"},
			{16, "PR_GET_NAME"},
			{22, "PR_SET_SECCOMP: the first process restricts who comes after it, and from then on nobody may"},
			{36, "PR_SET_CHILD_SUBREAPER: to be told of the end of every descendant"},
			{37, "PR_GET_CHILD_SUBREAPER"},
			{38, "PR_SET_NO_NEW_PRIVS: it is set already"},
			{39, "PR_GET_NO_NEW_PRIVS"},
		},
	},
}
