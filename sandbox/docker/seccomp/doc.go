// Package seccomp says which system calls a sandbox may make, and renders that
// as the profile that an engine gives to its containers.
//
// The tables name every system call that Linux has on the architectures the
// profile is for. There are three tables: calls that are let through (allowed.go),
// calls that are let through with some arguments only (checked.go), and calls that
// are refused (refused.go). Each entry says why. A call that is in no table, because
// it is newer than they are, is refused too.
//
// A call is let through when CPython, the runner or the standard library needs
// it, or when it can only touch the process that makes it. A call that is
// refused answers ENOSYS, as on a kernel that does not have it: C libraries and
// CPython then use an older one. The tables list the refused calls, although
// refusing is the default, because engines up to Docker 20.10 lose the profile's
// default error and answer EPERM, after which no library tries an older call.
package seccomp
