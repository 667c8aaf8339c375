//go:build linux && (amd64 || arm64)

package gvisor

import (
	"fmt"
	"strconv"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/gvisor/internal/runsc"
)

// bootOptions are what differs between two sentries.
type bootOptions struct {
	id     string // names the container; unique while it lives
	cpus   int    // processors seen inside
	memory int64  // bytes of memory seen inside
}

// Descriptors the sentry gets, after 0, 1 and 2, in this order.
const (
	fdSpec    = 3 + iota // the OCI specification
	fdControl            // listening socket of the control server
	fdSync               // takes one byte when the sentry is up
	fdRoot               // EROFS image
	fdStdin              // of the runner
	fdStdout             //
	fdStderr             //
)

// bootArgv is the command line of a sentry: gVisor's internal command "boot",
// as runsc itself gives it for --directfs=false, with two differences.
// --apply-caps drops the capabilities in place instead of executing the program
// a second time, and there is no gofer because the root is an image.
func bootArgv(o bootOptions) []string {
	flag := func(name string, value int) string { return "--" + name + "=" + strconv.Itoa(value) }
	return []string{
		runsc.Sentry,
		"--platform=systrap",
		"--network=none",
		"--directfs=false",
		"--overlay2=none",
		"--host-uds=none",
		"--host-fifo=none",
		"--character-device-policy=emulated-only",
		"boot",
		"--bundle=/",
		"--setup-root",
		"--apply-caps=true",
		"--attached",
		"--product-name=none",
		"--gofer-mount-confs=erofs:none",
		flag("cpu-num", o.cpus),
		fmt.Sprintf("--total-memory=%d", o.memory),
		fmt.Sprintf("--total-host-memory=%d", o.memory),
		flag("spec-fd", fdSpec),
		flag("controller-fd", fdControl),
		flag("start-sync-fd", fdSync),
		flag("io-fds", fdRoot),
		flag("stdio-fds", fdStdin),
		flag("stdio-fds", fdStdout),
		flag("stdio-fds", fdStderr),
		o.id,
	}
}
