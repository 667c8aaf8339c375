//go:build linux && (amd64 || arm64)

package gvisor

import (
	"fmt"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox"
)

// nobody is the user and group of everything inside.
const nobody = 65534

// hostname is the same in every sandbox: nothing of the host's name is known
// inside.
const hostname = "sandbox"

// machineSpec is the OCI specification of one sandbox. Every kernel object it
// describes is emulated by the sentry; nothing of it is set up on the host.
func machineSpec(lim sandbox.Limits, command []string) *specs.Spec {
	return &specs.Spec{
		Version:  specs.Version,
		Hostname: hostname,
		Process: &specs.Process{
			User:            specs.User{UID: nobody, GID: nobody},
			Args:            command,
			Env:             []string{"PATH=/usr/bin", "HOME=/tmp", "LANG=C"},
			Cwd:             "/tmp",
			Capabilities:    &specs.LinuxCapabilities{},
			Rlimits:         rlimits(lim),
			NoNewPrivileges: true,
		},
		// The path is never opened: the root is the image of --io-fds.
		Root: &specs.Root{Path: "/", Readonly: true},
		Mounts: []specs.Mount{
			{Destination: "/proc", Type: "proc", Source: "proc", Options: []string{"ro", "noexec", "nosuid"}},
			{Destination: "/dev", Type: "dev", Source: "dev", Options: []string{"noexec", "nosuid"}},
			// gVisor's /sys would tell the host's product name.
			{Destination: "/sys", Type: "tmpfs", Source: "none", Options: []string{"ro", "noexec", "nosuid", "size=0"}},
			{Destination: "/tmp", Type: "tmpfs", Source: "tmpfs", Options: []string{
				"noexec", "nosuid", "nodev", "mode=1777", fmt.Sprintf("size=%d", lim.TmpBytes)}},
		},
		Linux: &specs.Linux{},
	}
}

// memlock is how much memory a process inside may lock, in bytes: what Linux long allowed by
// default. gVisor locks 20 KiB of it for its table of patched system calls; with less it patches
// none, and tries again at each.
const memlock = 64 << 10

// rlimits are what gVisor's kernel enforces on each process inside. A limit on
// address space turns an allocation that is too large into a MemoryError; the
// memory of all processes together is the watchdog's business.
func rlimits(lim sandbox.Limits) []specs.POSIXRlimit {
	limit := func(name string, n int64) specs.POSIXRlimit {
		return specs.POSIXRlimit{Type: name, Soft: uint64(n), Hard: uint64(n)}
	}
	return []specs.POSIXRlimit{
		limit("RLIMIT_AS", lim.Memory),
		limit("RLIMIT_CORE", 0),
		limit("RLIMIT_FSIZE", lim.TmpBytes),
		limit("RLIMIT_MEMLOCK", memlock),
		limit("RLIMIT_NOFILE", int64(lim.Files)),
		limit("RLIMIT_NPROC", int64(lim.Pids)),
		limit("RLIMIT_STACK", 8<<20),
	}
}
