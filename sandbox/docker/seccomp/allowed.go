package seccomp

// An entry is some system calls and why they are let through, or refused.
type entry struct {
	calls string // names, separated by spaces
	why   string
}

// allowed are let through with whatever arguments.
var allowed = []entry{
	// Files and descriptors. What they reach is for the mounts and the user to decide.
	{"read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek", "reading and writing what is open"},
	{"open openat creat close close_range", "opening and closing files; subprocess closes what children should not inherit"},
	{"stat lstat fstat newfstatat statx access faccessat faccessat2", "os.stat, os.access, and every import"},
	{"dup dup2 dup3 fcntl flock", "the runner moves the protocol out of the way of descriptors 0 to 2; fcntl and tempfile"},
	{"getdents getdents64 getcwd chdir fchdir readlink readlinkat", "os.scandir, os.getcwd, os.path.realpath"},
	{"rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat mkdir mkdirat rmdir", "changing /tmp"},
	{"chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat umask utime utimes utimensat futimesat", "shutil.copystat, tempfile and tarfile; without capabilities a file can only be given to oneself"},
	{"mknod mknodat", "os.mkfifo; devices need a capability"},
	{"truncate ftruncate fallocate fadvise64 fsync fdatasync", "os.truncate, mmap, sqlite3"},
	{"getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr",
		"shutil.copystat reads and copies them, and takes ENOSYS for a failure"},
	{"statfs fstatfs", "shutil.disk_usage, os.pathconf"},
	{"sendfile copy_file_range splice", "shutil.copyfile and pathlib copy by these, and take ENOSYS for a failure; os.splice"},
	{"pipe pipe2 eventfd eventfd2", "os.pipe, subprocess; the runner wakes a thread by an eventfd"},
	{"timerfd_create timerfd_settime timerfd_gettime", "os.timerfd_create"},

	// Waiting for descriptors.
	{"poll ppoll select pselect6", "select, selectors, subprocess"},
	{"epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2", "asyncio"},

	// Sockets that exist: which ones can be made is in the checked calls.
	{"bind listen accept accept4 connect shutdown getsockname getpeername", "AF_UNIX sockets: asyncio, multiprocessing.connection, socketserver"},
	{"sendto recvfrom sendmsg recvmsg getsockopt", "the same; descriptors are passed in messages"},

	// Memory.
	{"mmap munmap mremap mprotect madvise msync brk", "every allocation; ctypes makes code of its own for callbacks"},

	// Processes and threads.
	{"fork vfork execve execveat exit exit_group wait4 waitid", "os.fork, subprocess; only the image's Python can be executed"},
	{"pidfd_open pidfd_send_signal", "asyncio waits for child processes by a pidfd; signal.pidfd_send_signal"},
	{"futex set_robust_list set_tid_address rseq restart_syscall arch_prctl", "threads and the start of every program in the C library; arch_prctl sets the base of thread-local storage"},
	{"getpid getppid gettid getpgid getpgrp setpgid getsid setsid", "os.getpid and the like; subprocess starts sessions"},
	{"getuid geteuid getgid getegid getresuid getresgid getgroups", "asking who one is"},
	{"setuid setgid setreuid setregid setresuid setresgid", "subprocess with user, os.posix_spawn with resetids; without capabilities one can only stay who one is"},
	{"getpriority setpriority getrlimit setrlimit prlimit64 getrusage times", "os.nice, resource; without capabilities they only tighten"},
	{"sched_yield sched_getaffinity sched_setaffinity getcpu", "os.process_cpu_count; which processors of those allowed"},
	{"sched_getscheduler sched_setscheduler sched_getparam sched_setparam sched_get_priority_max sched_get_priority_min sched_rr_get_interval",
		"the functions of os; real-time scheduling needs a capability"},

	// Signals.
	{"rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack", "signal, faulthandler"},
	{"kill tkill tgkill", "os.kill, signal.pthread_kill, abort; they reach the processes of the sandbox only"},
	{"alarm getitimer setitimer pause", "signal.alarm and signal.setitimer"},
	{"signalfd4", "the first process waits by it for the end of others, and for input at the same time"},

	// Time and chance.
	{"time gettimeofday clock_gettime clock_getres nanosleep clock_nanosleep", "time, and waiting of every kind"},
	{"getrandom", "os.urandom, random, secrets, and the hash of strings"},
	{"uname", "os.uname, platform"},
}
