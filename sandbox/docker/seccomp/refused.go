package seccomp

// refused answer ENOSYS.
var refused = []entry{
	// Ways around this filter, or around the limits.
	{"clone3", "its flags lie in memory, which a filter cannot read; the C library falls back to clone"},
	{"io_uring_setup io_uring_enter io_uring_register", "does what other calls do without making them, and is a frequent source of flaws"},
	{"unshare setns", "new namespaces, or those of others"},
	{"seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self", "filters of the code's own, whose memory the kernel keeps"},
	{"memfd_create", "a file that could be executed, as nothing in /tmp can"},
	{"memfd_secret", "memory that nobody else can look at, the host included"},
	{"personality", "turns off protections of memory, and answers in the words of other systems"},
	{"uselib", "an older way to map a program"},

	// What is counted for a user of the host or for all of it, and not for a sandbox.
	{"inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark", "watches are few, and counted per user of the host"},
	{"io_setup io_submit io_cancel io_destroy io_getevents io_pgetevents", "contexts are few, and counted for the whole host; files are read without them"},
	{"add_key request_key keyctl", "keyrings belong to users of the host, not to namespaces"},
	{"mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr", "message queues hold kernel memory; Python has no use for them"},
	{"msgget msgsnd msgrcv msgctl semget semop semtimedop semctl shmget shmat shmdt shmctl", "System V objects outlive their process; multiprocessing uses files"},
	{"timer_create timer_settime timer_gettime timer_getoverrun timer_delete", "timers are counted per user of the host; Python uses setitimer and timerfd"},
	{"signalfd rt_sigqueueinfo rt_tgsigqueueinfo", "waiting signals are counted per user of the host; Python only sends plain ones"},
	{"mlock mlock2 mlockall munlock munlockall", "memory that cannot be reclaimed, counted per user of the host"},
	{"sync syncfs sync_file_range readahead", "makes the disks of the host work, for every other program too"},
	{"sysinfo", "load, memory and processes of the host"},

	// Other processes.
	{"ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp process_madvise process_mrelease", "reads and changes other processes, such as the first one"},
	{"perf_event_open", "measures the host, and is a frequent source of flaws"},
	{"set_mempolicy set_mempolicy_home_node get_mempolicy mbind migrate_pages move_pages", "where memory lies is for the host to say"},
	{"ioprio_get ioprio_set sched_setattr sched_getattr rseq_slice_yield", "how the host shares its disks and processors"},

	// Parts of the kernel that a program has no use for, each a place for flaws.
	{"bpf userfaultfd", "programs for the kernel, and page faults that wait for code: parts of most attacks on kernels"},
	{"modify_ldt set_thread_area get_thread_area", "segments of old x86 programs"},
	{"remap_file_pages mincore membarrier mseal map_shadow_stack cachestat", "rare ways to look at and arrange memory, with flaws in the past"},
	{"pkey_alloc pkey_free pkey_mprotect", "keys for memory: Python has no use for them"},
	{"futex_waitv futex_wait futex_wake futex_requeue get_robust_list", "newer and rarer ways of waiting: nothing uses them yet"},
	{"vmsplice tee", "pipes that hold pages of a process"},
	{"sendmmsg recvmmsg", "several messages at once, for name resolution, which needs a network"},
	{"openat2 name_to_handle_at open_by_handle_at", "other ways to open files; by a handle, past every mount"},
	{"setxattrat getxattrat listxattrat removexattrat file_getattr file_setattr", "newer ways to attributes, which nothing uses yet"},
	{"epoll_ctl_old epoll_wait_old", "never worked"},
	{"uretprobe uprobe", "the kernel's own, for tracing; newer kernels let them pass every filter, and end who makes them"},

	// Becoming another, which takes capabilities that the sandbox does not have.
	{"setgroups setfsuid setfsgid", "groups and users of file access; Python has no use for them"},
	{"capget capset", "there are no capabilities"},

	// Administration of the host, which takes such capabilities too.
	{"mount umount2 mount_setattr move_mount open_tree open_tree_attr fsopen fsconfig fsmount fspick pivot_root chroot", "what is mounted where"},
	{"statmount listmount listns", "what is mounted where, on the host too, and which namespaces there are"},
	{"lsm_get_self_attr lsm_set_self_attr lsm_list_modules security", "security modules"},
	{"swapon swapoff acct quotactl quotactl_fd reboot syslog sethostname setdomainname vhangup nfsservctl", "administration"},
	{"kexec_load kexec_file_load init_module finit_module delete_module create_module get_kernel_syms query_module", "code of the kernel"},
	{"settimeofday clock_settime adjtimex clock_adjtime", "the clock is the host's"},
	{"ioperm iopl", "ports of devices"},
	{"sysfs ustat _sysctl lookup_dcookie", "old questions about the host"},
	{"afs_syscall getpmsg putpmsg tuxcall vserver", "names without a call behind them"},
}
